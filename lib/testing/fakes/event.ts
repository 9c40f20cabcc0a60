/** A record as Lambda hands it over. It fits the types of `@types/aws-lambda`. */
export interface FakeRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    SenderId: string;
    ApproximateFirstReceiveTimestamp: string;
  };
  messageAttributes: Record<string, never>;
  md5OfBody: string;
  eventSource: string;
  eventSourceARN: string;
  awsRegion: string;
}

/** Lambda's context. It fits the types of `@types/aws-lambda`. */
export interface FakeContext {
  callbackWaitsForEmptyEventLoop: boolean;
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  awsRequestId: string;
  logGroupName: string;
  logStreamName: string;
  getRemainingTimeInMillis(): number;
  done(): void;
  fail(): void;
  succeed(): void;
}

const region = 'us-east-1';
let messages = 0;

export function fakeEvent(...bodies: readonly unknown[]): { Records: FakeRecord[] } {
  return { Records: bodies.map(recordOf) };
}

function recordOf(body: unknown): FakeRecord {
  const number = ++messages;
  const at = String(Date.now());
  return {
    messageId: `message-${number}`,
    receiptHandle: `receipt-${number}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: at,
      SenderId: 'AROAEXAMPLEEXAMPLEEXA:producer',
      ApproximateFirstReceiveTimestamp: at,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${region}:000000000000:queue`,
    awsRegion: region,
  };
}

export function fakeContext(remainingMs: number): FakeContext {
  const endsAt = Date.now() + remainingMs;
  const ignored = () => undefined;
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'function',
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:000000000000:function:function`,
    memoryLimitInMB: '256',
    awsRequestId: 'request',
    logGroupName: '/aws/lambda/function',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => endsAt - Date.now(),
    done: ignored,
    fail: ignored,
    succeed: ignored,
  };
}
