import { emit } from '../claims/engine.ts';
import type { Grant } from '../claims/grant.ts';
import { settleDoubt } from '../claims/settle-doubt.ts';
import type { Consumer, Invocation, Runnable } from '../sqs/consumer.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from '../sqs/event.ts';
import { after, type Fate, fateOfRun, soon } from '../sqs/fate.ts';
import { inOrder } from '../sqs/in-order.ts';
import { createLimit } from '../sqs/limit.ts';
import { copyOf, receiveCountOf } from '../sqs/message.ts';
import type { Delivery } from '../sqs/queue.ts';

/** A message of a batch, and what this request has claimed for it. */
export interface Claimed extends Delivery {
  /** The record as it is handed on: a handler that changes its event must not change which messages we answer for. */
  readonly copy: SqsRecord;
  /** It is handed on. */
  held?: Grant;
  /** An earlier message of the batch with the same key: it shares the fate of that. */
  first?: Delivery;
  /** What came of asking for its claim; nothing when it is held. */
  asked?: Promise<Fate | undefined>;
}

/** A batch with what was claimed of it. */
export interface ClaimedBatch extends Invocation {
  /** All messages, in the order of the event. */
  readonly batch: readonly Claimed[];
}

/** Between two messages that come back to run alone; long enough not to meet in one batch again. */
const suspectsApartMs = 2000;
/** How much of the invocation may go by in claiming. The handler, which has to do all that was claimed, needs the rest. */
const claimingShare = 0.5;

/** Claims what of a batch may run. All of it is claimed before any of it runs, because the handler takes a batch. */
export async function claimBatch<Body>(
  consumer: Consumer<Body>,
  event: SqsEvent,
  context: InvocationContext,
): Promise<ClaimedBatch> {
  type One = Claimed & Runnable<Body>;
  const { engine, settings } = consumer;
  const { host } = settings;
  const received = consumer.receive<One>(event, context);
  const { records, startedAt, deadline, meet } = received;
  const batch = records.map((record): Claimed => ({ record, copy: copyOf(record) }));
  const inTurn = createLimit(settings.concurrency);
  const claimUntil = startedAt + (deadline - startedAt) * claimingShare;

  /** Answers nothing when the claim is held. */
  async function ask(one: One, mayTakeOver: boolean): Promise<Fate | undefined> {
    const now = host.now();
    if (now > claimUntil) {
      emit(engine, one.identity, { type: 'not-started', remainingMs: deadline - now });
      return soon;
    }
    const acquired = await consumer.acquire(one, deadline, mayTakeOver);
    if (acquired.kind === 'refused') return acquired.fate;
    const settled = await settleDoubt(engine, acquired.grant, one.message);
    if (settled !== undefined) return fateOfRun(settled);
    one.held = acquired.grant;
    return undefined;
  }

  /** @param rival one that asks for the same key with another intent, and goes first */
  async function claim(one: One, mayTakeOver: boolean, rival?: Claimed): Promise<void> {
    one.asked = (async () => {
      await rival?.asked;
      return inTurn(() => ask(one, mayTakeOver));
    })();
    one.fate = await one.asked;
  }

  /** Answers whether its message group ends here. */
  async function take(delivery: Claimed, group: readonly Claimed[]): Promise<boolean> {
    const one = await consumer.prepare(delivery);
    if (one === undefined) return false;
    // Alone, if that can be had; but under steady traffic it must not wait until its receives are used up.
    const mayTakeOver = receiveCountOf(one.record) > 2;
    const { twin, rival } = meet(one);
    if (twin === undefined) {
      await claim(one, mayTakeOver, rival);
      return false;
    }
    const asked = await twin.asked;
    // The first was discarded because another message holds the claim: which may be this very copy.
    if (asked?.fate === 'done' && asked.discarded) {
      await claim(one, mayTakeOver);
      return false;
    }
    if (asked !== undefined && asked.suspect === undefined) {
      one.fate = asked;
      return false;
    }
    one.first = twin;
    // Of a suspect, and of a first in another group, it is not known yet what will become of it, so this group ends here.
    return asked !== undefined || !group.includes(twin);
  }

  await inOrder(batch, take, (one, behind) => consumer.makeWay(one, behind, received, claimUntil));
  const rankOf = ({ fate }: Delivery) => fate?.suspect ?? 0;
  const suspects = batch.filter(rankOf).sort((a, b) => rankOf(a) - rankOf(b));
  for (const [index, one] of suspects.entries()) {
    one.fate = after((index + 1) * suspectsApartMs);
  }
  // What may have killed a worker runs alone, so that it takes no other message along; the least suspect first.
  const [suspect] = suspects;
  if (suspect && grantedOf(batch).length === 0) {
    suspect.fate = undefined;
    await claim(suspect as One, true);
  }
  return { batch, startedAt, deadline };
}

/** What is handed on to the handler, in the order of the event. */
export function grantedOf(batch: readonly Claimed[]) {
  return batch.filter((one): one is Claimed & { readonly held: Grant } => one.held !== undefined);
}
