import { type DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { isOpen, openShards, shardName } from '../../claims/open.ts';
import {
  badCursor,
  checkedPrefix,
  isStillOpen,
  type OpenClaim,
  type OpenPage,
  type OpenQuery,
} from '../../claims/open-claims.ts';
import type { ClaimRecord } from '../../claims/record.ts';
import { backfillId, hasEnded } from './backfill-progress.ts';
import { openIndexError } from './errors.ts';
import { fieldsOf, type Item } from './item.ts';
import { OPEN_INDEX } from './open-index.ts';

/** As many shards are asked at once. More would make a cursor longer, which holds a place in each of them; fewer, a page slower. */
const shardsAtOnce = 8;
/** A page that has not found anything yet ends after so many rounds: a caller that looks for what is not there can stop in between. */
const mostRounds = 16;

/** A shard that is being read, and the last item that was read of it. */
interface Place {
  readonly shard: number;
  readonly after?: Item | undefined;
}

/** What is left to read: some of some shards, and all from `next` on. */
interface Rest {
  readonly places: readonly Place[];
  readonly next: number;
}

/** What a list of open claims is read from. */
export interface OpenTable {
  readonly client: DynamoDBClient;
  readonly TableName: string;
  /** Reads a record, strongly consistent. */
  readonly read: (id: string) => Promise<ClaimRecord | undefined>;
}

/** One page of the open claims. @throws OptionError; OpenIndexError when the table has no such index; DynamoDB's error */
export async function listOpen(table: OpenTable, query: OpenQuery): Promise<OpenPage> {
  const prefix = checkedPrefix(query);
  let rest = query.cursor === undefined ? { places: [], next: 0 } : restOf(query.cursor);
  const complete = isComplete(table);
  // It is awaited below: until then, its failure is not unhandled.
  complete.catch(() => undefined);
  const claims: OpenClaim[] = [];
  for (let round = 0; round < mostRounds && claims.length < query.limit && !isEmpty(rest); round++) {
    const page = await readSome(table, rest, prefix, query.limit - claims.length);
    claims.push(...page.claims);
    rest = page.rest;
  }
  return { claims, cursor: isEmpty(rest) ? undefined : cursorOf(rest), incomplete: !(await complete) };
}

/** Reads on in some shards at once: at most `limit` claims. */
async function readSome(table: OpenTable, { places, next }: Rest, prefix: string, limit: number) {
  const more = Math.max(0, Math.min(shardsAtOnce - places.length, openShards - next));
  const fresh = Array.from({ length: more }, (_, index): Place => ({ shard: next + index }));
  const known = [...places, ...fresh];
  const asked = known.slice(0, limit);
  const share = Math.floor(limit / asked.length);
  const read = await Promise.all(asked.map((place) => readShard(table, place, prefix, share)));
  const unfinished = read.flatMap(({ place }) => place ?? []);
  return {
    claims: read.flatMap(({ claims }) => claims),
    rest: { places: [...known.slice(limit), ...unfinished], next: next + more },
  };
}

async function readShard(
  { client, TableName, read }: OpenTable,
  { shard, after }: Place,
  prefix: string,
  Limit: number,
) {
  const { name: IndexName, partitionKey } = OPEN_INDEX;
  const byPrefix = prefix !== '' && { FilterExpression: 'begins_with(id, :prefix)' };
  const command = new QueryCommand({
    TableName,
    IndexName,
    Limit,
    KeyConditionExpression: '#shard = :shard',
    ...byPrefix,
    ExpressionAttributeNames: { '#shard': partitionKey },
    ExpressionAttributeValues: { ':shard': { S: shardName(shard) }, ...(byPrefix && { ':prefix': { S: prefix } }) },
    ...(after && { ExclusiveStartKey: after }),
  });
  const { Items = [], LastEvaluatedKey } = await client.send(command).catch((error: unknown) => {
    throw openIndexError(error, TableName);
  });
  const found = await Promise.all(Items.map((item) => stillOpen(openClaim(item), read)));
  const place: Place | undefined = LastEvaluatedKey && { shard, after: LastEvaluatedKey };
  return { claims: found.flatMap((claim) => claim ?? []), place };
}

/** What the index holds of a claim, without what only leads to it there. */
function openClaim(item: Item): OpenClaim {
  const { [OPEN_INDEX.partitionKey]: _, ...rest } = item;
  return fieldsOf(rest) as OpenClaim;
}

async function stillOpen(claim: OpenClaim, read: OpenTable['read']): Promise<OpenClaim | undefined> {
  const said = isStillOpen(claim);
  if (said !== 'the record says') return said ? claim : undefined;
  const record = await read(claim.id);
  return record !== undefined && isOpen(record, false) ? claim : undefined;
}

/** Whether no claim can be missing: whatever was parked before there was an index is in it. */
async function isComplete({ client, TableName }: OpenTable): Promise<boolean> {
  const Key = { id: { S: backfillId } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return hasEnded(Item);
}

const isEmpty = ({ places, next }: Rest): boolean => places.length === 0 && next >= openShards;

/** The cursor is a text for URLs: what is left to read, as JSON. */
function cursorOf({ places, next }: Rest): string {
  const left = places.map(({ shard, after }) =>
    after === undefined ? [shard] : [shard, after['id']?.S, after[OPEN_INDEX.sortKey]?.N],
  );
  return Buffer.from(JSON.stringify([next, ...left])).toString('base64url');
}

/** @throws OptionError when it is no cursor of this store */
function restOf(cursor: string): Rest {
  try {
    const [next, ...left] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      number,
      ...[number, string?, string?][],
    ];
    if (!isShard(next - 1) || !left.every(([shard]) => isShard(shard))) return badCursor(cursor);
    return { next, places: left.map(([shard, id, seen]) => placeOf(shard, id, seen)) };
  } catch {
    return badCursor(cursor);
  }
}

const isShard = (shard: number): boolean => Number.isSafeInteger(shard) && shard >= 0 && shard < openShards;

function placeOf(shard: number, id: string | undefined, seen: string | undefined): Place {
  if (id === undefined || seen === undefined) return { shard };
  const { partitionKey, sortKey } = OPEN_INDEX;
  return { shard, after: { id: { S: id }, [partitionKey]: { S: shardName(shard) }, [sortKey]: { N: seen } } };
}
