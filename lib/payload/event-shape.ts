import { propertyOf } from '../kernel/unknown.ts';

/** What an event looks like that a door does not understand, and what to do about it. */
export interface EventShape {
  readonly looksLike: string;
  readonly advice: string;
}

const throughQueue = 'put a queue between the two, and let the queue feed the function';

/** By `eventSource` of a record, as AWS's documentation of each service shows it; SNS writes `EventSource`. */
const bySource: Readonly<Partial<Record<string, EventShape>>> = {
  'aws:sns': {
    looksLike: 'an event of SNS',
    advice: 'subscribe the queue to the topic, and let the queue feed the function',
  },
  'aws:sqs': { looksLike: 'an event of SQS', advice: 'use eachMessage of pawl/sqs, or sqsOnce of pawl/middy' },
  'aws:s3': { looksLike: 'an event of S3', advice: throughQueue },
  'aws:kinesis': { looksLike: 'an event of Kinesis', advice: 'wrap what handles one record in once()' },
  'aws:dynamodb': { looksLike: 'an event of DynamoDB Streams', advice: 'wrap what handles one record in once()' },
  'aws:kafka': { looksLike: 'an event of Kafka', advice: 'wrap what handles one record in once()' },
  SelfManagedKafka: { looksLike: 'an event of Kafka', advice: 'wrap what handles one record in once()' },
  'aws:rmq': { looksLike: 'an event of RabbitMQ', advice: 'wrap what handles one message in once()' },
  'aws:mq': { looksLike: 'an event of ActiveMQ', advice: 'wrap what handles one message in once()' },
  'aws:ses': { looksLike: 'an event of SES', advice: throughQueue },
};

/** Which event it looks like, as far as its form says it. It quotes nothing of the event. */
export function shapeOf(event: unknown): EventShape {
  const records = propertyOf(event, 'Records');
  const first = Array.isArray(records) ? records[0] : undefined;
  for (const said of [
    propertyOf(first, 'eventSource'),
    propertyOf(first, 'EventSource'),
    propertyOf(event, 'eventSource'),
  ]) {
    const shape = typeof said === 'string' ? bySource[said] : undefined;
    if (shape !== undefined) return shape;
  }
  if (has(event, 'httpMethod') || has(propertyOf(event, 'requestContext'), 'http')) {
    return { looksLike: 'a request of HTTP', advice: 'use onceOverHttp or httpOnce of pawl/http' };
  }
  if (has(propertyOf(event, 'requestContext'), 'connectionId')) {
    return { looksLike: 'a message of a WebSocket API', advice: 'wrap what handles one message in once()' };
  }
  if (has(event, 'detail-type')) {
    return {
      looksLike: 'an event of EventBridge',
      advice: 'make the queue the target of the rule, and let the queue feed the function',
    };
  }
  if (has(event, 'receiptHandle')) {
    return { looksLike: 'one record of SQS', advice: 'hand over the whole event, { Records: [record] }' };
  }
  if (has(event, 'Messages')) {
    return {
      looksLike: 'a response of ReceiveMessage',
      advice: 'let Lambda poll the queue, or wrap what handles one message in once()',
    };
  }
  if (Array.isArray(event)) return { looksLike: 'a list', advice: 'hand over the whole event, { Records: [record] }' };
  if (typeof event !== 'object' || event === null) {
    return {
      looksLike: event === null ? 'null' : `a value of type ${typeof event}`,
      advice: 'hand over the event of Lambda',
    };
  }
  return { looksLike: 'an object of another form', advice: 'wrap a function that is called otherwise in once()' };
}

function has(value: unknown, name: string): boolean {
  return propertyOf(value, name) !== undefined;
}
