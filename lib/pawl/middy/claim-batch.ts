import { type Look, lookAt } from '../engine/acquire.ts';
import { emit } from '../engine/engine.ts';
import { settleDoubt } from '../engine/settle-doubt.ts';
import type { Grant } from '../rules/grant.ts';
import { BatchMates } from '../sqs/batch-mates.ts';
import { type ClaimAttempt, claimMessage } from '../sqs/claim-message.ts';
import type { Consumer } from '../sqs/consumer.ts';
import type { Delivery, Invocation, Runnable } from '../sqs/delivery.ts';
import { dispositionOfRun, missedItsTurn, returnedFor, suspicionOf } from '../sqs/disposition.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from '../sqs/event.ts';
import { type GroupGoesOn, inOrder } from '../sqs/in-order.ts';
import { createLimit, type Limit } from '../sqs/limit.ts';
import { makeWay } from '../sqs/make-way.ts';
import { copyOf, receiveCountOf } from '../sqs/message.ts';
import { openMessage } from '../sqs/open.ts';
import { prepare } from '../sqs/prepare.ts';
import { type Received, receive } from '../sqs/receive.ts';
import { report } from '../sqs/report.ts';
import { keepOpened } from './opened-message.ts';

/** A message of a batch, and what this request has claimed for it. */
export interface Claimed extends Delivery {
  /** The record as it is handed on: a handler that changes its event must not change which messages the batch response names. */
  readonly copy: SqsRecord;
  /** Its claim is granted, and the handler gets it. */
  isHandedOn?: boolean;
  /** Ends the renewing of its claim, where that is to be renewed while the handler runs. */
  stopKeeping?: (() => void) | undefined;
  /** An earlier message of the batch with the same key and intent: it shares the disposition of that one. */
  original?: Delivery;
  /** Whether its claim is granted, once that is known. */
  claiming?: Promise<ClaimAttempt>;
  /** A look at its claim that has begun before its turn. */
  looking?: Promise<Look>;
}

/** A message that the handler gets. */
export type HandedOn = Claimed & { readonly grant: Grant };

/** A batch with what was claimed of it. */
export interface ClaimedBatch extends Invocation {
  /** All messages, in the order of the event. */
  readonly batch: readonly Claimed[];
}

/** Between two messages that come back to run alone; long enough not to meet in one batch again. */
const suspectsApartMs = 2000;
/** How much of the invocation may go by in claiming. The handler, which has to do all that was claimed, needs the rest. */
const claimingShare = 0.5;

/** Claims what of a batch may run. */
export function claimBatch<Body>(
  consumer: Consumer<Body>,
  event: SqsEvent,
  context: InvocationContext,
): Promise<ClaimedBatch> {
  return new BatchClaiming(consumer, receive(consumer.settings.host, event, context)).run();
}

/** What of a batch is handed on to the handler, in the order of the event. */
export function handedOnOf(batch: readonly Claimed[]): readonly HandedOn[] {
  return batch.filter(isHandedOn);
}

function isHandedOn(one: Claimed): one is HandedOn {
  return one.isHandedOn === true && one.grant !== undefined;
}

type Ready<Body> = Claimed & Runnable<Body>;

function isReady<Body>(one: Claimed): one is Ready<Body> {
  return 'message' in one;
}

/**
 * The claiming of one batch, before its handler runs.
 *
 * Owns: which messages the handler gets. Does not own: what becomes of them (`sqs-once.ts`).
 *
 * 1. All that is handed on is claimed before the handler starts, because a batch handler takes its messages together.
 * 2. Nothing is claimed in the second half of the invocation: the handler needs that time.
 * 3. A repeat of a key and an intent is not handed on. It shares the disposition of the first message that has them, as in `BatchRun`.
 * 4. What was running when a worker died is handed on only if nothing else is, so that it takes no other message along.
 * 5. A FIFO group ends at a message whose disposition is not known before the handler has run in another place of the batch.
 */
class BatchClaiming<Body> {
  readonly #consumer: Consumer<Body>;
  readonly #received: Received;
  readonly #mates = new BatchMates<Ready<Body>>();
  readonly #limit: Limit;
  /** When nothing more is claimed, in epoch milliseconds. */
  readonly #claimUntil: number;
  /** Messages that wait for their turn, and were not looked at. */
  readonly #unseen = new Set<Ready<Body>>();
  /** Of those that had their turn: how many were done before, less how many were new. */
  #moreDone = 0;

  constructor(consumer: Consumer<Body>, received: Received) {
    this.#consumer = consumer;
    this.#received = received;
    this.#limit = createLimit(consumer.settings.concurrency);
    const { startedAt, deadline } = received;
    this.#claimUntil = startedAt + (deadline - startedAt) * claimingShare;
  }

  async run(): Promise<ClaimedBatch> {
    const { records, startedAt, deadline } = this.#received;
    const batch = records.map((record): Claimed => ({ record, copy: copyOf(record) }));
    await inOrder(
      batch,
      (one, group) => this.#take(one, group),
      (one, behind) => makeWay(this.#consumer, one, behind, this.#received, this.#claimUntil),
    );
    await this.#setSuspectsApart(batch);
    return { batch, startedAt, deadline };
  }

  async #take(delivery: Claimed, group: readonly Claimed[]): Promise<GroupGoesOn> {
    // `sqsOnce` takes no envelope that holds several bodies.
    const [opened] = (await openMessage(this.#consumer, delivery, this.#claimUntil)) ?? [];
    const one = opened && (await prepare(this.#consumer, delivery, opened));
    if (one === undefined) return 'by-disposition';
    keepOpened(one.copy, one.message);
    // Alone, if that is possible; but under steady traffic it must not wait until its receives are used up.
    const mayTakeOver = receiveCountOf(one.record) > 2;
    const encounter = this.#mates.meet(one);
    if (encounter.kind === 'repeat') return this.#share(encounter.original, one, group, mayTakeOver);
    await this.#claim(one, mayTakeOver, encounter.kind === 'other-intent' ? encounter.predecessor : undefined);
    return 'by-disposition';
  }

  async #share(
    original: Claimed,
    one: Ready<Body>,
    group: readonly Claimed[],
    mayTakeOver: boolean,
  ): Promise<GroupGoesOn> {
    report(this.#consumer.engine, one, { type: 'repeated' });
    const attempt = await original.claiming;
    if (attempt?.kind !== 'refused') {
      one.original = original;
      // What becomes of an original in another group is not known before the handler has run.
      return group.includes(original) ? 'by-disposition' : 'not';
    }
    const { disposition } = attempt;
    // It was discarded because another message holds the claim: that may be this very copy.
    if (disposition.kind === 'acknowledged' && disposition.discarded) {
      await this.#claim(one, mayTakeOver);
      return 'by-disposition';
    }
    if (suspicionOf(disposition) > 0) {
      // What becomes of a suspect is not known yet.
      one.original = original;
      return 'not';
    }
    one.disposition = disposition;
    return 'by-disposition';
  }

  /** @param predecessor a message that asks for the same key with another intent, and goes first */
  async #claim(one: Ready<Body>, mayTakeOver: boolean, predecessor?: Claimed): Promise<void> {
    one.claiming = this.#claimAfter(one, mayTakeOver, predecessor);
    const attempt = await one.claiming;
    one.isHandedOn = attempt.kind === 'granted';
    one.disposition = attempt.kind === 'refused' ? attempt.disposition : undefined;
  }

  async #claimAfter(one: Ready<Body>, mayTakeOver: boolean, predecessor?: Claimed): Promise<ClaimAttempt> {
    await predecessor?.claiming;
    // Before its turn: a hundred are read in one request, and not as many as may ask at once.
    if (receiveCountOf(one.record) > 1) one.look = await this.#look(one);
    else this.#unseen.add(one);
    return this.#limit.inTurn(async () => {
      this.#unseen.delete(one);
      one.look ??= await one.looking;
      const attempt = await this.#attempt(one, mayTakeOver);
      this.#learn(attempt);
      return attempt;
    });
  }

  #look({ identity }: Ready<Body>): Promise<Look> {
    return lookAt(this.#consumer.engine, identity.id, this.#claimUntil);
  }

  /** A producer that runs twice sends all its messages twice: while most are duplicates of what is done, those that wait are looked at together. */
  #learn(attempt: ClaimAttempt): void {
    const isDone = attempt.kind === 'refused' && attempt.disposition.kind === 'acknowledged';
    if (attempt.kind === 'granted') this.#moreDone--;
    else if (isDone) this.#moreDone++;
    if (!isDone || this.#moreDone <= 0) return;
    for (const one of this.#unseen) one.looking = this.#look(one);
    this.#unseen.clear();
  }

  async #attempt(one: Ready<Body>, mayTakeOver: boolean): Promise<ClaimAttempt> {
    const { engine, settings } = this.#consumer;
    const { deadline } = this.#received;
    const now = settings.host.now();
    if (now > this.#claimUntil) {
      emit(engine, one.identity, { type: 'not-started', remainingMs: deadline - now });
      return { kind: 'refused', disposition: missedItsTurn };
    }
    const attempt = await claimMessage(this.#consumer, one, deadline, mayTakeOver);
    if (attempt.kind === 'refused') return attempt;
    const result = await settleDoubt(engine, attempt.grant, one.message);
    return result === undefined ? attempt : { kind: 'refused', disposition: dispositionOfRun(result) };
  }

  /** What may have killed a worker runs alone: the least suspect message now, if nothing else runs; the others come back later, one by one. */
  async #setSuspectsApart(batch: readonly Claimed[]): Promise<void> {
    const suspects = batch
      .filter(isReady<Body>)
      .filter(({ disposition }) => suspicionOf(disposition) > 0)
      .sort((a, b) => suspicionOf(a.disposition) - suspicionOf(b.disposition));
    for (const [index, one] of suspects.entries()) one.disposition = returnedFor((index + 1) * suspectsApartMs);
    const [leastSuspect] = suspects;
    if (leastSuspect !== undefined && handedOnOf(batch).length === 0) await this.#claim(leastSuspect, true);
  }
}
