import type { sqsOnce } from '../../../lib/middy/index.ts';
import type { createConsumer, Runnable } from '../../../lib/sqs/consumer.ts';
import type { Fate } from '../../../lib/sqs/fate.ts';

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

/** A breakage to be found: a message whose key another one of its batch has asked for with another intent does not ask the record. */
export function decidingByMates(original: typeof createConsumer, keyReused: Fate): typeof createConsumer {
  return <Body>(options: Parameters<typeof createConsumer<Body>>[0]) => {
    const consumer = original<Body>(options);
    const strangers = new WeakSet<object>();

    const receive: typeof consumer.receive = <One extends Runnable<Body>>(
      ...args: Parameters<typeof consumer.receive<One>>
    ) => {
      const received = consumer.receive<One>(...args);
      return {
        ...received,
        meet(one: One) {
          const met = received.meet(one);
          if (met.rival) strangers.add(one);
          return met;
        },
      };
    };

    const acquire: typeof consumer.acquire = async (one, ...rest) =>
      strangers.has(one) ? { kind: 'refused', fate: keyReused } : consumer.acquire(one, ...rest);

    return { ...consumer, receive, acquire };
  };
}

/** A breakage to be found: a body that is no text any more is looked at all the same. */
export function takingParsedBodies(original: typeof createConsumer): typeof createConsumer {
  return <Body>(options: Parameters<typeof createConsumer<Body>>[0]) => {
    const consumer = original<Body>(options);

    const receive: typeof consumer.receive = <One extends Runnable<Body>>(
      ...[event, context]: Parameters<typeof consumer.receive<One>>
    ) => {
      const Records = event.Records.map((record) => ({ ...record, body: String(record.body) }));
      return { ...consumer.receive<One>({ ...event, Records }, context), records: event.Records };
    };

    return { ...consumer, receive };
  };
}
