import type { Held } from '../core/held.ts';
import { batchOf, type Consumer, orderOf, type Prepared, type Runnable } from '../sqs/consumer.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from '../sqs/event.ts';
import { type Fate, fateOfRun, keyReused, soon } from '../sqs/fate.ts';
import { createLimit } from '../sqs/limit.ts';
import { receiveCountOf } from '../sqs/message.ts';

/** What one request has claimed. Kept per request: an error hook must never touch a claim that it did not take. */
export interface Batch<Body> {
  readonly fates: Map<Prepared<Body>, Fate>;
  /** In the order of the event. */
  readonly granted: readonly {
    readonly prepared: Runnable<Body>;
    readonly held: Held;
    /** The record as the handler is to see it. */
    readonly original: SqsRecord;
  }[];
  /** Keys repeated in the batch: they share the fate of the first. */
  readonly repeats: readonly { readonly prepared: Runnable<Body>; readonly first: Runnable<Body> }[];
  concluded: boolean;
}

/** Between two messages that come back to run alone; long enough not to meet in one batch again. */
const suspectsApartMs = 2000;

/** Claims what of a batch may run. All of it is claimed before any of it runs, because the handler takes a batch. */
export async function claimBatch<Body>(
  consumer: Consumer<Body>,
  event: SqsEvent,
  context: InvocationContext,
): Promise<Batch<Body>> {
  const { claims, settings } = consumer;
  const { records, deadline } = batchOf(event, context, settings.host);
  const prepared = await Promise.all(records.map((record) => consumer.prepare(asText(record))));
  const { limited } = createLimit(consumer.concurrency);
  const fates = new Map<Prepared<Body>, Fate>();
  const held = new Map<Prepared<Body>, Held>();
  const firsts = new Map<string, Runnable<Body>>();
  const repeats: { prepared: Runnable<Body>; first: Runnable<Body> }[] = [];
  const suspects: { readonly one: Runnable<Body>; readonly rank: number }[] = [];

  /** Answers whether the message may run, or has run: only then may the next of its group. */
  async function claim(one: Runnable<Body>, mayTakeOver: boolean): Promise<boolean> {
    const acquired = await limited(() => consumer.acquire(one, deadline, mayTakeOver));
    if ('suspect' in acquired) {
      suspects.push({ one, rank: acquired.suspect });
      fates.set(one, { fate: 'again', delayMs: suspects.length * suspectsApartMs });
      return false;
    }
    if ('fate' in acquired) {
      fates.set(one, acquired);
      return acquired.fate === 'done';
    }
    const doubt = await limited(async () => settings.provider?.settleDoubt(claims, acquired, one.message));
    if (doubt === undefined) held.set(one, acquired);
    else fates.set(one, fateOfRun(doubt));
    return doubt === undefined || doubt.applied === true;
  }

  async function claimNext(one: Prepared<Body>, chain: readonly Prepared<Body>[]): Promise<boolean> {
    if (one.fate !== undefined) {
      fates.set(one, one.fate);
      return false;
    }
    const first = firsts.get(one.identity.id);
    if (first === undefined) {
      firsts.set(one.identity.id, one);
      // Alone, if that can be had; but under steady traffic it must not wait until its receives are used up.
      return claim(one, receiveCountOf(one.record) > 2);
    }
    if (first.fingerprint !== one.fingerprint) {
      fates.set(one, keyReused);
      return false;
    }
    claims.emit(one.identity, 'repeated', { messageId: one.record.messageId });
    repeats.push({ prepared: one, first });
    // Of a first in another group it is not known yet what will become of it, so this group ends here.
    return chain.includes(first);
  }

  await Promise.all(
    [...orderOf(prepared)].map(async (chain) => {
      let open = true;
      for (const one of chain) {
        if (open) open = await claimNext(one, chain);
        else fates.set(one, soon);
      }
    }),
  );
  // What may have killed a worker runs alone, so that it takes no other message along; the least suspect first.
  const [suspect] = suspects.sort((a, b) => a.rank - b.rank);
  if (held.size === 0 && suspect !== undefined) {
    fates.delete(suspect.one);
    await claim(suspect.one, true);
  }
  const granted = prepared.flatMap((one, index) => {
    const claimed = held.get(one);
    const original = records[index] ?? one.record;
    return claimed !== undefined && one.fate === undefined ? [{ prepared: one, held: claimed, original }] : [];
  });
  return { fates, granted, repeats, concluded: false };
}

/** Other middlewares parse bodies in place. What they made of one is read as the text that it was. */
function asText(record: SqsRecord): SqsRecord {
  return typeof record.body === 'string' ? record : { ...record, body: JSON.stringify(record.body) };
}
