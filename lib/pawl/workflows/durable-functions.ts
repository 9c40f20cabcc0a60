import {
  GetDurableExecutionCommand,
  InvokeCommand,
  type LambdaClient,
  ListDurableExecutionsByFunctionCommand,
} from '@aws-sdk/client-lambda';
import { environmentName, expect, expectWhole } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { startError } from './start-error.ts';
import { type Execution, type NamedWorkflow, statusOf, type WorkflowCall } from './workflow.ts';

export type { NamedWorkflow } from './workflow.ts';

/**
 * The options of `durableFunctions`.
 *
 * @example
 * import { LambdaClient } from '@aws-sdk/client-lambda';
 *
 * const options: DurableFunctionsOptions = {
 *   client: new LambdaClient({}),
 *   functionArn: process.env.SETTLE_FUNCTION_ARN,
 *   remembersSeconds: 30 * 24 * 3600,
 * };
 */
export interface DurableFunctionsOptions {
  /** Your client. Its role needs `lambda:InvokeFunction`, `lambda:ListDurableExecutionsByFunction` and `lambda:GetDurableExecution`. */
  readonly client: Pick<LambdaClient, 'send'>;
  /**
   * The ARN of a version or of an alias of the durable function: Lambda starts no durable execution without one of these. A missing ARN is reported at the
   * first start: then nothing is started.
   */
  readonly functionArn: string | undefined;
  /**
   * How long Lambda keeps an execution that has ended, in seconds, and so recognises its name: the `RetentionPeriodInDays` of the function. Set what the
   * function has. Too long a time could start a second execution.
   * @default 1209600, which is 14 days, as Lambda has it
   */
  readonly remembersSeconds?: number;
}

const known = {
  client: true,
  functionArn: true,
  remembersSeconds: true,
} as const satisfies NamesOf<DurableFunctionsOptions>;

const docs = 'docs/guides/workflows.md';

/**
 * The durable executions of a Lambda function, for `startOnce` and `startExecution`.
 *
 * The function is invoked asynchronously, with the name of the execution. Lambda returns the execution that a name has if the input is the same.
 *
 * @throws OptionError when an option is missing or wrong
 * @example
 * import { LambdaClient } from '@aws-sdk/client-lambda';
 *
 * const functionArn = process.env.SETTLE_FUNCTION_ARN;
 * const workflow = durableFunctions({ client: new LambdaClient({}), functionArn });
 */
export function durableFunctions(options: DurableFunctionsOptions): NamedWorkflow {
  expectOptions(options, { door: 'durableFunctions', known, docs });
  const { client, functionArn, remembersSeconds = 14 * 24 * 3600 } = options;
  expect(typeof client?.send === 'function', 'client', 'a client of Lambda: new LambdaClient({})', client);
  expectWhole('remembersSeconds', remembersSeconds);
  const isArn = typeof functionArn !== 'string' || functionArn === '' || unqualified(functionArn) !== undefined;
  expect(
    isArn,
    'functionArn',
    'the ARN of a version or an alias of a function: arn:aws:lambda:…:function:…:…',
    functionArn,
  );
  const { setupError } = environmentName('functionArn', {
    value: functionArn,
    expected: 'the ARN of a version or an alias of a function',
    variable: 'Set the environment variable that it is read from to the ARN of a version or an alias.',
  });
  const arn = functionArn ?? '';
  const target = unqualified(arn) ?? '';
  return {
    target,
    setupError,
    kind: 'named',
    remembersSeconds,
    async start(name, input, { signal }) {
      const request = { FunctionName: arn, InvocationType: 'Event', DurableExecutionName: name } as const;
      try {
        const command = new InvokeCommand({ ...request, Payload: new TextEncoder().encode(input) });
        const { DurableExecutionArn } = await client.send(command, { abortSignal: signal });
        if (DurableExecutionArn === undefined) warnOfNoExecution(arn);
        return { outcome: 'started', execution: DurableExecutionArn ?? name };
      } catch (error) {
        if (propertyOf(error, 'name') === 'DurableExecutionAlreadyStartedException') return { outcome: 'name-taken' };
        throw startError('Lambda', error, refusesInput);
      }
    },
    async describe(name, call) {
      const execution = await arnOf(client, target, name, call);
      if (execution === undefined) return undefined;
      return describeExecution(client, execution, { target, remembersSeconds, signal: call.signal });
    },
  };
}

/** An input that Lambda refuses whenever it comes. */
const refusesInput: readonly string[] = ['InvalidRequestContentException', 'RequestTooLargeException'];

/** The ARN of the function without its version or alias; nothing if it has none. Another version's executions have the same names. */
function unqualified(arn: string): string | undefined {
  const parts = arn.split(':');
  const [scheme, , service, , , kind, name, qualifier] = parts;
  if (scheme !== 'arn' || service !== 'lambda' || kind !== 'function' || !name || !qualifier) return undefined;
  return parts.length === 8 ? parts.slice(0, 7).join(':') : undefined;
}

/** The ARN of an execution has an id that Lambda gives, so it is looked up by the name. The newest comes first. */
async function arnOf(
  client: Pick<LambdaClient, 'send'>,
  target: string,
  name: string,
  { signal }: WorkflowCall,
): Promise<string | undefined> {
  let marker: string | undefined;
  do {
    const query = { FunctionName: target, DurableExecutionName: name, ...(marker !== undefined && { Marker: marker }) };
    const page = await client.send(new ListDurableExecutionsByFunctionCommand(query), { abortSignal: signal });
    // Names that only begin alike are of other executions: …-1 and …-12.
    const found = page.DurableExecutions?.find(({ DurableExecutionName }) => DurableExecutionName === name);
    if (found !== undefined) return found.DurableExecutionArn;
    marker = page.NextMarker;
  } while (marker);
  return undefined;
}

async function describeExecution(
  client: Pick<LambdaClient, 'send'>,
  execution: string,
  { target, remembersSeconds, signal }: Pick<NamedWorkflow, 'target' | 'remembersSeconds'> & WorkflowCall,
): Promise<Execution | undefined> {
  try {
    const command = new GetDurableExecutionCommand({ DurableExecutionArn: execution });
    const {
      Status,
      StartTimestamp,
      InputPayload,
      Error: failed,
      DurableConfig,
    } = await client.send(command, {
      abortSignal: signal,
    });
    warnOfRetention(target, remembersSeconds, DurableConfig?.RetentionPeriodInDays);
    return {
      execution,
      status: statusOf(Status),
      startedAt: StartTimestamp?.getTime() ?? 0,
      input: InputPayload,
      error: failed && { name: failed.ErrorType ?? '', message: failed.ErrorMessage ?? '' },
    };
  } catch (error) {
    // Deleted, or kept no longer, since it was listed.
    if (propertyOf(error, 'name') === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

function warnOfNoExecution(arn: string): void {
  const said = `durableFunctions: Lambda invoked ${arn} and named no durable execution: the function has no durable configuration`;
  warnOnce('wrong-option', arn, `${said}. A start without an answer is repeated, as an invocation of its own`);
}

function warnOfRetention(target: string, remembersSeconds: number, days: number | undefined): void {
  if (days === undefined || days * 24 * 3600 >= remembersSeconds) return;
  const said = `remembersSeconds: ${target} keeps its executions for ${days * 24 * 3600} seconds, and durableFunctions has ${remembersSeconds}`;
  warnOnce('wrong-option', target, `${said}. Set the RetentionPeriodInDays of the function, in seconds`);
}
