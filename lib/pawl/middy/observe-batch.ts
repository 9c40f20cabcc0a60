import { type Run, sayUnwatchable, Watch } from '../engine/observe/observer.ts';
import { explainedError } from '../kernel/errors.ts';
import { answeredBy } from '../kernel/request.ts';
import { openAll } from '../payload/envelopes/envelope.ts';
import type { QueueDoor } from '../sqs/consumer.ts';
import type { SqsEvent, SqsRecord } from '../sqs/event.ts';
import { sealedIn } from '../sqs/message.ts';
import { deliveredAs, identityIn, sayUnreadable } from '../sqs/observe-message.ts';
import { type Reading, readBody } from '../sqs/prepare.ts';
import type { Context, Request } from './middy-types.ts';
import { keepOpened } from './opened-message.ts';
import { resultsOfThrow, understand } from './responses.ts';

/**
 * A batch whose keys are all only observed: the handler gets the very event, and Middy the very response and error.
 *
 * Owns: what is read of the event before the handler, and of its response after it. Does not own: what becomes of the messages, which is the handler's and other
 * middlewares' alone.
 */
export interface ObservedBatch {
  /** The handler has returned this. As all of these, it resolves when what was seen is written, or need not be waited for any more, and never rejects. */
  readonly responded: (response: unknown) => Promise<void>;
  readonly threw: (error: unknown) => Promise<void>;
}

interface ObservedRecord {
  readonly record: SqsRecord;
  readonly run: Run;
}

/** Watches a batch, from here on. Never throws, and waits for nothing but the opening of envelopes, where the consumer has some. */
export async function observeBatch<Body>(
  consumer: QueueDoor<Body>,
  request: Request<SqsEvent>,
): Promise<ObservedBatch> {
  const { event, context } = request;
  const { engine, settings } = consumer;
  const watch = new Watch(engine);
  const deadline = deadlineIn(settings.host.now(), context);
  const given: unknown = event?.Records;
  const records: readonly SqsRecord[] = Array.isArray(given) ? given : [];
  const begin = async (record: SqsRecord): Promise<ObservedRecord> => {
    const known = await knownOf(consumer, record, deadline);
    return { record, run: watch.begin(known, { delivered: deliveredAs(record), deadline }) };
  };
  const observed = await Promise.all(records.map(begin)).catch((error: unknown) => {
    sayUnwatchable(engine, error, 'would-dead-letter');
    return [];
  });

  return {
    responded(response) {
      const results = understand(response, {
        messageIds: observed.map(({ record }) => record.messageId),
        copies: observed.map(({ record }) => record),
        left: Array.isArray(request.event?.Records) ? request.event.Records : records,
        finish: () => undefined,
      });
      for (const [place, { run }] of observed.entries()) {
        const { status, value, reason } = results.of(place);
        if (status === 'fulfilled') run.returned(value);
        else run.threw(reason);
      }
      return watch.end(deadline);
    },
    threw(error) {
      const results = resultsOfThrow(error, observed.length);
      // One that may still be at work has not ended: it is in flight until its time is over.
      for (const [place, { run }] of observed.entries()) {
        const { status, reason } = results.of(place);
        if (status === 'rejected') run.threw(reason);
      }
      return watch.end(deadline);
    },
  };
}

async function knownOf<Body>(consumer: QueueDoor<Body>, record: SqsRecord, deadline: number | undefined) {
  const { envelopes, settings } = consumer;
  const { host } = settings;
  try {
    if (typeof record.body !== 'string')
      throw explainedError(TypeError, 'the body was parsed before pawl saw it', 'parsed-body');
    const sealed = sealedIn(record);
    // What is in an envelope, a handler may ask for: `openedMessage`. Whatever else takes its time is left unseen.
    const until = envelopes === undefined ? host.now() + settings.observeWaitMs : (deadline ?? Infinity);
    const reading: Reading = { stage: 'envelope' };
    const open = async () => {
      const [opened = sealed] = envelopes === undefined ? [sealed] : await openAll(envelopes, sealed, { host, until });
      return readBody(consumer, { record }, opened, reading);
    };
    const read = await answeredBy(host, until, open());
    keepOpened(record, read.message);
    return identityIn(consumer, read, reading);
  } catch (error) {
    sayUnreadable(consumer, error);
    return undefined;
  }
}

function deadlineIn(now: number, context: Context | undefined): number | undefined {
  try {
    const remainingMs: unknown = context?.getRemainingTimeInMillis?.();
    return typeof remainingMs === 'number' && Number.isFinite(remainingMs) ? now + remainingMs : undefined;
  } catch {
    return undefined;
  }
}
