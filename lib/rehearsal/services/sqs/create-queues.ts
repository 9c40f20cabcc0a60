import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { ofType, placeOf, type Reading, refuse } from '../../engine/app/reading.ts';
import { list, optionalNumber, record } from '../../engine/app/template.ts';
import type { SqsLocal } from '../../engine/servers/sqs-local.ts';

export interface ProvisionedQueue extends InStack {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  /** The ARN of the queue that takes what was received too often. */
  readonly deadLetterArn: string | undefined;
  /** How often it may be received before that. */
  readonly maxReceiveCount: number | undefined;
  readonly visibilitySeconds: number;
  /** For how long it keeps a message. */
  readonly retentionSeconds: number;
}

/** Creates the queues of the app. */
export async function createQueues(reading: Reading, sqs: SqsLocal): Promise<readonly ProvisionedQueue[]> {
  const resources = ofType(reading, 'AWS::SQS::Queue');
  const queues = await Promise.all(resources.map((queue) => createQueue(queue, sqs)));
  for (const queue of queues) checkDeadLetters(reading, queue, queues);
  return queues;
}

async function createQueue(resource: Resource, sqs: SqsLocal): Promise<ProvisionedQueue> {
  const { name, scope, properties } = resource;
  const attributes = queueAttributes(record(scope.resolver.resolve(withoutTags(properties))));
  const { url, arn } = await sqs.createQueue(name, attributes);
  const redrive = record(JSON.parse(attributes['RedrivePolicy'] ?? '{}'));
  const target = redrive['deadLetterTargetArn'];
  return {
    ...placeOf(resource),
    name,
    url,
    arn,
    deadLetterArn: typeof target === 'string' ? target : undefined,
    maxReceiveCount: optionalNumber(redrive['maxReceiveCount']),
    visibilitySeconds: Number(attributes['VisibilityTimeout'] ?? 30),
    retentionSeconds: Number(attributes['MessageRetentionPeriod'] ?? 4 * 86_400),
  };
}

/** None is an attribute of the API. A key of encryption may be one that exists in AWS alone. */
const notAnAttribute = new Set(['QueueName', 'Tags', 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds']);

function withoutTags(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !notAnAttribute.has(name)));
}

function queueAttributes(properties: Readonly<Record<string, unknown>>): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || (name === 'FifoQueue' && String(value) === 'false')) continue;
    attributes[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return attributes;
}

/** What SQS itself refuses when it gets the redrive policy, and the local server accepts. */
function checkDeadLetters(reading: Reading, queue: ProvisionedQueue, queues: readonly ProvisionedQueue[]): void {
  if (queue.deadLetterArn === undefined) return;
  const resource = resourceOf(reading, queue);
  const target = queues.find(({ arn }) => arn === queue.deadLetterArn);
  if (target === undefined) {
    refuse(reading, resource, `Its dead-letter queue ${queue.deadLetterArn} is no queue of this app.`, 'RedrivePolicy');
    return;
  }
  if (target.name.endsWith('.fifo') !== queue.name.endsWith('.fifo')) {
    refuse(
      reading,
      resource,
      'SQS wants a FIFO queue behind a FIFO queue, and a standard one behind a standard one.',
      'RedrivePolicy',
    );
  }
  const { RedriveAllowPolicy } = resourceOf(reading, target).properties;
  const policy = record(resourceOf(reading, target).scope.resolver.resolve(RedriveAllowPolicy));
  const sources = list(policy['sourceQueueArns']);
  const denied = policy['redrivePermission'] === 'denyAll';
  if (denied || (policy['redrivePermission'] === 'byQueue' && !sources.includes(queue.arn))) {
    refuse(
      reading,
      resource,
      `The policy of ${target.construct} does not allow this queue to send its dead letters there.`,
      'RedrivePolicy',
    );
  }
}

function resourceOf(reading: Reading, { stack, logicalId }: ProvisionedQueue): Resource {
  const found = reading.resources.find((one) => one.stack === stack && one.logicalId === logicalId);
  if (found === undefined) throw new Error(`The template of ${stack} has no ${logicalId}.`);
  return found;
}
