import type { SqsOptions } from '../options.ts';
import type { SendOnceOptions } from '../send-once-options.ts';
import type { SqsTransport } from '../transport.ts';

/**
 * The options of a consumer over the lean transport.
 *
 * @example
 * const options: LeanConsumerOptions<Order> = {
 *   operation: 'send-email',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onAbandoned: 'park',
 *   sqsClient: leanSqs(),
 * };
 */
export interface LeanConsumerOptions<Body> extends SqsOptions<Body> {
  /**
   * What carries the requests: `leanSqs()` with options of its own.
   * @default `leanSqs()`
   */
  readonly sqsClient?: SqsTransport;
}

/**
 * The options of a producer over the lean transport.
 *
 * @example
 * const options: LeanProducerOptions = {
 *   operation: 'refund',
 *   store,
 *   queueUrl: process.env.REFUNDS_QUEUE_URL,
 *   sqsClient: leanSqs(),
 * };
 */
export interface LeanProducerOptions extends SendOnceOptions {
  /**
   * What carries the requests: `leanSqs()` with options of its own.
   * @default `leanSqs()`
   */
  readonly sqsClient?: SqsTransport;
}
