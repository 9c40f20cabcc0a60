import type { SQSClient } from '@aws-sdk/client-sqs';
import { type ClaimOptions, expect, expectNumber } from '../core/options.ts';
import type { MessageKey } from './keys.ts';
import type { BodySchema } from './message.ts';

/** The options of every SQS consumer. */
export interface SqsOptions<Body> extends ClaimOptions {
  /** The stable identity of the intended effect: `bodyField('orderId')`, or any function of the message. */
  readonly key: MessageKey<Body>;
  /** Checks and types the body: any schema of a library that follows Standard Schema. What does not match never runs. */
  readonly schema?: BodySchema<Body>;
  /**
   * How many messages of a batch are worked on at once.
   * @default 10
   */
  readonly concurrency?: number;
  /**
   * What becomes of a duplicate whose first copy is still running. `'defer'`: back to the queue until the lease can have
   * ended. `'discard'`: acknowledged at once; if the first copy's worker dies, only its own redelivery is left.
   * @default 'defer'
   */
  readonly onInFlight?: 'defer' | 'discard';
  /**
   * Where messages go that can never run, with the reason as message attributes.
   * @default none: they fail until the queue's own redrive policy moves them
   */
  readonly deadLetterQueueUrl?: string | undefined;
  /**
   * A client of your own for SQS.
   * @default one is made when it is first needed
   */
  readonly sqsClient?: SQSClient;
}

/** The part of the options that only the SQS adapter reads, after defaults and validation. */
export interface SqsSettings<Body> {
  readonly key: MessageKey<Body>;
  readonly schema: BodySchema<Body> | undefined;
  readonly concurrency: number;
  readonly onInFlight: 'defer' | 'discard';
  readonly deadLetterQueueUrl: string | undefined;
}

/** @throws OptionError */
export function sqsSettingsOf<Body>(options: SqsOptions<Body>): SqsSettings<Body> {
  const { key, schema, concurrency = 10, onInFlight = 'defer', deadLetterQueueUrl } = options;
  expect(typeof key === 'function', 'key', "a function of the message, e.g. bodyField('orderId')", key);
  expect(
    schema === undefined || typeof schema?.['~standard']?.validate === 'function',
    'schema',
    'a schema that follows Standard Schema, e.g. of Valibot or Zod',
    schema,
  );
  expectNumber('concurrency', concurrency, 1, 10_000);
  expect(onInFlight === 'defer' || onInFlight === 'discard', 'onInFlight', "'defer' or 'discard'", onInFlight);
  expect(
    deadLetterQueueUrl === undefined || /^https?:\/\//.test(deadLetterQueueUrl),
    'deadLetterQueueUrl',
    'the URL of an SQS queue',
    deadLetterQueueUrl,
  );
  return { key, schema, concurrency, onInFlight, deadLetterQueueUrl };
}
