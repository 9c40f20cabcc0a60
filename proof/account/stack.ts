import {
  type CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { type Resources, template } from './template.ts';

/** On everything that the run makes, so that what an accident leaves behind can be found. */
export const tags = [
  { Key: 'pawl', Value: 'verify-account' },
  { Key: 'temporary', Value: 'true' },
];

const mostSeconds = 600;

/** Creates the stack. @throws Error with CloudFormation's reason */
export async function createStack(client: CloudFormationClient, StackName: string): Promise<void> {
  await client.send(
    new CreateStackCommand({
      StackName,
      TemplateBody: JSON.stringify(template),
      Capabilities: ['CAPABILITY_IAM'],
      Tags: tags,
      OnFailure: 'DO_NOTHING',
    }),
  );
}

/** Waits until the stack is complete, and returns what is in it. */
export async function stackResources(
  client: CloudFormationClient,
  StackName: string,
  abortSignal: AbortSignal,
): Promise<Resources> {
  try {
    await waitUntilStackCreateComplete(
      { client, maxWaitTime: mostSeconds, minDelay: 2, maxDelay: 5, abortSignal },
      { StackName },
    );
  } catch (error) {
    if (abortSignal.aborted) throw error;
    throw new Error(`The stack was not created: ${await reasonOf(client, StackName)}`, { cause: error });
  }
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const value = (name: keyof Resources): string => {
    const found = outputs.get(name);
    if (found === undefined) throw new Error(`The stack ${StackName} has no output ${name}.`);
    return found;
  };
  return {
    Table: value('Table'),
    Queue: value('Queue'),
    QueueArn: value('QueueArn'),
    DeadLetters: value('DeadLetters'),
    DeadLettersArn: value('DeadLettersArn'),
    ShortQueueArn: value('ShortQueueArn'),
    ByStatement: value('ByStatement'),
    ByItem: value('ByItem'),
    ByKey: value('ByKey'),
    Worker: value('Worker'),
  };
}

async function reasonOf(client: CloudFormationClient, StackName: string): Promise<string> {
  try {
    const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
    const failed = StackEvents.findLast(({ ResourceStatus }) => ResourceStatus === 'CREATE_FAILED');
    return failed === undefined ? 'it took too long' : `${failed.LogicalResourceId}: ${failed.ResourceStatusReason}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Deletes the stack with all that is in it, whatever state it is in, and waits for that. */
export async function deleteStack(client: CloudFormationClient, StackName: string): Promise<void> {
  await client.send(new DeleteStackCommand({ StackName }));
  await waitUntilStackDeleteComplete({ client, maxWaitTime: mostSeconds, minDelay: 2, maxDelay: 5 }, { StackName });
}
