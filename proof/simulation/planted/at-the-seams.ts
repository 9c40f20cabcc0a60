import type { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { BatchMates, Encounter, Mate } from '../../../lib/pawl/sqs/batch-mates.ts';
import type { claimMessage } from '../../../lib/pawl/sqs/claim-message.ts';
import { keyReused } from '../../../lib/pawl/sqs/disposition.ts';
import type { receive } from '../../../lib/pawl/sqs/receive.ts';

/** A breakage to be found: what `sqsOnce` had handed on is what a middleware around it sees, with an answer for Lambda only. */
export function leavingWhatWasHandedOn(original: typeof sqsOnce): typeof sqsOnce {
  return (options) => {
    const middleware = original(options);
    type Request = Parameters<NonNullable<typeof middleware.after>>[0];
    const leaving = (hook: ((request: Request) => unknown) | undefined) => async (request: Request) => {
      const { event } = request;
      await hook?.(request);
      request.event = event;
      const { batchItemFailures } = Object(request.response);
      if (batchItemFailures !== undefined) request.response = { batchItemFailures };
    };
    return { ...middleware, after: leaving(middleware.after), onError: leaving(middleware.onError) };
  };
}

/**
 * A breakage to be found, in two parts: a message whose key another one of its batch has asked for with another intent does not ask the record.
 *
 * @param strangers where such messages are kept, from the first part for the second
 */
export function notingStrangers(mates: typeof BatchMates, strangers: WeakSet<object>): typeof BatchMates {
  return class<One extends Mate> extends mates<One> {
    override meet(one: One): Encounter<One> {
      const encounter = super.meet(one);
      if (encounter.kind === 'other-intent') strangers.add(one);
      return encounter;
    }
  };
}

export function refusingStrangers(original: typeof claimMessage, strangers: WeakSet<object>): typeof claimMessage {
  return async (consumer, one, ...rest) =>
    strangers.has(one) ? { kind: 'refused', disposition: keyReused } : original(consumer, one, ...rest);
}

/** A breakage to be found: a body that is no text any more is looked at all the same. */
export function takingParsedBodies(original: typeof receive): typeof receive {
  return (host, event, context) => {
    const Records = event.Records.map((record) => ({ ...record, body: String(record.body) }));
    return original(host, { ...event, Records }, context);
  };
}
