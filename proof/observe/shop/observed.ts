import { dynamoStore as storeAsWritten } from 'pawl/dynamodb';
import { eachMessage as asWritten, type Message, type MessageHandler, type SqsOptions } from 'pawl/sqs';

/*
 * What the functions of the shop get in place of pawl while the campaign observes them: its consumers under `mode: 'observe'`, and of all else what they get
 * without pawl, `shop/protection/unprotected.ts`. A handler has the claim that it has there, but for the mark of its effect.
 */

export { bodyField, deadLetterQueue, eventBridgeEnvelope, sentKey } from 'pawl/sqs';
export * from '../../../shop/protection/unprotected.ts';

/** Over the table of the app, or over one that was never there. */
export function dynamoStore(options: Parameters<typeof storeAsWritten>[0]) {
  return storeAsWritten({ ...options, tableName: process.env['OBSERVED_TABLE'] ?? options.tableName });
}

interface Context {
  getRemainingTimeInMillis(): number;
}

export function eachMessage<Body>(options: SqsOptions<Body>, handle: MessageHandler<Body>) {
  let context: Context | undefined;
  const remainingMs = () => context?.getRemainingTimeInMillis() ?? 0;
  const claimOf = ({ record: { messageId } }: Message<Body>) => ({
    ...{ operation: options.operation, key: messageId, effectKey: messageId, attempt: 1, fence: 1, remainingMs },
    signal: AbortSignal.timeout(Math.max(1, remainingMs() - 250)),
  });
  const observed = asWritten<Body>(
    {
      ...options,
      // A policy decides nothing here, and what one of the shop asks its provider by is not there without pawl.
      onAbandoned: 'park',
      mode: 'observe',
      observeWaitMs: 4000,
      // Without pawl, all of a batch run at once.
      concurrency: 10,
      onEvent: ({ type, id }) => {
        if (type === 'unseen') console.log(JSON.stringify({ unseen: id }));
      },
    },
    (message, claim) =>
      // By its mark pawl knows whether an effect has begun.
      handle(message, { ...claimOf(message), effect: (start) => claim.effect(start) } as Parameters<typeof handle>[1]),
  );
  return (event: Parameters<typeof observed>[0], given: Context & Parameters<typeof observed>[1]) => {
    context = given;
    return observed(event, given);
  };
}
