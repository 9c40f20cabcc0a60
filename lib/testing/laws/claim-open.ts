import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClaimRecord,
  type Draft,
  type ListsOpenClaims,
  listsOpenClaims,
  type OpenClaim,
  type OpenQuery,
  openClaimOf,
  statementDue,
  successor,
  withListing,
} from 'pawl/internal';
import { longestIdBytes } from './claim-contents.ts';
import { type ClaimStage, create } from './claim-stage.ts';
import { expectSame, expectThat, isSame } from './expect.ts';
import type { Law } from './law.ts';
import { claimRecord, freshKey, operation, someDay } from './records.ts';

/** Before a list that is not right is read again, in milliseconds. */
const pauseMs = 50;
/** More pages than any law has records: a list that never ends must fail, and not hang. */
const mostPages = 10_000;

/** A record as pawl writes it: its `open` says whether it is. */
function written(changes: Partial<Draft>, watched = false): ClaimRecord {
  return successor(undefined, claimRecord(changes), watched);
}

const inDoubt = JSON.stringify([{ name: 'charge', state: 'started', at: someDay, fence: 1 }]);
const settled = JSON.stringify([{ name: 'charge', state: 'done', at: someDay, fence: 1 }]);

/** What an operator may have to look at, by what it is called in the laws. */
const openRecords: Readonly<Record<string, (id: string) => ClaimRecord>> = {
  parked: (id) => written({ id, status: 'parked', expiresAt: undefined, error: { name: 'abandoned', message: '' } }),
  'released in doubt': (id) => written({ id, status: 'released', expiresAt: undefined, unknownAt: someDay }),
  'released with a step in doubt': (id) =>
    written({ id, status: 'released', expiresAt: undefined, checkpoints: inDoubt }),
  'in flight with a doubt': (id) => written({ id, unknownAt: someDay, abandoned: 1, fence: 2, attempts: 2 }),
  'in flight and watched': (id) => written({ id, attributes: { currency: 'EUR', amount: 12.5 } }, true),
};

/** What needs no operator. */
const otherRecords: Readonly<Record<string, (id: string) => ClaimRecord>> = {
  released: (id) => written({ id, status: 'released', checkpoints: settled }),
  completed: (id) => written({ id, status: 'completed', result: '"done"' }),
  rejected: (id) => written({ id, status: 'rejected', error: { name: 'RejectedError', message: 'no' } }),
  'completed, and not confirmed by a statement': (id) => written({ id, status: 'completed', statement: statementDue }),
  'in flight': (id) => written({ id }),
  'in flight with a step under way': (id) => written({ id, checkpoints: inDoubt }),
};

/** @throws AssertionError when the store has no list */
function listOf({ store }: ClaimStage): ListsOpenClaims {
  const listed = withListing(store);
  if (listsOpenClaims(listed)) return listed;
  expectThat(
    false,
    'The store has no function listOpen',
    'These laws are about it: leave listsOpenClaims out, or add it.',
  );
  throw new TypeError('unreachable');
}

/** All pages of a query. */
async function allPages(stage: ClaimStage, query: OpenQuery): Promise<readonly OpenClaim[]> {
  const list = listOf(stage);
  const claims: OpenClaim[] = [];
  for (let cursor = query.cursor, pages = 0; pages < mostPages; pages++) {
    const page = await list.listOpen({ ...query, ...(cursor !== undefined && { cursor }) });
    const count = page.claims.length;
    expectThat(
      count <= query.limit,
      `A page of at most ${query.limit} holds ${count} claims`,
      'Memory is planned by it.',
    );
    claims.push(...page.claims);
    if (page.cursor === undefined) return claims;
    ({ cursor } = page);
  }
  expectThat(false, `After ${mostPages} pages the list has not ended`, 'An operator would wait for ever.');
  return claims;
}

/** Lists until the list is right, or has had its time. */
async function listed(
  stage: ClaimStage,
  query: OpenQuery,
  isRight: (claims: readonly OpenClaim[]) => boolean,
): Promise<readonly OpenClaim[]> {
  for (const until = Date.now() + stage.listLagMs; ; ) {
    const claims = await allPages(stage, query);
    if (isRight(claims) || Date.now() >= until) return claims;
    await sleep(pauseMs);
  }
}

const byId = (one: OpenClaim, other: OpenClaim) => (one.id < other.id ? -1 : 1);

async function expectListed(
  stage: ClaimStage,
  query: OpenQuery,
  records: readonly ClaimRecord[],
  did: string,
  why: string,
) {
  const expected = records.map(openClaimOf).sort(byId);
  const found = await listed(stage, query, (claims) => isSame([...claims].sort(byId), expected));
  expectSame(did, [...found].sort(byId), expected, why);
}

/** A part of the table for one law: all of its keys begin so. */
function place() {
  const keyPrefix = `${freshKey()}/`;
  return { query: { operation, keyPrefix, limit: 1000 }, idOf: (key: string) => `${operation}#${keyPrefix}${key}` };
}

const overlooked = 'An operator would never learn that this claim waits for a decision.';
const misled = 'An operator would decide about a claim that needs no decision.';

/** A store that lists what is open lists that, and nothing else. */
export const openLaws: readonly Law<ClaimStage>[] = [
  {
    name: 'lists what is open, and of each claim what an operator needs to choose',
    async run(stage) {
      const { query, idOf } = place();
      const records = Object.entries(openRecords).map(([key, record]) => record(idOf(key)));
      for (const record of records) await create(stage, record);
      await expectListed(stage, query, records, 'The list of open claims', overlooked);
    },
  },
  {
    name: 'does not list what is not open',
    async run(stage) {
      const { query, idOf } = place();
      for (const [key, record] of Object.entries(otherRecords)) await create(stage, record(idOf(key)));
      const last = openRecords['parked']?.(idOf('the last one written')) as ClaimRecord;
      await create(stage, last);
      await expectListed(stage, query, [last], 'The list of open claims', misled);
    },
  },
  {
    name: 'stops listing a claim when it is no longer open, and lists it anew when it is again',
    async run(stage) {
      const { query, idOf } = place();
      for (const [key, record] of Object.entries(openRecords)) {
        const before = record(idOf(key));
        await create(stage, before);
        const { unknownAt: _, checkpoints: __, error: ___, ...rest } = before;
        const after = successor(before, { ...rest, status: 'completed' });
        await stage.store.write({ next: after, seen: before });
      }
      await expectListed(stage, query, [], 'The list after all claims were completed', misled);
      const found = await stage.store.read(idOf('parked'));
      const again = successor(found, { ...(found as ClaimRecord), status: 'parked' });
      await stage.store.write({ next: again, seen: found });
      await expectListed(stage, query, [again], 'The list after a claim was parked again', overlooked);
    },
  },
  {
    name: 'lists by operation, and by how the key begins, to the letter',
    async run(stage) {
      const { query, idOf } = place();
      const keys = ['order-1', 'order-10', 'Order-1', 'order%1', 'order_1', 'ordér-1', 'o', 'x'];
      const records = keys.map((key) => written({ id: idOf(key), status: 'parked' }));
      const { id } = written({ id: idOf('order-1'), status: 'parked' });
      const stranger = written({ id: id.replace(`${operation}#`, `${operation}-2#`), status: 'parked' });
      for (const record of [...records, stranger]) await create(stage, record);
      for (const beginning of ['', 'order', 'order-1', 'order%', 'order_', 'O', 'ordér', 'none']) {
        const keyPrefix = `${query.keyPrefix}${beginning}`;
        const expected = records.filter((record) => record.id.startsWith(`${operation}#${keyPrefix}`));
        await expectListed(
          stage,
          { ...query, keyPrefix },
          expected,
          `The list of ${JSON.stringify(beginning)}`,
          misled,
        );
      }
      const ofOther = { operation: `${operation}-2`, keyPrefix: query.keyPrefix, limit: 1000 };
      await expectListed(stage, ofOther, [stranger], 'The list of another operation', misled);
      const ofAll = await listed(stage, { operation, limit: 1000 }, (claims) =>
        records.every((record) => claims.some((claim) => claim.id === record.id)),
      );
      expectThat(
        !ofAll.some((claim) => claim.id === stranger.id),
        'The list of one operation has a claim of another',
        misled,
      );
      const missing = records.filter((record) => !ofAll.some((claim) => claim.id === record.id));
      expectSame('The claims that the list of their operation lacks', missing, [], overlooked);
    },
  },
  {
    name: 'lists a claim with the longest id',
    async run(stage) {
      const { query, idOf } = place();
      const record = written({ id: idOf('').padEnd(longestIdBytes, 'x'), status: 'parked' });
      await create(stage, record);
      await expectListed(stage, query, [record], 'The list of open claims', overlooked);
    },
  },
  {
    name: 'lists each claim once, whatever the size of a page',
    async run(stage) {
      const { query, idOf } = place();
      const records = Array.from({ length: 40 }, (_, index) => written({ id: idOf(`${index}`), status: 'parked' }));
      for (const record of records) await create(stage, record);
      for (const limit of [1000, 7, 1]) {
        await expectListed(stage, { ...query, limit }, records, `The list in pages of ${limit}`, overlooked);
      }
    },
  },
  {
    name: 'keeps its place while claims before and behind it are opened and ended',
    async run(stage) {
      const { query, idOf } = place();
      const records = Array.from({ length: 30 }, (_, index) => written({ id: idOf(`${index}`), status: 'parked' }));
      for (const record of records) await create(stage, record);
      await expectListed(stage, query, records, 'The list of open claims', overlooked);
      const [first, ...others] = records as [ClaimRecord, ...ClaimRecord[]];
      const page = await listOf(stage).listOpen({ ...query, limit: 5 });
      await stage.store.write({ next: successor(first, { ...first, status: 'completed' }), seen: first });
      await create(stage, written({ id: idOf('another'), status: 'parked' }));
      const { cursor } = page;
      const rest = cursor === undefined ? [] : await allPages(stage, { ...query, limit: 5, cursor });
      const seen = [...page.claims, ...rest].map(({ id }) => id);
      const missing = others.filter(({ id }) => !seen.includes(id)).map(({ id }) => id);
      expectSame('The claims that stayed open and that the list lacks', missing, [], overlooked);
      expectSame('The claims that are in the list twice', seen.length - new Set(seen).size, 0, misled);
    },
  },
  {
    name: 'refuses a query that is none, and a cursor that it has not given',
    async run(stage) {
      const list = listOf(stage);
      const queries: readonly OpenQuery[] = [
        { limit: 0 },
        { limit: 1001 },
        { limit: 1, keyPrefix: 'order' },
        { limit: 1, operation: 'a b' },
        { limit: 1, cursor: 'of another store' },
      ];
      for (const query of queries) {
        const refused = await list.listOpen(query).then(
          () => false,
          () => true,
        );
        expectThat(
          refused,
          `listOpen took ${JSON.stringify(query)}`,
          'An operator would take its result for the list.',
        );
      }
    },
  },
];
