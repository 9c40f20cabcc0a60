import { expect } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import { isHidden } from '../kernel/key-hash.ts';
import { expectOperation, namesIn } from '../rules/identity.ts';
import { keepsNotes } from '../rules/notes.ts';
import { isAmbiguous, isEnforcedToo, isObserved, observedIn, runsUnderWay, type WayAgain } from '../rules/observed.ts';
import { observedPlace, openShards, shardName } from '../rules/open.ts';
import { type ClaimRecord, understood, unlessLeftAlone } from '../rules/record.ts';
import type { Desk } from './desk.ts';
import { inChunks } from './in-chunks.ts';
import { openClaims } from './open-claims.ts';
import { skewMs } from './words.ts';

/** A key whose effect happened more than once under `mode: 'observe'`, or may have. */
export interface DoubledKey {
  /** The id of its record: `operation#key`. */
  readonly id: string;
  /** How often its effect happened after the first time. */
  readonly certain: number;
  /** How often it may have happened besides: a run failed, or was killed, and does not say. */
  readonly perhaps: number;
  /** How its deliveries after the first one came. */
  readonly again: Readonly<Partial<Record<WayAgain, number>>>;
}

/** A key that was used for different payloads. */
export interface WrongKey {
  /** The id of its record: `operation#key`. */
  readonly id: string;
  /** How many deliveries had another payload than the first one. */
  readonly others: number;
  /** The names of the fields in which they differ; empty where that is not known. */
  readonly differing: readonly string[];
}

/**
 * What was seen of an operation under `mode: 'observe'`, and what follows.
 *
 * @example
 * const report = await operate.observed('send-email');
 * if (report.advice === 'switch-on') console.log(`${report.certain} mails were sent twice`);
 */
export interface ObservedReport {
  readonly operation: string;
  /** How many keys were seen. */
  readonly keys: number;
  /** How many of them are hidden, by `hideKeys`. While their secret is changed, each of them counts under both secrets, with all that was seen of it. */
  readonly hidden: number;
  readonly deliveries: number;
  /** When the first of them was seen, in epoch milliseconds; nothing if there is none. */
  readonly since: number | undefined;
  /** How many effects happened that enforcement would have prevented: each of them for certain. */
  readonly certain: number;
  /** How many more may have happened. */
  readonly perhaps: number;
  /** Of the keys with a second effect, how their deliveries came. */
  readonly again: Readonly<Partial<Record<WayAgain, number>>>;
  /** The keys with the most second effects, at most `most` of them. */
  readonly doubled: readonly DoubledKey[];
  /** How many keys have a second effect, for certain or perhaps. */
  readonly doubledKeys: number;
  /** Keys that were used for different payloads, at most `most` of them. */
  readonly wrong: readonly WrongKey[];
  /** How many there are. */
  readonly wrongKeys: number;
  /** In which fields their payloads differ, by how many keys. */
  readonly differing: Readonly<Record<string, number>>;
  /** How many keys are in doubt: under `'park'`, enforcement parks them at their next delivery. */
  readonly inDoubt: number;
  /** How many keys were observed beside enforcement, or after it: they had no gate. */
  readonly beside: number;
  /** How many records this version leaves alone, or that the index has and the table has not any more. */
  readonly unread: number;
  /** The claims of the operation that enforcement has open: a lower share gives up their gate, that of parked ones too. */
  readonly open: { readonly parked: number; readonly others: number };
  /** What the deliveries that were seen cost: the write units of DynamoDB, if they were enforced, and as they were observed. At most so many, for records below 1 KB. */
  readonly writeUnits: { readonly enforced: number; readonly observed: number };
  /** What follows: whether to enforce with this key. */
  readonly advice: 'switch-on' | 'correct-the-key' | 'observe-first';
}

/** How many ids a page of the index has, and how many records are read at once. */
const pageSize = 1000;
const readsAtOnce = 100;

/** @throws OptionError when the store has no index of what was observed; the store's error */
export async function observed(
  desk: Desk,
  operation: string,
  { most = 20 }: { readonly most?: number },
): Promise<ObservedReport> {
  expectOperation(operation);
  expect(Number.isSafeInteger(most) && most >= 0, 'most', 'a whole number, 0 or more', most);
  const { store, host } = desk;
  if (!keepsNotes(store)) {
    throw new OptionError(
      'store: expected one that lists a place of its index, such as dynamoStore; it has no listPlace',
    );
  }
  const readObserved = async (id: string) => understood(await store.read(id));
  const now = host.now();
  const seen = new Seen(most, now - skewMs);
  for (let shard = 0; shard < openShards; shard++) {
    const place = observedPlace(operation, shardName(shard));
    let after: Awaited<ReturnType<typeof store.listPlace>>['after'];
    do {
      const page = await store.listPlace({ place, until: now, limit: pageSize, after });
      after = page.after;
      for await (const chunk of inChunks(page.entries, readsAtOnce)) {
        for (const found of await Promise.all(chunk.map(({ id }) => unlessLeftAlone(readObserved(id)))))
          seen.add(found);
      }
    } while (after !== undefined);
  }
  return seen.report(operation, await openIn(desk, operation));
}

async function openIn(desk: Desk, operation: string): Promise<ObservedReport['open']> {
  let parked = 0;
  let others = 0;
  for await (const { claims } of openClaims(desk, { operation, limit: pageSize })) {
    for (const { state } of claims) {
      if (state === 'parked') parked++;
      else others++;
    }
  }
  return { parked, others };
}

/** Adds up what was observed. Memory holds the keys that are listed, and no others. */
class Seen {
  readonly #most: number;
  /** A run that has not ended by then was killed. */
  readonly #overBy: number;
  readonly #again: Partial<Record<WayAgain, number>> = {};
  readonly #differing: Record<string, number> = {};
  #keys = 0;
  #hidden = 0;
  #deliveries = 0;
  #since = Infinity;
  #certain = 0;
  #perhaps = 0;
  #doubled: DoubledKey[] = [];
  #doubledKeys = 0;
  #wrong: WrongKey[] = [];
  #wrongKeys = 0;
  #inDoubt = 0;
  #beside = 0;
  #unread = 0;

  constructor(most: number, overBy: number) {
    this.#most = most;
    this.#overBy = overBy;
  }

  add(found: ClaimRecord | 'left-alone' | undefined): void {
    if (found === undefined || found === 'left-alone') {
      this.#unread++;
      return;
    }
    // The index may lag behind: by now, a worker of enforcement may have it.
    if (!isObserved(found) || found.observed === undefined) return;
    const { deliveries, done, failed, other, again, runs, differing = [] } = observedIn(found);
    const killed = runsUnderWay({ runs }).filter(({ until }) => until <= this.#overBy).length;
    const certain = Math.max(0, done - 1);
    const perhaps = Math.max(0, done + failed + killed - Math.max(done, 1));
    this.#keys++;
    if (isHidden(namesIn(found.id).key ?? '')) this.#hidden++;
    this.#deliveries += deliveries;
    this.#since = Math.min(this.#since, found.firstSeenAt);
    if (done === 0 && failed + killed > 0) this.#inDoubt++;
    if (certain + perhaps > 0) this.#double({ id: found.id, certain, perhaps, again });
    if (isEnforcedToo(found)) this.#beside++;
    if (isAmbiguous(found)) this.#misuse({ id: found.id, others: other, differing });
  }

  #double(one: DoubledKey): void {
    this.#doubledKeys++;
    this.#certain += one.certain;
    this.#perhaps += one.perhaps;
    for (const [way, count] of Object.entries(one.again) as Iterable<[WayAgain, number]>)
      this.#again[way] = (this.#again[way] ?? 0) + count;
    const weight = ({ certain, perhaps }: DoubledKey) => certain * 1000 + perhaps;
    this.#doubled = mostOf([...this.#doubled, one], this.#most, weight);
  }

  #misuse(one: WrongKey): void {
    this.#wrongKeys++;
    for (const name of one.differing) this.#differing[name] = (this.#differing[name] ?? 0) + 1;
    this.#wrong = mostOf([...this.#wrong, one], this.#most, ({ others }) => others);
  }

  report(operation: string, open: ObservedReport['open']): ObservedReport {
    const again = this.#deliveries - this.#keys;
    return {
      operation,
      keys: this.#keys,
      hidden: this.#hidden,
      deliveries: this.#deliveries,
      since: this.#keys === 0 ? undefined : this.#since,
      certain: this.#certain,
      perhaps: this.#perhaps,
      again: this.#again,
      doubled: this.#doubled,
      doubledKeys: this.#doubledKeys,
      wrong: this.#wrong,
      wrongKeys: this.#wrongKeys,
      differing: this.#differing,
      inDoubt: this.#inDoubt,
      beside: this.#beside,
      unread: this.#unread,
      open,
      writeUnits: {
        // A claim and its completion; a duplicate is a claim that is refused, or a read, which costs less.
        enforced: 2 * this.#keys + again,
        // The same for each delivery, and the index with it.
        observed: 4 * this.#deliveries + again,
      },
      advice: this.#wrongKeys > 0 ? 'correct-the-key' : this.#keys === 0 ? 'observe-first' : 'switch-on',
    };
  }
}

function mostOf<T>(all: readonly T[], most: number, weight: (one: T) => number): T[] {
  return all.toSorted((a, b) => weight(b) - weight(a)).slice(0, most);
}
