import { type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type ClaimStore, once, type Reconcile, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import {
  type ReconcileStatementsOptions,
  reconcileStatements,
  type StatementLine,
} from '../../../lib/pawl/statements/index.ts';
import {
  dynamoStore,
  individualDynamoStore,
  markRestored,
  readRestored,
  restoredTable,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { eventually } from '../../support/eventually.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const minute = 60_000;
const operation = 'pay';
const acted = { by: 'maria', note: 'a bad deployment' };
let client: DynamoDBClient;
let [old, restored] = ['', ''];
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
});
beforeEach(async () => {
  [old, restored] = [await claimsTable(client), await claimsTable(client)];
});
afterAll(() => client.destroy());

/** A clock that is behind, or ahead: the world ten minutes ago, and after everything has settled. */
const clockAt = (ms: number) => ({ ...nodeHost, now: () => Date.now() + ms });

/** A provider that ignores effect keys, and whose statement has a line for each effect. It cannot say anything about a single key. */
function createProvider() {
  const lines: StatementLine[] = [];
  let busy = (_key: string) => false;
  return {
    lines,
    busyIf: (rule: typeof busy) => {
      busy = rule;
    },
    apply(key: string, effectKey: string, at: number) {
      if (busy(key)) throw new RetryableError('busy');
      lines.push({ effectKey, at, id: `txn_${lines.length}` });
    },
    times: (key: string) => lines.filter(({ effectKey }) => effectKey === `${operation}#${key}`).length,
  };
}
type Provider = ReturnType<typeof createProvider>;

const cannotSay: Reconcile<unknown> = reconcile({ ask: () => ({ verdict: 'inconclusive' }), settleMs: 0 });
const policies = { park: 'park', reconcile: cannotSay } as const;
type Policy = keyof typeof policies;

function consumer(store: ClaimStore, provider: Provider, policy: Policy, host: typeof nodeHost = nodeHost) {
  const handler = eachMessage<{ id: string }>(
    {
      operation,
      store,
      host,
      skewMs: 0,
      key: bodyField('id'),
      onAbandoned: policies[policy],
      maxAbandoned: 50,
      statements: true,
      aws: noQueue,
      onEvent: () => undefined,
    },
    ({ body }, { effectKey }) => provider.apply(body.id, effectKey, host.now()),
  );
  return async (keys: readonly string[]) => {
    for (let from = 0; from < keys.length; from += 10) {
      await handler(sqsEvent(...keys.slice(from, from + 10).map((id) => sqsRecord({ id }))), context());
    }
  };
}

const named = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

/** A table that was restored to ten minutes ago, in mid-traffic; what was sent in those minutes; and its mark. */
async function restoredInTraffic(provider: Provider, policy: Policy) {
  const keys = {
    done: named('done', 10),
    failing: named('failing', 10),
    inFlight: named('in-flight', 5),
    lost: named('lost', 40),
    failed: named('failed', 12),
  };
  const cutOff = Date.now() - 10 * minute;
  provider.busyIf((key) => key.startsWith('failing'));
  await consumer(
    dynamoStore({ tableName: old, aws: sdk({ dynamodb: client }) }),
    provider,
    policy,
    clockAt(-20 * minute),
  )([...keys.done, ...keys.failing]);
  const stalled = Promise.withResolvers<never>();
  const pay = once(
    {
      operation,
      store: dynamoStore({ tableName: old, aws: sdk({ dynamodb: client }) }),
      host: clockAt(-15 * minute),
      key: (key: string) => key,
      onAbandoned: 'park',
      watched: false,
      statements: true,
      onEvent: () => undefined,
    },
    () => stalled.promise,
  ).outcome;
  for (const key of keys.inFlight) void pay(key, { remainingMs: () => 30_000 }).catch(() => undefined);
  await eventually('all 25 are claimed', async () =>
    expect((await client.send(new ScanCommand({ TableName: old }))).Count).toBe(25),
  );
  const { Items = [] } = await client.send(new ScanCommand({ TableName: old, ConsistentRead: true }));
  for (const Item of Items) await client.send(new PutItemCommand({ TableName: restored, Item }));

  // The minutes that are lost: what was busy succeeds, what was in flight is applied, and new messages come.
  provider.busyIf((key) => key.startsWith('failed'));
  const since = clockAt(-8 * minute);
  await consumer(
    dynamoStore({ tableName: old, aws: sdk({ dynamodb: client }) }),
    provider,
    policy,
    since,
  )([...keys.failing, ...keys.lost, ...keys.failed]);
  for (const key of keys.inFlight) provider.apply(key, `${operation}#${key}`, since.now());
  provider.busyIf(() => false);
  await markRestored({ tableName: restored, aws: sdk({ dynamodb: client }), cutOff: new Date(cutOff), ...acted });
  return { keys, cutOff };
}

/** A run that reads the statement once everything until the mark has settled. */
const comparing = (
  store: ClaimStore,
  { lines }: Provider,
  cutOff: number,
  more: Partial<ReconcileStatementsOptions> = {},
): ReconcileStatementsOptions => ({
  operation,
  store,
  from: cutOff - 30 * minute,
  settleMs: minute,
  statement: () => lines,
  host: clockAt(2 * minute),
  onEvent: () => undefined,
  restored: 'lift',
  ...more,
});

describe.each(Object.keys(policies) as Policy[])('under %s', (policy) => {
  it.each([
    ['dynamoStore', dynamoStore],
    ['individualDynamoStore', individualDynamoStore],
  ] as const)(
    'a table restored to ten minutes ago in mid-traffic, whose statement lifts its mark: of all messages of those minutes, sent again before and after, none is doubled and none is lost, with %s',
    async (_, open) => {
      const provider = createProvider();
      const { keys, cutOff } = await restoredInTraffic(provider, policy);
      const all = Object.values(keys).flat();
      const store = open({ tableName: restored, aws: sdk({ dynamodb: client }), restored: restoredTable });
      // Half of them come again before the statement is read: what the table may have forgotten waits.
      const early = all.filter((_, index) => index % 2 === 0);
      await consumer(store, provider, policy)(early);
      expect(keys.failed.map(provider.times)).toEqual(keys.failed.map(() => 0));

      const done = await reconcileStatements(comparing(store, provider, cutOff));
      expect(done).toMatchObject({ outcome: 'done', report: { restored: { mark: 'lifted' }, open: {} } });
      expect(await readRestored({ tableName: restored, aws: sdk({ dynamodb: client }) })).toMatchObject({
        liftedFor: { [operation]: { by: 'statement' } },
      });

      // All of them come again, several times, also to consumers that were deployed without the option.
      const after = open({ tableName: restored, aws: sdk({ dynamodb: client }) });
      for (const opened of [
        open({ tableName: restored, aws: sdk({ dynamodb: client }), restored: restoredTable }),
        store,
        after,
      ]) {
        await consumer(opened, provider, policy)(all);
      }
      expect(Object.fromEntries(all.map((key) => [key, provider.times(key)]))).toEqual(
        Object.fromEntries(all.map((key) => [key, 1])),
      );
      const { claims } = await withListing(
        dynamoStore({ tableName: restored, aws: sdk({ dynamodb: client }) }),
      ).listOpen({
        limit: 1000,
      });
      expect(claims).toEqual([]);
      // A new key is a new one.
      await consumer(store, provider, policy)(['new']);
      expect(provider.times('new')).toBe(1);
    },
  );
});

describe('the mark of a restored table', () => {
  const opened = () => dynamoStore({ tableName: restored, aws: sdk({ dynamodb: client }), restored: restoredTable });
  const runs = async (provider: Provider, cutOff: number, more: Partial<ReconcileStatementsOptions> = {}) => {
    const done = await reconcileStatements(comparing(opened(), provider, cutOff, more));
    if (done.outcome !== 'done') throw new Error(done.outcome);
    return done.report.restored;
  };

  it('stands if the window begins after the cut-off, or ends before the table was opened again: nothing is released', async () => {
    const provider = createProvider();
    const { keys, cutOff } = await restoredInTraffic(provider, 'park');
    await consumer(opened(), provider, 'park')(keys.failed);
    const late = await runs(provider, cutOff, { from: cutOff });
    expect(late).toMatchObject({ mark: 'stands', why: expect.stringContaining('begins after') });
    const early = await runs(provider, cutOff, { cutOff: Date.now() - minute });
    expect(early).toMatchObject({ mark: 'stands', why: expect.stringContaining('ends before') });
    const { claims } = await withListing(opened()).listOpen({ limit: 1000 });
    expect(claims.filter(({ id }) => id.includes('failed')).map(({ status }) => status)).toEqual(
      keys.failed.map(() => 'parked'),
    );
  });

  it('stands beside a line that cannot be read: it may be the one that a key lacks', async () => {
    const provider = createProvider();
    const { cutOff } = await restoredInTraffic(provider, 'park');
    provider.lines.push({ effectKey: `${operation}#sha256:${'0'.repeat(64)}`, at: cutOff + minute, id: 'txn_hashed' });
    expect(await runs(provider, cutOff)).toMatchObject({ mark: 'stands', why: 'lines are unreadable' });
  });

  it('stands if an attempt of the run did not know of the restore', async () => {
    const provider = createProvider();
    const { cutOff } = await restoredInTraffic(provider, 'park');
    const plain = dynamoStore({ tableName: restored, aws: sdk({ dynamodb: client }) });
    const killed = new AbortController();
    const stopped = await reconcileStatements(
      comparing(plain, provider, cutOff, {
        restored: 'complete',
        signal: killed.signal,
        onProgress: () => killed.abort(),
      }),
    );
    expect(stopped.outcome).toBe('stopped');
    expect(await runs(provider, cutOff)).toMatchObject({ mark: 'stands', why: expect.stringContaining('begun by') });
    // The next run reads all of it.
    expect(await runs(provider, cutOff)).toEqual({ mark: 'lifted' });
  });

  it('stands for every other operation', async () => {
    const provider = createProvider();
    const { cutOff } = await restoredInTraffic(provider, 'park');
    expect(await runs(provider, cutOff)).toEqual({ mark: 'lifted' });
    let ran = 0;
    const mail = once(
      { operation: 'mail', store: opened(), key: (key: string) => key, onAbandoned: 'park', onEvent: () => undefined },
      () => void ran++,
    ).outcome;
    expect(await mail('m-1')).toMatchObject({ outcome: 'parked' });
    expect(ran).toBe(0);
    await Promise.all(
      ['mail', 'sms', 'push'].map((other) =>
        reconcileStatements(comparing(opened(), createProvider(), cutOff, { operation: other })),
      ),
    );
    const { liftedFor = {} } = (await readRestored({ tableName: restored, aws: sdk({ dynamodb: client }) })) ?? {};
    expect(Object.keys(liftedFor).toSorted()).toEqual(['mail', 'pay', 'push', 'sms']);
  });

  it("stands under 'complete' and 'release'; lines complete what was forgotten, and only 'release' releases the rest", async () => {
    const provider = createProvider();
    const { keys, cutOff } = await restoredInTraffic(provider, 'park');
    await consumer(opened(), provider, 'park')([...keys.lost, ...keys.failed]);
    expect(await runs(provider, cutOff, { restored: 'complete' })).toBeUndefined();
    const statusOf = async (key: string | undefined) => (await opened().read(`${operation}#${key}`))?.status;
    expect([await statusOf(keys.lost[0]), await statusOf(keys.failed[0])]).toEqual(['completed', 'parked']);
    expect(await runs(provider, cutOff, { restored: 'release' })).toEqual({ mark: 'stands' });
    expect([await statusOf(keys.lost[0]), await statusOf(keys.failed[0])]).toEqual(['completed', 'released']);
    expect(await opened().read(`${operation}#${keys.failed[0]}`)).toMatchObject({
      resolution: { verdict: 'not-applied', by: 'statement' },
    });
    expect((await readRestored({ tableName: restored, aws: sdk({ dynamodb: client }) }))?.liftedFor).toBeUndefined();
  });

  it('releases no doubt that a worker has left since the mark was set', async () => {
    const provider = createProvider();
    const { cutOff } = await restoredInTraffic(provider, 'park');
    // An operator lets it run, and its worker fails in the middle of the effect.
    const operate = operator({ store: opened(), onEvent: () => undefined });
    await operate.resolve({ operation, key: 'again' }, 'not-applied', acted);
    const pay = once(
      { operation, store: opened(), key: (key: string) => key, onAbandoned: 'park', onEvent: () => undefined },
      () => {
        throw new Error('reset');
      },
    ).outcome;
    await pay('again').catch(() => undefined);
    expect(await opened().read(`${operation}#again`)).toMatchObject({ status: 'parked' });
    expect(await runs(provider, cutOff)).toEqual({ mark: 'lifted' });
    expect(await opened().read(`${operation}#again`)).toMatchObject({ status: 'parked' });
  });

  it('cannot be lifted by a store that does not know of it', async () => {
    const store = dynamoStore({ tableName: restored, aws: sdk({ dynamodb: client }) });
    await expect(reconcileStatements(comparing(store, createProvider(), Date.now()))).rejects.toThrow(
      "restored: 'lift' needs a store",
    );
  });
});
