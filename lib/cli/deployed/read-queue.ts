import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueFacts, Statement } from 'pawl/deployment';
import { queueUrlOf } from '../queue-url.ts';
import { orUndefined } from './or-undefined.ts';

/** A queue, and what its own policy says. */
export interface ReadQueue extends QueueFacts {
  readonly policy: readonly Statement[];
}

export async function readQueue(sqs: SQSClient, arn: string): Promise<ReadQueue | undefined> {
  const name = arn.split(':')[5] ?? '';
  return orUndefined(async () => {
    const QueueUrl = await queueUrlOf(sqs, arn);
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    const redrive = documentIn(Attributes.RedrivePolicy);
    return {
      name,
      arn,
      fifo: Attributes.FifoQueue === 'true',
      visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout),
      retentionSeconds: Number(Attributes.MessageRetentionPeriod),
      maxReceiveCount: redrive === undefined ? 'none' : Number(redrive['maxReceiveCount']),
      redriveArn: redrive === undefined ? undefined : String(redrive['deadLetterTargetArn']),
      redriveAllowedFor: allowedBy(documentIn(Attributes.RedriveAllowPolicy)),
      policy: statementsIn(documentIn(Attributes.Policy)),
    };
  });
}

type Document = Readonly<Record<string, unknown>>;

function documentIn(text: string | undefined): Document | undefined {
  return text === undefined || text === '' ? undefined : JSON.parse(text);
}

function allowedBy(policy: Document | undefined): readonly string[] | undefined {
  switch (policy?.['redrivePermission']) {
    case 'denyAll':
      return [];
    case 'byQueue':
      return [policy['sourceQueueArns']].flat().map(String);
    default:
      return undefined;
  }
}

function statementsIn(policy: Document | undefined): readonly Statement[] {
  return [policy?.['Statement'] ?? []]
    .flat()
    .filter((one): one is Statement => typeof one === 'object' && one !== null);
}
