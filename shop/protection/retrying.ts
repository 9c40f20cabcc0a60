import { eachMessage as asWritten, type MessageHandler, type SqsOptions } from 'pawl/sqs';

/*
 * What the functions of the app get in place of `lib/pawl/sqs` in `npm start -- --retry`: the same, but for the policy.
 */
export * from 'pawl/sqs';

/** A consumer under `onAbandoned: 'retry'`, whatever its author chose. */
export function eachMessage<Body>(options: SqsOptions<Body>, handle: MessageHandler<Body>) {
  return asWritten<Body>({ ...options, onAbandoned: 'retry' }, handle);
}
