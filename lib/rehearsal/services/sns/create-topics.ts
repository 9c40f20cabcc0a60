import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import {
  list,
  ofType,
  placeOf,
  properties,
  property,
  type Reading,
  readOrList,
  targetFunction,
} from '../../engine/app/reading.ts';
import { list as listOf, record } from '../../engine/app/template.ts';
import type { Part } from '../../engine/parts.ts';
import type { FunctionReference } from '../../engine/provisioned.ts';
import type { SqsLocal } from '../../engine/servers/sqs-local.ts';
import { queueOf } from '../sqs/index.ts';
import type { SnsLocal } from './sns-local.ts';

export interface ProvisionedTopic extends InStack {
  readonly name: string;
  readonly arn: string;
}

/** A function that subscribes to a topic, and the queue of our own through which it gets the messages. */
export interface ProvisionedTopicFunction {
  readonly topicArn: string;
  readonly target: FunctionReference;
  readonly queue: { readonly name: string; readonly url: string; readonly arn: string };
}

export interface CreatedTopics {
  readonly topics: readonly ProvisionedTopic[];
  readonly functions: readonly ProvisionedTopicFunction[];
}

interface Creating {
  readonly reading: Reading;
  readonly sns: SnsLocal;
  readonly sqs: SqsLocal;
  readonly topics: readonly ProvisionedTopic[];
  readonly parts: readonly Part[];
  readonly functions: ProvisionedTopicFunction[];
}

/** Creates the topics of the app and their subscriptions. Those of other protocols than SQS and Lambda are listed. */
export async function createTopics(
  reading: Reading,
  { sqs, sns, parts }: Pick<Creating, 'sqs' | 'sns' | 'parts'>,
): Promise<CreatedTopics> {
  const resources = ofType(reading, 'AWS::SNS::Topic');
  const topics = resources.map((topic) => ({ ...placeOf(topic), name: topic.name, arn: topic.names.ref }));
  const creating: Creating = { reading, sns, sqs, topics, parts, functions: [] };
  for (const topic of resources) {
    await sns.createTopic(topic.name, topicAttributes(topic));
    for (const one of listOf(property(topic, 'Subscription'))) {
      await subscribe(creating, topic, { ...record(one), TopicArn: topic.names.ref });
    }
  }
  for (const subscription of ofType(reading, 'AWS::SNS::Subscription')) {
    const read = readOrList(reading, subscription, () =>
      properties(
        subscription,
        'TopicArn',
        'Protocol',
        'Endpoint',
        'RawMessageDelivery',
        'FilterPolicy',
        'FilterPolicyScope',
      ),
    );
    if (read !== undefined) await subscribe(creating, subscription, read);
  }
  return { topics, functions: creating.functions };
}

function topicAttributes(topic: Resource): Readonly<Record<string, string>> {
  const { FifoTopic, ContentBasedDeduplication } = properties(topic, 'FifoTopic', 'ContentBasedDeduplication');
  return {
    ...(String(FifoTopic) === 'true' ? { FifoTopic: 'true' } : {}),
    ...(String(ContentBasedDeduplication) === 'true' ? { ContentBasedDeduplication: 'true' } : {}),
  };
}

async function subscribe(creating: Creating, at: Resource, read: Readonly<Record<string, unknown>>): Promise<void> {
  const { reading, sns, sqs, topics, parts, functions } = creating;
  const { TopicArn, Protocol, Endpoint, RawMessageDelivery, FilterPolicy, FilterPolicyScope } = read;
  const topicArn = String(TopicArn);
  if (!topics.some(({ arn }) => arn === topicArn)) {
    list(reading, at, 'The subscription is to a topic that is not in this app.');
    return;
  }
  const attributes = {
    ...(String(RawMessageDelivery) === 'true' ? { RawMessageDelivery: 'true' } : {}),
    ...(FilterPolicy === undefined ? {} : { FilterPolicy: JSON.stringify(FilterPolicy) }),
    ...(FilterPolicyScope === undefined ? {} : { FilterPolicyScope: String(FilterPolicyScope) }),
  };
  if (Protocol === 'sqs') {
    if (queueOf(parts, Endpoint) !== undefined) await sns.subscribe(topicArn, String(Endpoint), attributes);
    else list(reading, at, 'The subscription is of a queue that is not in this app.');
    return;
  }
  if (Protocol !== 'lambda') {
    list(reading, at, `A rehearsal delivers to queues and functions, and not by ${String(Protocol)}.`);
    return;
  }
  const target = targetFunction(reading, at, Endpoint);
  if (target === undefined) return;
  const name = `rehearsal-${functions.length + 1}-${at.logicalId}`.slice(0, 80);
  const queue = { name, ...(await sqs.createQueue(name)) };
  functions.push({ topicArn, target, queue });
  await sns.subscribe(topicArn, queue.arn, { ...attributes, RawMessageDelivery: 'false' });
}
