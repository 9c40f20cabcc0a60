import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import { type Part, part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { type Poller, type QueueFaults, type QueueMapping, readQueueMapping, startPoller } from './consumers.ts';
import { createQueues, type ProvisionedQueue } from './create-queues.ts';
import { types } from './rules.ts';

export type QueuePart = Part<'queue', ProvisionedQueue, ProvisionedQueue>;
type ConsumerPart = Part<'consumer', Poller, Poller>;

export const sqs: Service<QueuePart | ConsumerPart, QueueFaults, 'sqs'> = {
  types: types,
  page: [
    '| queue | FIFO, visibility, delay, redrive policy and redrive allow policy | retention under a day; deduplication by message group | a dead-letter queue that SQS would refuse |',
    '| mapping of a queue | batch size and window, partial responses, filters, maximum concurrency, `Enabled` | provisioned pollers; a filter by another key than `body` | a function that is not run |',
  ],
  finds: { queue: 'queue', consumer: 'consumer' },
  endpoint: { name: 'sqs', title: 'SQS', server: ({ sqs: local }) => local.endpoint },
  destination: {
    arnService: 'sqs',
    async send({ sqs: local }, { name, text, attributes, groupId }) {
      await local.client.send(
        new SendMessageCommand({
          QueueUrl: local.address(name).url,
          MessageBody: text,
          MessageAttributes: stringAttributes(attributes),
          ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
        }),
      );
    },
  },
  async provision({ reading, servers }) {
    const queues = await createQueues(reading, servers.sqs);
    const mappings: QueueMapping[] = [];
    return {
      parts: queues.map((queue) => part('queue', queue)),
      source: {
        called: 'queue',
        at(wanted) {
          const queue = queues.find(({ arn }) => arn === wanted);
          return queue && ((...mapping) => mappings.push(readQueueMapping(...mapping, queue)));
        },
      },
      async start(at, faults) {
        const consumers: ConsumerPart[] = [];
        for (const mapping of mappings) {
          consumers.push(part('consumer', await startPoller(at, faults, mapping, { mappings, queues })));
        }
        return consumers;
      },
    };
  },
};

/** The queue of an ARN, among the parts of an app. */
export function queueOf(parts: readonly Part[], wanted: unknown): ProvisionedQueue | undefined {
  return parts.filter(isQueue).find(({ item }) => item.arn === wanted)?.item;
}

function isQueue(one: Part): one is QueuePart {
  return one.kind === 'queue';
}

function stringAttributes(attributes: Readonly<Record<string, string>>): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
}
