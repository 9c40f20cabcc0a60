import type { Claim } from '../claims/claim.ts';
import { run } from '../claims/run.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions, ofHttp } from '../kernel/take-options.ts';
import { type Consumer, createConsumer, type Runnable } from './consumer.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import { type Fate, fateOfRun } from './fate.ts';
import { inOrder } from './in-order.ts';
import { createLimit } from './limit.ts';
import type { Message } from './message.ts';
import { type SqsOptions, sqsOptionNames } from './options.ts';
import type { Delivery } from './queue.ts';

/** A message on its way to its handler. */
interface Handled<Body> extends Delivery {
  message?: Message<Body> | undefined;
  /** What came of it, which those that repeat its key wait for. What SQS is then told about this copy is no business of theirs. */
  ended?: Promise<Fate | undefined>;
}

/** What a message goes on to wait for, after it has given its turn to others. */
interface Waiting {
  readonly until?: Promise<void> | undefined;
}

/** Between two suspects that come back because a third has killed their worker: enough not to meet in one batch. */
const suspectsApartSeconds = 2;
/** Between the first and the last of them, however many they are. */
const longestSpreadSeconds = 900;
/** How long the first suspect waits for SQS to hear of the others, in milliseconds. */
const spreadMs = 1000;

/** A Lambda handler of batches of SQS. */
export type SqsHandler = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>;

/** Handles one message under its claim. What it returns is its result; what it throws is decided by `onAbandoned`. */
export type MessageHandler<Body> = (message: Message<Body>, claim: Claim) => Promise<unknown> | unknown;

/**
 * A Lambda handler for an SQS queue whose effect happens once per key. Needs `ReportBatchItemFailures` on the event
 * source.
 *
 * Each message is claimed just before it starts, up to `concurrency` at once, and completed as it finishes. On a FIFO
 * queue the messages of a group run in order, and nothing of a group runs after one that did not finish. Nothing starts
 * that cannot end before the invocation does. The answer names exactly the messages that are to come again.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = eachMessage(
 *   { operation: 'issue-gift-card', store, schema: Order, key: bodyField('orderId'), onAbandoned: 'retry' },
 *   async ({ body }, claim) => giftCards.issue(body, { idempotencyKey: claim.effectKey }),
 * );
 */
export function eachMessage<Body>(
  options: SqsOptions<Body> & { readonly host?: Host },
  handle: MessageHandler<Body>,
): SqsHandler {
  expectOptions(options, { door: 'eachMessage', known: sqsOptionNames, refused: ofHttp, docs: 'docs/wrap.md' });
  return eachBy(options, (consumer) => async (one, deadline, mayTakeOver) => {
    const acquired = await consumer.acquire(one, deadline, mayTakeOver);
    if (acquired.kind === 'refused') return acquired.fate;
    return fateOfRun(await run(consumer.engine, acquired.grant, handle, one.message));
  });
}

/** Tries one message, and answers what becomes of it. */
export type TryOne<Body> = (one: Runnable<Body>, deadline: number, mayTakeOver: boolean) => Promise<Fate>;

/** A consumer that tries each message of a batch in this way. @internal */
export function eachBy<Body>(options: SqsOptions<Body>, way: (consumer: Consumer<Body>) => TryOne<Body>): SqsHandler {
  const consumer = createConsumer(options);
  const { settings } = consumer;
  const tryOne = way(consumer);

  return async function handler(event, context) {
    const received = consumer.receive<Handled<Body> & Runnable<Body>>(event, context);
    const { records, deadline, meet } = received;
    const batch = records.map((record): Handled<Body> => ({ record }));
    const inTurn = createLimit(settings.concurrency);
    /** What was running when a worker died, and waits for its turn to run alone. */
    const suspects = new Set<Runnable<Body>>();
    /** Of the suspects, how many SQS does not know of yet. */
    let unknownSuspects = 0;

    /** Answers what the message goes on to wait for without keeping others from their turn. */
    async function attempt(delivery: Handled<Body>): Promise<Waiting> {
      const one = await consumer.prepare(delivery);
      if (one === undefined) return {};
      const { twin, rival } = meet(one);
      if (twin !== undefined) return { until: share(twin, one) };
      return rival === undefined ? ask(one) : { until: askAfter(rival, one) };
    }

    async function ask(one: Runnable<Body>): Promise<Waiting> {
      const fate = await tryOne(one, deadline, false);
      one.fate = fate;
      if (fate.suspect === undefined) return {};
      suspects.add(one);
      unknownSuspects++;
      // In line before this slot is free: or the first suspect to get there would not wait for the less suspect ones.
      return { until: inTurn(() => attemptAlone(one), fate.suspect) };
    }

    async function askAfter(other: Handled<Body>, one: Runnable<Body>): Promise<void> {
      await other.ended;
      const { until } = await inTurn(() => ask(one));
      await until;
    }

    async function share(first: Handled<Body>, one: Runnable<Body>): Promise<void> {
      const fate = await first.ended;
      // It was discarded because another message holds the claim: which may be this very copy.
      if (fate?.fate === 'done' && fate.discarded) await askAfter(first, one);
      else one.fate = fate;
    }

    /** Whatever may have killed a worker runs alone, after the others, so that it takes none of them along. */
    async function attemptAlone(one: Runnable<Body>): Promise<void> {
      if (unknownSuspects > 0 && suspects.size > 1) await spreadSuspects();
      suspects.delete(one);
      one.fate = await tryOne(one, deadline, true);
    }

    /**
     * Should one of them kill the worker again, those behind it come back before it does, and finish without it. Said once for all that wait,
     * and not before each: it takes as many calls as it has tens.
     */
    async function spreadSuspects(): Promise<void> {
      unknownSuspects = 0;
      const now = settings.host.now();
      const rankOf = ({ fate }: Delivery) => fate?.suspect ?? 0;
      const inLine = [...suspects].sort((a, b) => rankOf(a) - rankOf(b));
      const endSeconds = Math.ceil((deadline - now) / 1000) + 1;
      const apartSeconds = Math.min(suspectsApartSeconds, longestSpreadSeconds / inLine.length);
      const delayed = inLine.map((one, place) => ({
        ...one,
        seconds: endSeconds + Math.floor((inLine.length - 1 - place) * apartSeconds),
      }));
      // An effect waits for this, so it gets a moment and no more.
      await consumer.setVisibility(delayed, Math.min(deadline, now + spreadMs));
    }

    async function finish(one: Handled<Body>): Promise<Fate | undefined> {
      const { until } = await inTurn(() => attempt(one));
      await until;
      // A large batch would otherwise hold all its bodies to its end.
      one.message = undefined;
      return one.fate;
    }

    async function step(one: Handled<Body>): Promise<void> {
      one.ended = finish(one);
      await one.ended;
    }

    await inOrder(batch, step, (one, behind) => consumer.makeWay(one, behind, received));
    return consumer.conclude(batch, received);
  };
}
