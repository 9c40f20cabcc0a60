import { paginateListStackResources, type StackResourceSummary } from '@aws-sdk/client-cloudformation';
import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  paginateListAliases,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import type { Account } from './account.ts';
import { orUndefined } from './or-undefined.ts';

/**
 * The functions of a stack and of the stacks nested in it, at any depth; undefined when there is no such stack, or none that the caller may see. A
 * team without CloudFormation has the name of a function, and often no permission for stacks.
 */
export async function functionsOf(
  account: Pick<Account, 'cloudFormation'>,
  stack: string,
): Promise<readonly string[] | undefined> {
  const resources: StackResourceSummary[] = [];
  const query = { client: account.cloudFormation };
  try {
    for await (const page of paginateListStackResources(query, { StackName: stack })) {
      resources.push(...(page.StackResourceSummaries ?? []));
    }
  } catch (error) {
    // CloudFormation has no exception of its own for a stack that is not there, nor for a name that no stack can have.
    if (error instanceof Error && error.name === 'ValidationError') return undefined;
    if (error instanceof Error && error.name.startsWith('AccessDenied')) return undefined;
    throw error;
  }
  const names = (type: string) =>
    resources
      .filter(({ ResourceType }) => ResourceType === type)
      .map(({ PhysicalResourceId = '' }) => PhysicalResourceId);
  const found = [...names('AWS::Lambda::Function')];
  for (const nested of names('AWS::CloudFormation::Stack')) {
    const inNested = await functionsOf(account, nested);
    // Not left out in silence: what is in there would count as checked.
    if (inNested === undefined) throw new Error(`The stack ${nested}, nested in ${stack}, could not be read.`);
    found.push(...inNested);
  }
  return found;
}

/** Undefined when Lambda has no such function. */
export async function readFunction(
  { lambda }: Pick<Account, 'lambda'>,
  FunctionName: string,
): Promise<FunctionConfiguration | undefined> {
  try {
    return await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** The queues that feed a function. Its aliases have mappings of their own, and these count. */
export async function mappingsOf(
  { lambda }: Pick<Account, 'lambda'>,
  functionName: string,
): Promise<readonly EventSourceMappingConfiguration[]> {
  const targets = [functionName];
  for await (const { Aliases = [] } of paginateListAliases({ client: lambda }, { FunctionName: functionName })) {
    targets.push(...Aliases.map(({ Name = '' }) => `${functionName}:${Name}`));
  }
  const found = new Map<string, EventSourceMappingConfiguration>();
  for (const FunctionName of targets) {
    for await (const page of paginateListEventSourceMappings({ client: lambda }, { FunctionName })) {
      for (const mapping of page.EventSourceMappings ?? []) found.set(mapping.UUID ?? '', mapping);
    }
  }
  return [...found.values()].filter(({ EventSourceArn = '' }) => EventSourceArn.split(':')[2] === 'sqs');
}

/** Every event source of a queue, whichever function it feeds. */
export async function mappingsFrom(
  { lambda }: Pick<Account, 'lambda'>,
  queueArn: string,
): Promise<readonly EventSourceMappingConfiguration[]> {
  const found: EventSourceMappingConfiguration[] = [];
  for await (const page of paginateListEventSourceMappings({ client: lambda }, { EventSourceArn: queueArn })) {
    found.push(...(page.EventSourceMappings ?? []));
  }
  return found;
}

/** What is reserved for the function; undefined when it could not be read. */
export async function reservedConcurrencyOf(
  { lambda }: Pick<Account, 'lambda'>,
  FunctionName: string,
): Promise<number | 'none' | undefined> {
  const read = await orUndefined(() => lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })));
  return read === undefined ? undefined : (read.ReservedConcurrentExecutions ?? 'none');
}

export function isEnabled({ State = '' }: EventSourceMappingConfiguration): boolean {
  return State !== 'Disabled' && State !== 'Disabling';
}
