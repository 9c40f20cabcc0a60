import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { expectNoUnitTest } from '../kernel/unit-test.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { atInitialisation } from './at-initialisation.ts';
import type { Aws, SqsTransport } from './aws.ts';
import { sdkDynamo } from './sdk-dynamodb.ts';

/**
 * The options of `sdk`.
 *
 * @example
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
 *
 * const options: SdkOptions = { dynamodb: new DynamoDBClient({ region: 'eu-central-1' }) };
 */
export interface SdkOptions {
  /**
   * A client of your own, e.g. with tracing.
   * @default the SDK's client, which gives up on a request after 3 seconds, and tries 4 times
   */
  readonly dynamodb?: DynamoDBClient;
  /**
   * A client of your own. With an endpoint of your own, set its `useQueueUrlAsEndpoint` to false: the host in the URL of a queue is AWS's.
   * @default the SDK's client, made when it is first needed
   */
  readonly sqs?: SQSClient;
}

const known = { dynamodb: true, sqs: true } as const satisfies NamesOf<SdkOptions>;

/**
 * The way to AWS over the clients of its SDK, yours or new ones. The client of SQS is loaded at the first request that needs it: a message that waits, a
 * dead letter, one that is sent.
 *
 * @throws OptionError when an option is no client
 * @example
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
 *
 * const aws = sdk({ dynamodb: new DynamoDBClient({ region: 'eu-central-1' }) });
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE, aws });
 */
export function sdk(options: SdkOptions = {}): Aws {
  expectOptions(options, { door: 'sdk', known, docs: 'docs/guides/aws.md' });
  const { dynamodb = defaultDynamo(), sqs } = options;
  expect(typeof dynamodb?.send === 'function', 'dynamodb', 'a DynamoDBClient of the AWS SDK', dynamodb);
  expect(sqs === undefined || typeof sqs?.send === 'function', 'sqs', 'an SQSClient of the AWS SDK', sqs);
  let opened: Promise<SqsTransport> | undefined;
  const requests = sdkDynamo(dynamodb);
  return {
    dynamodb: {
      ...requests,
      async call(operation, input) {
        if (options.dynamodb === undefined) expectNoUnitTest('dynamodb');
        return requests.call(operation, input);
      },
    },
    sqs: {
      async call(operation, input, request) {
        if (sqs === undefined) expectNoUnitTest('sqs');
        opened ??= import('./sdk-sqs.ts').then(({ sdkSqs }) => sdkSqs(sqs));
        return (await opened).call(operation, input, request);
      },
    },
  };
}

function defaultDynamo(): DynamoDBClient {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
  atInitialisation((abortSignal) =>
    client.send(new PutItemCommand({ TableName: 'claims', Item: {} }), { abortSignal }),
  );
  return client;
}
