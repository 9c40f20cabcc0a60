import type { SQSClient } from '@aws-sdk/client-sqs';
import { type LeanOptions, leanService } from '../../aws/lean-service.ts';
import { OptionError } from '../../kernel/errors.ts';
import { isSqsTransport, type SqsTransport } from '../transport.ts';
import { leanTransport, sqs } from './lean-transport.ts';

/**
 * The options of `leanSqs`.
 *
 * @example
 * const options: LeanSqsOptions = { region: 'eu-central-1', endpoint: 'http://localhost:4566' };
 */
export interface LeanSqsOptions extends LeanOptions {
  /**
   * The URL of SQS. The host in the URL of a queue does not count.
   * @default `AWS_ENDPOINT_URL_SQS`, `AWS_ENDPOINT_URL`, or SQS's endpoint in the region
   */
  readonly endpoint?: string;
}

/** A transport over connections of its own. */
export interface LeanSqs extends SqsTransport {
  /** Closes its connections. A Lambda function does not need it. */
  destroy(): void;
}

/**
 * Carries pawl's requests to SQS without the AWS SDK, for a shorter cold start: visibilities, dead letters and the messages of `sendOnce`. It is not a
 * client for the queues of an application. Needs the package `aws4`, which signs.
 *
 * It sends a request up to 3 times, 3 seconds each, and 12 seconds in all, after the errors for which the SDK would send it again.
 *
 * @throws OptionError at once when an option is wrong; at the first call when there is no region
 * @example
 * const sqsClient = leanSqs({ region: 'eu-west-1' });
 */
export function leanSqs(options: LeanSqsOptions = {}): LeanSqs {
  const { send, destroy } = leanService(sqs, 'leanSqs', options);
  return { ...leanTransport(send), destroy };
}

/** The way to SQS of the lean doors: the author's transport, or one of their own. @throws OptionError */
export function leanQueues(client: SQSClient | SqsTransport | undefined = leanSqs()): SqsTransport {
  if (isSqsTransport(client)) return client;
  const got = typeof client === 'object' ? 'another client' : `a value of type ${typeof client}`;
  throw new OptionError(
    `sqsClient: expected leanSqs(); got ${got}. For the AWS SDK's client, import the same function without /lean`,
  );
}
