import type { SqsOptions } from '../options.ts';
import type { SendOnceOptions } from '../send-once-options.ts';
import type { SqsTransport } from '../transport.ts';

/** The options of a consumer over the lean transport. */
export interface LeanConsumerOptions<Body> extends SqsOptions<Body> {
  /** @default `leanSqs()` */
  readonly sqsClient?: SqsTransport;
}

/** The options of a producer over the lean transport. */
export interface LeanProducerOptions extends SendOnceOptions {
  /** @default `leanSqs()` */
  readonly sqsClient?: SqsTransport;
}
