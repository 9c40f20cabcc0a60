import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { App } from './app.ts';
import type { Intents } from './intents.ts';
import { isProvider, type Provider } from './providers.ts';

/** How often an effect happened, by intent. Of a list of intents, each entry counts once. */
export type Counts = ReadonlyMap<string, number> | Readonly<Record<string, number>> | Iterable<string>;

/** Where to learn how often an effect happened: a provider, which counts its calls, or a function that asks the app. */
export type Counted = Provider | ((app: App) => Counts | Promise<Counts>);

/**
 * Counts the items of a table by intent.
 *
 * @param construct the table: the end of its construct's path
 * @param intent the intent of an item; `undefined` for an item that is no effect
 * @example
 * const effects = { payment: rows('Ledger', (item) => item.paymentId) };
 */
export function rows(
  construct: string,
  // biome-ignore lint/suspicious/noExplicitAny: an item of the author's table has the author's attributes
  intent: (item: Record<string, any>) => unknown,
): (app: App) => Promise<Counts> {
  const count = async (app: App) => {
    const intents: string[] = [];
    for (const item of await app.table(construct).items()) {
      const named = intent(item);
      if (named !== undefined && named !== null) intents.push(String(named));
    }
    return intents;
  };
  counters.set(count, construct);
  return count;
}

/** The functions that `rows` has made, with the table of each: they only read. What another function of the author's does when it counts is not known. */
const counters = new WeakMap<Counted, string>();

/** The table of which `rows` counts the items, as its construct was named. */
export function tableOfRows(counted: Counted): string | undefined {
  return counters.get(counted);
}

/** Whether an effect can be counted at any time, also in mid-traffic. */
export function isCountedLive(counted: Counted): boolean {
  return isProvider(counted) || counters.has(counted);
}

/** Reads all items of a table. */
export async function itemsOf(
  client: DynamoDBDocumentClient,
  table: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const items: Readonly<Record<string, unknown>>[] = [];
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    items.push(...(page.Items ?? []));
  }
  return items;
}

/**
 * How often each effect happened. A name that is no intent, and holds one as a message may, counts for that intent: the key `order-17.pdf`.
 *
 * @throws whatever a function of the author's throws; TypeError if it returns no counts
 */
export async function countEffects(
  effects: Readonly<Record<string, Counted>>,
  app: App,
  ofProvider: (provider: Provider) => ReadonlyMap<string, number>,
  intents: Pick<Intents, 'all' | 'namedIn'>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const counts = new Map<string, ReadonlyMap<string, number>>();
  for (const [name, counted] of Object.entries(effects)) {
    counts.set(name, isProvider(counted) ? ofProvider(counted) : byIntent(toMap(name, await counted(app)), intents));
  }
  return counts;
}

function byIntent(
  counts: ReadonlyMap<string, number>,
  { all, namedIn }: Pick<Intents, 'all' | 'namedIn'>,
): ReadonlyMap<string, number> {
  const made = new Map<string, number>();
  for (const [name, count] of counts) {
    const [named, ...others] = all.has(name) ? [name] : namedIn(name);
    const intent = named === undefined || others.length > 0 ? name : named;
    made.set(intent, (made.get(intent) ?? 0) + count);
  }
  return made;
}

function toMap(effect: string, counts: Counts): ReadonlyMap<string, number> {
  if (typeof counts !== 'object' || counts === null) {
    throw new TypeError(
      `effects.${effect}: expected a map, an object or a list of intents; got ${counts === null ? 'null' : typeof counts}`,
    );
  }
  if (counts instanceof Map) return counts;
  if (!(Symbol.iterator in counts)) return new Map(Object.entries(counts));
  const made = new Map<string, number>();
  for (const intent of counts as Iterable<string>) made.set(String(intent), (made.get(String(intent)) ?? 0) + 1);
  return made;
}
