import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { joined, ownParts } from '../../kernel/name.ts';
import { call } from './calls.ts';
import { refusedBy } from './errors.ts';
import { type Item, toItem } from './item.ts';
import type { DynamoTransport } from './transport.ts';

/**
 * How far `backfillOpenClaims` came: an item beside the claims.
 *
 * 1. Each run has a token. A run that begins anew ends the one before: what only that one has looked at does not count.
 * 2. A part counts as looked at when its claims are written. Two processes of one run may repeat a part, and never leave one out.
 * 3. Once a run has ended, `endedAt` stays, also while a later run is under way.
 */

/** No claim can have this id: an operation has a name before the `#`. */
export const backfillId: string = joined(ownParts('open-claims'));

/** In so many parts the table is read at once. */
export const segments = 4;

const schema = 'backfill-1';
const Key = { id: { S: backfillId } };

/** Where the item is. */
export interface Table {
  readonly transport: DynamoTransport;
  readonly TableName: string;
}

/** A run, and what is left of it. */
export interface Run {
  readonly token: string;
  readonly left: readonly Segment[];
}

/** A part of the table, from behind an id on. */
export interface Segment {
  readonly index: number;
  readonly after: string | undefined;
}

/** Whether a run has ended once. */
export async function hasEnded(table: Table): Promise<boolean> {
  return (await read(table))?.['endedAt'] !== undefined;
}

/**
 * Joins the run that has not ended, or begins one.
 *
 * @param token of a run that begins
 * @param restart begin one, also if one has not ended
 */
export async function joinRun(table: Table, token: string, restart: boolean): Promise<Run> {
  for (;;) {
    const found = runOf(await read(table));
    // Begun by this very call, whose answer was lost; or by another one.
    if (found !== undefined && (found.token === token || !restart)) return found;
    const marks = all.map(({ done, after }) => `${done}, ${after}`).join(', ');
    const begun = await isApplied(table, {
      UpdateExpression: `SET #run = :run, #v = :v REMOVE ${marks}`,
      ConditionExpression: found === undefined ? 'attribute_not_exists(#run)' : '#run = :seen',
      ExpressionAttributeNames: { '#run': 'run', '#v': 'v' },
      ExpressionAttributeValues: toItem({ ':run': token, ':v': schema, ':seen': found?.token }),
    });
    if (begun) return { token, left: all.map(({ index }) => ({ index, after: undefined })) };
  }
}

/**
 * Writes down how far a segment came; `after` is `undefined` at its end.
 *
 * @throws Error when another run has begun anew
 */
export async function moveOn(table: Table, token: string, { index, after }: Segment): Promise<void> {
  const name = after === undefined ? `done${index}` : `after${index}`;
  await ofRun(table, token, {
    UpdateExpression: 'SET #name = :value',
    ConditionExpression: '#run = :run',
    ExpressionAttributeNames: { '#name': name, '#run': 'run' },
    ExpressionAttributeValues: toItem({ ':value': after ?? 1, ':run': token }),
  });
}

/**
 * Writes down that all segments have been read to their end.
 *
 * @throws Error when another run has begun anew
 */
export async function endRun(table: Table, token: string, endedAt: string): Promise<void> {
  await ofRun(table, token, {
    UpdateExpression: 'SET #endedAt = :endedAt, #ended = :run REMOVE #run',
    ConditionExpression: `#run = :run AND ${all.map(({ done }) => `attribute_exists(${done})`).join(' AND ')}`,
    ExpressionAttributeNames: { '#endedAt': 'endedAt', '#ended': 'ended', '#run': 'run' },
    ExpressionAttributeValues: toItem({ ':endedAt': endedAt, ':run': token }),
  });
}

const all = Array.from({ length: segments }, (_, index) => ({ index, done: `done${index}`, after: `after${index}` }));

function runOf(item: Item | undefined): Run | undefined {
  const token = item?.['run']?.S;
  if (item === undefined || token === undefined) return undefined;
  const left = all.filter(({ done }) => item[done] === undefined);
  return { token, left: left.map(({ index, after }) => ({ index, after: item[after]?.S })) };
}

async function read({ transport, TableName }: Table): Promise<Item | undefined> {
  return (await call(transport, 'GetItem', { TableName, Key, ConsistentRead: true })).Item;
}

type Update = Omit<UpdateItemCommandInput, 'Key' | 'TableName'>;

/** An update of this run. It may have ended meanwhile: by another process, or by a first try whose answer was lost. */
async function ofRun(table: Table, token: string, update: Update): Promise<void> {
  if (await isApplied(table, update)) return;
  if ((await read(table))?.['ended']?.S === token) return;
  throw new Error('another call of backfillOpenClaims has begun anew, and this one stops: wait for that one to end');
}

async function isApplied({ transport, TableName }: Table, update: Update): Promise<boolean> {
  try {
    await call(transport, 'UpdateItem', { ...update, TableName, Key });
    return true;
  } catch (error) {
    if (refusedBy(error) === undefined) throw error;
    return false;
  }
}
