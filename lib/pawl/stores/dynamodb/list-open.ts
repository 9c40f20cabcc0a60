import type { DynamoTransport } from '../../aws/aws.ts';
import { openShards, shardName } from '../../rules/open.ts';
import {
  badCursor,
  checkedPrefix,
  type OpenClaim,
  type OpenPage,
  type OpenQuery,
  withoutForeign,
} from '../../rules/open-claims.ts';
import { call } from './calls.ts';
import { fieldsOf, type Item } from './item.ts';
import { openIndex } from './open-index.ts';
import { openIndexError } from './open-index-error.ts';

/** As many shards are asked at once. More would make a cursor longer, which holds a place in each of them; fewer, a page slower. */
const shardsAtOnce = 8;
/** At how many claims of a shard a search for some of them looks at once, at least. */
const leastLookedAt = 100;
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
  readonly transport: DynamoTransport;
  readonly TableName: string;
}

/** One page of the open claims. @throws OptionError; OpenIndexError when the table has no such index; DynamoDB's error */
export async function listOpen(table: OpenTable, query: OpenQuery): Promise<OpenPage> {
  const prefix = checkedPrefix(query);
  let rest = query.cursor === undefined ? { places: [], next: 0 } : restOf(query.cursor);
  const claims: OpenClaim[] = [];
  for (let round = 0; round < mostRounds && claims.length < query.limit && !isEmpty(rest); round++) {
    const page = await readSome(table, rest, prefix, query.limit - claims.length);
    claims.push(...page.claims);
    rest = page.rest;
  }
  const cursor = isEmpty(rest) ? undefined : cursorOf(rest);
  return { ...withoutForeign(claims), cursor };
}

/** Reads on in some shards at once: at most `limit` claims. */
async function readSome(table: OpenTable, { places, next }: Rest, prefix: string, limit: number) {
  const more = Math.max(0, Math.min(shardsAtOnce - places.length, openShards - next));
  const fresh = Array.from({ length: more }, (_, index): Place => ({ shard: next + index }));
  const asked = [...places, ...fresh];
  const share = Math.max(1, Math.floor(limit / asked.length));
  // DynamoDB counts what it looks at, not what fits: to look at two claims at a time for one of another operation takes for ever.
  const lookAt = prefix === '' ? share : Math.max(share, leastLookedAt);
  const read = await Promise.all(asked.map((place) => readShard(table, place, prefix, lookAt)));
  const claims: OpenClaim[] = [];
  const left: Place[] = [];
  for (const [index, { found, end }] of read.entries()) {
    const taken = found.slice(0, limit - claims.length);
    claims.push(...taken);
    const last = taken.at(-1);
    const place = asked[index] as Place;
    if (taken.length === found.length) left.push(...(end === undefined ? [] : [{ ...place, after: end }]));
    else left.push(last === undefined ? place : placeOf(place.shard, last.id, String(last.firstSeenAt)));
  }
  return { claims, rest: { places: left, next: next + more } };
}

/** Looks at so many claims of a shard. `found`: those that fit. `end`: the last one that was looked at, unless that was the last of the shard. */
async function readShard({ transport, TableName }: OpenTable, { shard, after }: Place, prefix: string, Limit: number) {
  const { name: IndexName, partitionKey } = openIndex;
  const byPrefix = prefix !== '' && { FilterExpression: 'begins_with(id, :prefix)' };
  const asked = call(transport, 'Query', {
    TableName,
    IndexName,
    Limit,
    KeyConditionExpression: '#shard = :shard',
    ...byPrefix,
    ExpressionAttributeNames: { '#shard': partitionKey },
    ExpressionAttributeValues: { ':shard': { S: shardName(shard) }, ...(byPrefix && { ':prefix': { S: prefix } }) },
    ...(after && { ExclusiveStartKey: after }),
  });
  const { Items = [], LastEvaluatedKey: end } = await asked.catch((error: unknown) => {
    throw openIndexError(error, TableName);
  });
  return { found: Items.map(openClaim), end };
}

/** What the index holds of a claim, without what only leads to it there. */
function openClaim(item: Item): OpenClaim {
  const { [openIndex.partitionKey]: _, ...rest } = item;
  return fieldsOf(rest) as OpenClaim;
}

const isEmpty = ({ places, next }: Rest): boolean => places.length === 0 && next >= openShards;

/** The cursor is a text for URLs: what is left to read, as JSON. */
function cursorOf({ places, next }: Rest): string {
  const left = places.map(({ shard, after }) =>
    after === undefined ? [shard] : [shard, after['id']?.S, after[openIndex.sortKey]?.N],
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
  const { partitionKey, sortKey } = openIndex;
  return { shard, after: { id: { S: id }, [partitionKey]: { S: shardName(shard) }, [sortKey]: { N: seen } } };
}
