import type { Opened } from '../payload/envelopes/envelope.ts';
import { BatchMates } from './batch-mates.ts';
import type { QueueDoor } from './consumer.ts';
import type { Delivery, Invocation, Runnable } from './delivery.ts';
import { type Disposition, isAsItIs, suspicionOf } from './disposition.ts';
import { type GroupGoesOn, groupOf, inOrder } from './in-order.ts';
import { createLimit, type LeaveTurn, type Limit } from './limit.ts';
import { LookAhead } from './look-ahead.ts';
import { makeWay } from './make-way.ts';
import { type Message, sealedIn } from './message.ts';
import { runObserved, type WatchedBatch } from './observe-message.ts';
import { openMessage } from './open.ts';
import { concludeParts } from './parts.ts';
import { prepare } from './prepare.ts';
import { reportDelivery } from './report.ts';
import type { Suspects } from './suspects.ts';

/** Tries one message under its claim. @returns what becomes of it; nothing, if it was handed on and that is known only after the batch */
export type TryMessage<Body> = (
  consumer: QueueDoor<Body>,
  one: Runnable<Body>,
  deadline: number,
  mayTakeOver: boolean,
  heard: Heard,
) => Promise<Disposition | undefined>;

/** How a batch is gone through. */
export interface Turns<Body> {
  /** All messages, in the order of the event. */
  readonly batch: readonly Delivery[];
  readonly invocation: Invocation;
  /** When nothing is waited for any more that comes before a turn, in epoch milliseconds. */
  readonly until: number;
  /** When a head of a message group is not made way for any more, in epoch milliseconds. @default as late as SQS can answer */
  readonly makeWayUntil?: number;
  /** Those that wait to run alone, where SQS is to hear of them. */
  readonly suspects?: Suspects<Body>;
  /** Where not all keys are enforced: what is only observed runs in its turn, and nothing of it waits for the store. */
  readonly watched?: WatchedBatch<Body> | undefined;
}

/** What a batch hears of a try. */
export interface Heard {
  /** The message is no duplicate: its handler begins, or its effect is committed. */
  readonly isNew: () => void;
  /** Its handler has ended, and its outcome is yet to be recorded. */
  readonly hasEnded: () => void;
}

/** A message on its way to its handler; or, where its envelope holds several bodies, a part of it. */
interface Queued<Body> extends Delivery {
  message?: Message<Body> | undefined;
  /**
   * What came of it, which those that repeat its key wait for. What SQS then hears of this copy (that it is set aside, say) does not concern them.
   */
  ended?: Promise<Disposition | undefined>;
}

/** One of several bodies of a message. */
interface Part<Body> {
  readonly part: Queued<Body>;
  readonly inside: Opened;
}

type Ready<Body> = Queued<Body> & Runnable<Body>;

/** What a message goes on to wait for, after it has given its turn to others. */
interface Waiting {
  readonly until?: Promise<void> | undefined;
}

const waitsForNothing: Waiting = {};

/** One that runs alone keeps its turn to its end. */
const heardByNone: Heard = { isNew: () => undefined, hasEnded: () => undefined };

/**
 * One batch, message by message: the loop of every door to a queue. In a turn of `sqsOnce`, a message is claimed and handed on; in one of the others, it runs.
 *
 * Owns: which message has its turn when. Does not own: what a turn is (`TryMessage`), what becomes of a message by its claim (`disposition.ts`),
 * and what SQS is asked for (`conclude.ts`, `suspects.ts`).
 *
 * 1. At most `concurrency` messages have their turn at once. One that waits for another message has given its turn back: a batch of
 *    repeats would stand still otherwise. So has one whose handler has ended, unless `concurrency` is 1: its
 *    outcome shares a request with the next claims.
 * 2. The messages of a FIFO group run in order, and none runs behind one that is not finished. (`inOrder`)
 * 3. A repeat of a key and an intent does not run: it shares the disposition of the first message that has them. If that one was discarded, the
 *    repeat asks the store itself: it may be the copy that holds the claim. If that one was handed on, the repeat shares what will become of it
 *    (`original`), and ends its group where it is not of the same.
 * 4. Another intent under a key asks the store itself, once the message before it has ended.
 * 5. Where the envelope of a message holds several bodies, each of them is a part with a turn, a claim and a disposition of its own. The message waits
 *    for all of them.
 * 6. Where some keys are only observed, those have their turn before any claim is asked for: one that hangs takes no time of theirs. In a FIFO group, order comes first.
 * 7. What was running when a worker died runs alone, after all others; what has outlived fewer workers goes first.
 */
export class BatchRun<Body> {
  readonly #consumer: QueueDoor<Body>;
  readonly #tryMessage: TryMessage<Body>;
  readonly #turns: Turns<Body>;
  readonly #mates = new BatchMates<Ready<Body>>();
  readonly #limit: Limit;
  readonly #lookAhead: LookAhead<Body, Queued<Body>>;

  constructor(consumer: QueueDoor<Body>, tryMessage: TryMessage<Body>, turns: Turns<Body>) {
    this.#consumer = consumer;
    this.#tryMessage = tryMessage;
    this.#turns = turns;
    this.#limit = createLimit(consumer.settings.concurrency);
    this.#lookAhead = new LookAhead(consumer, turns.batch, turns.until);
  }

  /** Gives each message its turn. */
  run(): Promise<void> {
    const { batch, invocation, makeWayUntil } = this.#turns;
    return inOrder<Queued<Body>>(
      batch,
      (one, group) => this.#step(one, group),
      (one, behind) => makeWay(this.#consumer, one, behind, invocation, makeWayUntil),
      this.#limit.each,
    );
  }

  async #step(one: Queued<Body>, group: readonly Delivery[]): Promise<GroupGoesOn> {
    one.ended = this.#finish(one);
    await one.ended;
    // Behind one that was only observed, they come again as it does: SQS would be asked for them otherwise.
    if (isAsItIs(one.disposition))
      for (const behind of group.slice(group.indexOf(one) + 1)) behind.disposition = one.disposition;
    const { original } = one;
    return original === undefined || group.includes(original) ? 'by-disposition' : 'not';
  }

  async #finish(one: Queued<Body>): Promise<Disposition | undefined> {
    const { until } = await this.#limit.inTurn((leave) => this.#open(one, leave));
    if (until !== undefined) await until;
    forget(one);
    return one.disposition;
  }

  /** @returns what the message goes on to wait for, without keeping others from their turn */
  #open(queued: Queued<Body>, leave: LeaveTurn): Promise<Waiting> {
    if (this.#consumer.envelopes !== undefined) return this.#openEnvelopes(queued, leave);
    const { watched } = this.#turns;
    const isWatched = watched !== undefined;
    return this.#attempt(
      isWatched ? this.#prepare(queued, sealedIn(queued.record)) : this.#lookAhead.prepare(queued),
      leave,
    );
  }

  async #openEnvelopes(queued: Queued<Body>, leave: LeaveTurn): Promise<Waiting> {
    const opened = await openMessage(this.#consumer, queued, this.#turns.until, this.#turns.watched);
    if (opened === undefined) return waitsForNothing;
    const [only] = opened;
    if (only !== undefined && opened.length === 1) return await this.#attempt(this.#prepare(queued, only), leave);
    return { until: this.#finishParts(queued, opened) };
  }

  #prepare(one: Queued<Body>, opened: Opened): Promise<Ready<Body> | undefined> {
    const { watched } = this.#turns;
    return watched === undefined
      ? prepare(this.#consumer, one, opened)
      : runObserved(this.#consumer, watched, one, opened);
  }

  async #finishParts(whole: Queued<Body>, opened: readonly Opened[]): Promise<void> {
    const parts = opened.map((inside): Part<Body> => ({ part: { record: whole.record }, inside }));
    whole.parts = parts.map(({ part }) => part);
    const finish = ({ part, inside }: Part<Body>) => {
      part.ended = this.#finishPart(part, inside);
      return part.ended;
    };
    if (groupOf(whole) === undefined) await Promise.all(parts.map(finish));
    else {
      for (const one of parts) {
        const disposition = await finish(one);
        if (disposition === undefined || disposition.kind === 'returned') break;
      }
    }
    concludeParts(whole, whole.parts);
  }

  async #finishPart(part: Queued<Body>, inside: Opened): Promise<Disposition | undefined> {
    const { until } = await this.#limit.inTurn((leave) => this.#attempt(this.#prepare(part, inside), leave));
    await until;
    forget(part);
    return part.disposition;
  }

  /** @returns as `#open` */
  async #attempt(prepared: Promise<Ready<Body> | undefined>, leave: LeaveTurn): Promise<Waiting> {
    const one = await prepared;
    if (one === undefined) return waitsForNothing;
    const encounter = this.#mates.meet(one);
    switch (encounter.kind) {
      case 'first':
        return this.#turns.watched === undefined ? this.#try(one, leave) : { until: this.#tryInTurn(one) };
      case 'repeat':
        reportDelivery(this.#consumer.engine, one, { type: 'repeated' });
        return { until: this.#share(encounter.original, one) };
      case 'other-intent':
        return { until: this.#tryAfter(encounter.predecessor, one) };
    }
  }

  async #try(one: Ready<Body>, leave: LeaveTurn): Promise<Waiting> {
    // With `concurrency: 1`, a crash leaves one message in doubt: its author has asked for that.
    const hasEnded = this.#consumer.settings.concurrency === 1 ? () => undefined : leave;
    let isDuplicate = true;
    const isNew = () => {
      isDuplicate = false;
      this.#lookAhead.learn('new');
    };
    const disposition = await this.#tryIn(one, false, { isNew, hasEnded });
    one.disposition = disposition;
    if (isDuplicate && disposition?.kind === 'acknowledged') this.#lookAhead.learn('done');
    const suspicion = suspicionOf(disposition);
    if (suspicion === 0) return waitsForNothing;
    this.#turns.suspects?.add(one);
    // In line before this slot is free: or the first suspect to get there would not wait for the less suspect ones.
    return { until: this.#limit.inTurn(() => this.#tryAlone(one), suspicion) };
  }

  #tryIn(one: Ready<Body>, mayTakeOver: boolean, heard: Heard): Promise<Disposition | undefined> {
    return this.#tryMessage(this.#consumer, one, this.#turns.invocation.deadline, mayTakeOver, heard);
  }

  async #tryAlone(one: Ready<Body>): Promise<void> {
    await this.#turns.suspects?.letGo(one);
    // It was looked at before all others had their turn.
    one.look = undefined;
    one.disposition = await this.#tryIn(one, true, heardByNone);
  }

  async #tryAfter(other: Queued<Body>, one: Ready<Body>): Promise<void> {
    await other.ended;
    await this.#tryInTurn(one);
  }

  async #tryInTurn(one: Ready<Body>): Promise<void> {
    const { until } = await this.#limit.inTurn((leave) => this.#try(one, leave));
    await until;
  }

  async #share(original: Queued<Body>, one: Ready<Body>): Promise<void> {
    const disposition = await original.ended;
    // It was discarded because another message holds the claim: that may be this very copy.
    if (disposition?.kind === 'acknowledged' && disposition.discarded) await this.#tryAfter(original, one);
    else if (disposition === undefined) one.original = original;
    else one.disposition = disposition;
  }
}

/** A message is over: a large batch would otherwise hold all its bodies and its claims to its end. */
function forget<Body>(one: Queued<Body>): void {
  one.message = undefined;
  one.look = undefined;
  // Of one that comes again, `makeWay` may yet park the claim.
  if (one.disposition?.kind === 'acknowledged') one.grant = undefined;
}
