import type { ClaimRecord } from '../../claims/record.ts';
import type { ClaimStore } from '../../claims/store.ts';
import { reindexed } from '../../claims/successor.ts';
import { nodeHost } from '../../host.ts';
import { expect, expectFunction } from '../../kernel/check.ts';
import { granted } from '../../kernel/granted.ts';
import { type Host, sleep } from '../../kernel/host.ts';
import { callListener } from '../../kernel/listener.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { endRun, joinRun, moveOn, type Segment, segments, type Table } from './backfill-progress.ts';
import { call } from './calls.ts';
import { explainedTable, explaining } from './explain.ts';
import { fromItem, type Item } from './item.ts';
import { type TableOptions, tableOf, tableOptionNames } from './options.ts';
import { dynamoStore } from './store.ts';

/**
 * The options of `backfillOpenClaims`.
 *
 * @example
 * const options: BackfillOptions = {
 *   tableName: 'claims',
 *   readUnitsPerSecond: 500,
 *   onProgress: ({ parts }) => console.log(`${parts.done} of ${parts.of}`),
 * };
 */
export interface BackfillOptions extends TableOptions {
  /**
   * Looks at the whole table, also where an earlier call was stopped on its way. Needed if a version of pawl without this index has worked on the
   * table since.
   * @default false: it goes on where the earlier call was stopped
   */
  readonly restart?: boolean;
  /**
   * How many read units it uses in a second, on average. A partition of DynamoDB has 3,000, which the consumers' reads need as well. A unit reads 4 KB.
   * @default 1500
   */
  readonly readUnitsPerSecond?: number;
  /**
   * Hears of every part of the table that was looked at. What it throws is ignored.
   * @default none
   */
  readonly onProgress?: (progress: BackfillProgress) => void;
  /**
   * The timers, the clock and the random source. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

/** What a call has done until now. */
export interface BackfillProgress {
  /** How many items of the table it has looked at, whatever they are. */
  readonly looked: number;
  /** How many open claims it has put into the index. */
  readonly added: number;
  /** How many claims it has taken out, because a version of pawl without this index had ended them. */
  readonly removed: number;
  /** How many records it has left alone: a later version of pawl wrote them. */
  readonly leftAlone: number;
  /** How many of the parts of the table it has read to their end, with those of the earlier call that it goes on from. */
  readonly parts: { readonly done: number; readonly of: number };
}

const known = {
  ...tableOptionNames,
  restart: true,
  readUnitsPerSecond: true,
  onProgress: true,
  host: true,
} as const satisfies NamesOf<BackfillOptions>;

/** How many claims are corrected at once. A page of the table may hold thousands. */
const atOnce = 100;

/**
 * Puts the open claims of a table into its index, where a version of pawl without the index has left them: those that were parked, or are in doubt.
 * Until this has ended once, a list of open claims says that it is `incomplete`. Run it after the last consumer of such a version has ended.
 *
 * It may be stopped at any time, and run by two processes at once. It changes no claim but for its `open`, under its revision: consumers go on meanwhile.
 * Which claims are in flight and watched, only their workers know: such a claim is in the list from its next grant on.
 *
 * Needs `dynamodb:Scan`, `GetItem`, `BatchGetItem`, `UpdateItem` and `PartiQLUpdate` on the table: `ClaimsTable.grantBackfill`.
 *
 * @throws OptionError when an option is missing or out of range; Error when another call has begun anew; DynamoDB's error. What was done stays done
 * @example
 * const { added } = await backfillOpenClaims({ tableName: process.env.CLAIMS_TABLE });
 */
export async function backfillOpenClaims(options: BackfillOptions): Promise<BackfillProgress> {
  expectOptions(options, { door: 'backfillOpenClaims', known, docs: 'docs/reference/table.md' });
  const { restart = false, readUnitsPerSecond = 1500, onProgress, host = nodeHost } = options;
  expect(typeof restart === 'boolean', 'restart', 'true or false', restart);
  expect(readUnitsPerSecond > 0, 'readUnitsPerSecond', 'a number above 0', readUnitsPerSecond);
  if (onProgress !== undefined) expectFunction('onProgress', 'a function', onProgress);
  const { transport, nameOfTable } = tableOf(options);
  const table: Table = { transport, TableName: nameOfTable() };
  const explained = explainedTable(nameOfTable, transport, 'grantBackfill');
  return explaining(explained, () => backfillTable(table, { restart, readUnitsPerSecond, onProgress, host }));
}

interface Settings extends Required<Pick<BackfillOptions, 'restart' | 'readUnitsPerSecond' | 'host'>> {
  readonly onProgress: BackfillOptions['onProgress'] | undefined;
}

async function backfillTable(
  table: Table,
  { restart, readUnitsPerSecond, onProgress, host }: Settings,
): Promise<BackfillProgress> {
  const { transport, TableName: tableName } = table;
  const store = granted(dynamoStore({ tableName, client: transport, host }), 'claimsTable.grantBackfill(role)');
  const run = await joinRun(table, host.randomId(), restart);
  const done = { looked: 0, added: 0, removed: 0, leftAlone: 0 };
  let left = run.left.length;
  const progress = (): BackfillProgress => ({ ...done, parts: { done: segments - left, of: segments } });

  async function backfill(segment: Segment): Promise<void> {
    for (let { after } = segment; ; ) {
      const page = await scan(table, { ...segment, after });
      done.looked += page.looked;
      for (let from = 0; from < page.items.length; from += atOnce) {
        const some = page.items.slice(from, from + atOnce);
        for (const what of await Promise.all(some.map((item) => correct(store, item)))) if (what) done[what]++;
      }
      // Not before its claims are written: a call that goes on from here would leave them out.
      await moveOn(table, run.token, { ...segment, after: page.after });
      if (page.after === undefined) left--;
      callListener(onProgress, progress());
      if (page.after === undefined) return;
      ({ after } = page);
      await sleep(host, (page.readUnits * 1000 * segments) / readUnitsPerSecond);
    }
  }

  await allSettled(run.left.map(backfill));
  await endRun(table, run.token, new Date(host.now()).toISOString());
  return progress();
}

/** What a version of pawl without the index may have left wrong. Everything else stays where it is, and costs no transfer. */
const perhapsWrong =
  'attribute_exists(claimId) AND (attribute_exists(#open) OR attribute_exists(unknownAt) OR #status = :parked ' +
  'OR (#status = :released AND attribute_exists(checkpoints)))';

async function scan({ transport, TableName }: Table, { index, after }: Segment) {
  const { Items, ScannedCount, LastEvaluatedKey, ConsumedCapacity } = await call(transport, 'Scan', {
    TableName,
    Segment: index,
    TotalSegments: segments,
    // A claim that was parked a moment ago must not be missing for good.
    ConsistentRead: true,
    FilterExpression: perhapsWrong,
    ExpressionAttributeNames: { '#open': 'open', '#status': 'status' },
    ExpressionAttributeValues: { ':parked': { S: 'parked' }, ':released': { S: 'released' } },
    ReturnConsumedCapacity: 'TOTAL',
    ...(after !== undefined && { ExclusiveStartKey: { id: { S: after } } }),
  });
  const readUnits = ConsumedCapacity?.CapacityUnits ?? 0;
  return { items: Items ?? [], looked: ScannedCount ?? 0, after: LastEvaluatedKey?.['id']?.S, readUnits };
}

/** Brings the `open` of one claim in line with what it is. @returns what was done, if anything */
async function correct(store: ClaimStore, item: Item): Promise<'added' | 'removed' | 'leftAlone' | undefined> {
  let found: ClaimRecord | undefined;
  try {
    found = fromItem(item);
  } catch {
    return 'leftAlone';
  }
  // Each refusal means that a worker has changed the claim in between, or that this very write was applied and its answer lost.
  for (;;) {
    const next = found && reindexed(found);
    if (next === undefined) return undefined;
    const written = await store.write({ next, seen: found });
    if (written.applied) return next.open === undefined ? 'removed' : 'added';
    found = written.found;
  }
}

/** Waits for all of them, also if one fails: what is still under way must not go on behind the caller's back. @throws the first error */
async function allSettled(working: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(working);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
