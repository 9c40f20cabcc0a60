import { propertyOf } from '../kernel/unknown.ts';

/**
 * Where AWS delivers several records at once, and what says that it is AWS that delivers them: a text of the event, or of each record. An author's own
 * input may have a list of any of these names, and is none of these events.
 */
const batches: readonly (readonly [list: string, ofEvent: string | undefined, ofRecord: string | undefined])[] = [
  // SQS, SNS, S3, SES, Kinesis, DynamoDB Streams
  ['Records', undefined, 'eventSource'],
  ['Records', undefined, 'EventSource'],
  // SQS, as tests write it
  ['Records', undefined, 'receiptHandle'],
  // ReceiveMessage of SQS
  ['Messages', undefined, 'ReceiptHandle'],
  // Firehose
  ['records', 'invocationId', 'recordId'],
  // Kafka, ActiveMQ, RabbitMQ, DocumentDB
  ['records', 'eventSource', undefined],
  ['messages', 'eventSource', undefined],
  ['rmqMessagesByQueue', 'eventSource', undefined],
  ['events', 'eventSource', undefined],
];

/** How many records of AWS stand in an input: 0 where it is no event that can hold several. */
export function recordsIn(input: unknown): number {
  // The list alone, as a function hands it on: of records, or of messages received.
  const event = Array.isArray(input) ? { Records: input, Messages: input } : input;
  const counts = batches.map(([list, ofEvent, ofRecord]) => {
    if (!isMarked(event, ofEvent)) return 0;
    const records = elementsOf(propertyOf(event, list));
    return records.every((record) => isMarked(record, ofRecord)) ? records.length : 0;
  });
  return Math.max(...counts);
}

/** A list, or several under names: the records of a topic's partitions, the messages of a queue. */
function elementsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? value : Object.values(value).flatMap((one) => (Array.isArray(one) ? one : []));
}

/** What AWS writes there. A source of its own begins with `aws:`, but for one. */
function isMarked(value: unknown, name: string | undefined): boolean {
  if (name === undefined) return true;
  const mark = propertyOf(value, name);
  if (typeof mark !== 'string') return false;
  return !/^eventSource$/i.test(name) || mark.startsWith('aws:') || mark === 'SelfManagedKafka';
}
