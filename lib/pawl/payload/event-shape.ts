import { propertyOf } from '../kernel/unknown.ts';

/** What an event looks like that a door does not understand, and what to do about it. */
export interface EventShape {
  readonly looksLike: string;
  readonly advice: string;
}

const throughQueue = 'send its events to a queue, and let the queue feed the function';
const wrapIt = 'wrap what handles one record in once()';
const wholeEvent = 'hand over the whole event, { Records: [record] }';

/** By `eventSource` of a record without `aws:`, as AWS's documentation of each service shows it; SNS writes `EventSource`. */
const sources: Readonly<Partial<Record<string, string>>> = {
  sqs: 'SQS',
  sns: 'SNS',
  s3: 'S3',
  ses: 'SES',
  kinesis: 'Kinesis',
  dynamodb: 'DynamoDB Streams',
  kafka: 'Kafka',
  SelfManagedKafka: 'Kafka',
  rmq: 'RabbitMQ',
  mq: 'ActiveMQ',
  docdb: 'DocumentDB',
};
/** Those whose events a queue can get. The others feed the function in an order, or in a batch of their own. */
const canQueue: readonly string[] = ['SNS', 'S3', 'SES'];

/** Which event it looks like, as far as its form says it. It quotes nothing of the event. */
export function shapeOf(event: unknown): EventShape {
  const records = propertyOf(event, 'Records');
  const first = Array.isArray(records) ? records[0] : event;
  const source = String(propertyOf(first, 'eventSource') ?? propertyOf(first, 'EventSource'));
  const name = sources[source.replace('aws:', '')];
  if (typeof name === 'string') {
    const toOthers = canQueue.includes(name) ? throughQueue : wrapIt;
    return shape(
      `an event of ${name}`,
      name === 'SQS' ? 'use eachMessage of pawl/sqs, or sqsOnce of pawl/middy' : toOthers,
    );
  }
  const request = propertyOf(event, 'requestContext');
  if (has(event, 'httpMethod') || has(request, 'http')) {
    return shape('a request of HTTP', 'use onceOverHttp or httpOnce of pawl/http');
  }
  if (has(request, 'connectionId')) return shape('a message of a WebSocket API', wrapIt);
  if (has(event, 'detail-type')) return shape('an event of EventBridge', throughQueue);
  if (has(event, 'Messages')) return shape('a response of ReceiveMessage', 'let Lambda poll the queue');
  if (has(event, 'receiptHandle')) return shape('one record of SQS', wholeEvent);
  if (Array.isArray(event)) return shape('a list', wholeEvent);
  const type = event === null ? 'null' : typeof event;
  if (type !== 'object') return shape(`a value of type ${type}`, 'hand over the event of Lambda');
  return shape('an object of another form', wrapIt);
}

function shape(looksLike: string, advice: string): EventShape {
  return { looksLike, advice };
}

function has(value: unknown, name: string): boolean {
  return propertyOf(value, name) !== undefined;
}
