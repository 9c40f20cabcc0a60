import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import {
  type ClaimRecord,
  type ClaimStore,
  hashed,
  InDoubtError,
  once,
  ResultNotKeptError,
  RetryableError,
  reconcile,
  renewedLease,
} from '../../../../lib/pawl/index.ts';
import { operator } from '../../../../lib/pawl/operate/index.ts';
import { commit, postgresStore } from '../../../../lib/pawl/postgres/index.ts';
import { besidePowertools } from '../../../../lib/pawl/powertools/index.ts';
import { recordIdOf } from '../../../../lib/pawl/powertools/record-id.ts';
import { bodyField, eachMessage } from '../../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { loseAnswersOf } from '../../../support/lost-answers.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { record } from '../../../support/records.ts';
import { localClient } from '../../../support/tables.ts';
import { type Both, bothTables, byPawl, byPeer, type Order, recordAt } from './support.ts';

/** Powertools' own library beside pawl, over one table of records. */

let client: DynamoDBClient;
let both: Both;
let orders = 0;
beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  both = await bothTables(client);
});
afterEach(() => vi.restoreAllMocks());

const newOrder = (): Order => ({ orderId: `o-${++orders}` });
const idOf = ({ orderId }: Order) => recordIdOf(both.keyPrefix, orderId, 'md5');
const recordOf = (order: Order) => recordAt(both, { id: { S: idOf(order) } });
const claimOf = ({ orderId }: Order) =>
  dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }).read(`mails#${orderId}`);

/** A record as Powertools leaves it when its worker dies. */
async function leaveBehind(order: Order, more: Record<string, unknown>): Promise<void> {
  const record = { id: idOf(order), status: 'INPROGRESS', expiration: Math.round(Date.now() / 1000) + 3600, ...more };
  await client.send(new PutItemCommand({ TableName: both.records, Item: marshall(record) }));
}

/** The clock goes on by so much. */
const now = Date.now;
const later = (ms: number) => vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);

const response = { list: [1, 'a', null, { deep: true }], amount: 12.5 };

describe('while workers of both run', () => {
  test('what one has completed, the other replays with its response', async () => {
    for (const [first, second] of [
      [byPawl, byPeer],
      [byPeer, byPawl],
    ] as const) {
      const order = newOrder();
      const run = vi.fn(() => response);
      expect(await first(both, run)(order)).toEqual(response);
      expect(await second(both, run)(order)).toEqual(response);
      expect(run).toHaveBeenCalledTimes(1);
    }
  });

  test('a result that is too large to keep is not replayed as nothing: its duplicate says that it is not there', async () => {
    const order = newOrder();
    const run = vi.fn(() => 'x'.repeat(450_000));
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(await byPawl(both, run)(order)).toHaveLength(450_000);
    await expect(byPawl(both, run)(order)).rejects.toBeInstanceOf(ResultNotKeptError);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test("Powertools' table that is not there is named", async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const sent = byPawl({ ...both, records: 'there-is-none' }, () => 'sent')(newOrder());
    await expect(sent).rejects.toThrow("Powertools' table 'there-is-none' does not exist");
  });

  test('a function that returns nothing is replayed as nothing', async () => {
    const order = newOrder();
    const run = vi.fn(() => undefined);
    await byPeer(both, run)(order);
    expect(await byPawl(both, run)(order)).toBeUndefined();
    const other = newOrder();
    await byPawl(both, run)(other);
    expect(await byPeer(both, run)(other)).toBeUndefined();
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('pawl ends a record as Powertools does, and leaves no mark of its own on what is done', async () => {
    const order = newOrder();
    await byPawl(both, () => response)(order);
    const { expiration, in_progress_expiration, ...record } = (await recordOf(order)) ?? {};
    expect(record).toEqual({ id: idOf(order), status: 'COMPLETED', data: response });
    expect(Number(expiration) * 1000 - Date.now()).toBeGreaterThan(3_500_000);
    expect(in_progress_expiration).toBeGreaterThan(Date.now());
    expect(await claimOf(order)).toMatchObject({ status: 'completed', attributes: { powertools: idOf(order) } });
  });

  test('of two at once, one runs, whichever library it is of', async () => {
    for (const which of [
      [byPawl, byPeer],
      [byPeer, byPawl],
      [byPawl, byPawl],
    ] as const) {
      const order = newOrder();
      const going = Promise.withResolvers<string>();
      const run = vi.fn(() => going.promise);
      const calls = which.map((by) => by(both, run)(order));
      const settled = Promise.allSettled(calls);
      const refused = await Promise.any(
        calls.map((call) =>
          call.then(
            () => Promise.reject(new Error()),
            (error: Error) => error,
          ),
        ),
      );
      expect(refused.name).toBe('IdempotencyAlreadyInProgressError');
      going.resolve('done');
      expect((await settled).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(run).toHaveBeenCalledTimes(1);
    }
  });

  test('twenty at once of both libraries: one runs', async () => {
    const order = newOrder();
    const run = vi.fn(() => 'done');
    const [mine, theirs] = [byPawl(both, run), byPeer(both, run)];
    const calls = Array.from({ length: 20 }, (_, at) => (at % 2 ? mine : theirs)(order));
    await Promise.allSettled(calls);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an error frees the key for both, and a duplicate in flight frees nothing', async () => {
    const order = newOrder();
    const going = Promise.withResolvers<string>();
    await expect(byPawl(both, () => Promise.reject(new Error('full')))(order)).rejects.toThrow('full');
    expect(await recordOf(order)).toBeUndefined();
    expect(await claimOf(order)).toMatchObject({ status: 'released' });
    const running = byPeer(both, () => going.promise)(order);
    await eventually('a record in progress', async () =>
      expect(await recordOf(order)).toMatchObject({ status: 'INPROGRESS' }),
    );
    await expect(byPawl(both, () => 'twice')(order)).rejects.toThrow('another worker runs this call');
    expect(await recordOf(order)).toMatchObject({ status: 'INPROGRESS' });
    going.resolve('done');
    expect(await running).toBe('done');
    expect(await byPawl(both, () => 'twice')(order)).toBe('done');
  });

  test("an attempt of Powertools that has no outcome is waited for, then follows pawl's policy", async () => {
    const order = newOrder();
    await leaveBehind(order, { in_progress_expiration: Date.now() + 60_000 });
    await expect(byPawl(both, () => 'done')(order)).rejects.toMatchObject({ retryAfterMs: expect.closeTo(61_000, -4) });
    later(65_000);
    const run = vi.fn(() => 'done');
    expect(await byPawl(both, run)(order)).toBe('done');
    expect(await claimOf(order)).toMatchObject({ status: 'completed', abandoned: 1 });
    expect(await byPeer(both, run)(order)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an attempt of Powertools that had no remaining time is waited for until its record expires', async () => {
    const order = newOrder();
    await leaveBehind(order, {});
    later(65_000);
    await expect(byPawl(both, () => 'early')(order)).rejects.toThrow('another worker');
    later(3_605_000);
    expect(await byPawl(both, () => 'done')(order)).toBe('done');
  });

  test('a worker of pawl that has no outcome is taken over by either library, when its lease is over', async () => {
    for (const next of [byPeer, byPawl]) {
      const order = newOrder();
      const dead = Promise.withResolvers<string>();
      const stuck = byPawl(both, () => dead.promise, { remainingMs: 5000 })(order);
      await eventually('a claim in flight', async () =>
        expect(await claimOf(order)).toMatchObject({ status: 'in-flight' }),
      );
      await expect(next(both, () => 'early')(order)).rejects.toMatchObject({
        name: 'IdempotencyAlreadyInProgressError',
      });
      later(8000);
      expect(await next(both, () => 'again')(order)).toBe('again');
      dead.resolve('late');
      await Promise.allSettled([stuck]);
      vi.restoreAllMocks();
    }
  });

  test('a record that Powertools has deleted is not run again: the claim remembers it, and ends the record anew', async () => {
    const order = newOrder();
    const run = vi.fn(() => response);
    await byPawl(both, run)(order);
    await client.send(new DeleteItemCommand({ TableName: both.records, Key: { id: { S: idOf(order) } } }));
    expect(await byPawl(both, run)(order)).toEqual(response);
    expect(await byPeer(both, run)(order)).toEqual(response);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('a completed record counts until it expires', async () => {
    const order = newOrder();
    const run = vi.fn(() => 'done');
    await byPeer(both, run)(order);
    later(3_590_000);
    expect(await byPawl(both, run)(order)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
    later(3_605_000);
    await byPawl(both, run)(order);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('a claim that is parked keeps Powertools out until it is decided', async () => {
    const order = newOrder();
    const park = () => Promise.reject(new InDoubtError('no answer'));
    await expect(byPawl(both, park)(order)).rejects.toThrow('no answer');
    later(3 * 3_600_000);
    await expect(byPeer(both, () => 'twice')(order)).rejects.toMatchObject({
      name: 'IdempotencyAlreadyInProgressError',
    });
    await expect(byPawl(both, () => 'twice')(order)).rejects.toThrow('an operator has to decide');
    await expect(byPeer(both, () => 'twice')(order)).rejects.toMatchObject({
      name: 'IdempotencyAlreadyInProgressError',
    });
  });

  test('what the table cannot hold of a response leaves nothing to be repeated', async () => {
    for (const odd of [{ n: 2 ** 60 }, nested(40)]) {
      const order = newOrder();
      const run = vi.fn((): unknown => odd);
      await byPawl(both, run)(order);
      expect(await byPeer(both, run)(order)).toBeUndefined();
      expect(await byPawl(both, run)(order)).toBeUndefined();
      expect(run).toHaveBeenCalledTimes(1);
    }
  });

  test('both compare what the path for validation selects', async () => {
    const config = { payloadValidationJmesPath: 'amount' };
    for (const [first, second] of [
      [byPawl, byPeer],
      [byPeer, byPawl],
      [byPawl, byPawl],
    ] as const) {
      const order = { ...newOrder(), amount: 1 };
      await first(both, () => 'done', { config })(order);
      expect(await second(both, () => 'twice', { config })(order)).toBe('done');
      await expect(second(both, () => 'twice', { config })({ ...order, amount: 2 })).rejects.toMatchObject({
        name: 'IdempotencyValidationError',
      });
    }
  });

  test('with a sort key, the records are in the partition that Powertools uses', async () => {
    const sorted = await bothTables(client, 'sk');
    const options = { layer: { sortKeyAttr: 'sk' } };
    const run = vi.fn(() => 'done');
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'send-mails');
    await byPeer(sorted, run, options)({ orderId: 'a' });
    expect(await byPawl(sorted, run, options)({ orderId: 'a' })).toBe('done');
    await byPawl(sorted, run, options)({ orderId: 'b' });
    expect(await byPeer(sorted, run, options)({ orderId: 'b' })).toBe('done');
    expect(run).toHaveBeenCalledTimes(2);
    const key = { id: { S: 'idempotency#send-mails' }, sk: { S: recordIdOf('mails', 'b', 'md5') } };
    expect(await recordAt(sorted, key)).toMatchObject({ status: 'COMPLETED' });
    vi.unstubAllEnvs();
  });

  test("at pawl's other doors, the store does the same by the key of a claim", async () => {
    const order = newOrder();
    const run = vi.fn(() => 'done');
    const store = besidePowertools(dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }), {
      tableName: both.records,
      awsSdkV3Client: client,
      keyPrefix: 'mails',
      records: 'gate',
    });
    const send = once({ operation: 'send-mail', store, key: (one: Order) => one.orderId, onAbandoned: 'retry' }, run);
    await byPeer(both, run)(order);
    expect(await send(order)).toBe('done');
    const other = newOrder();
    await send(other);
    expect(await byPeer(both, run)(other)).toBe('done');
    expect(run).toHaveBeenCalledTimes(2);
  });
});

describe('what would pass by the gate is refused, and nothing runs', () => {
  const gated = <Store extends ClaimStore>(claims: Store) =>
    besidePowertools(claims, {
      tableName: both.records,
      awsSdkV3Client: client,
      keyPrefix: 'mails',
      records: 'gate',
    });
  const claims = () => dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) });
  const options = { operation: 'mails', key: (one: Order) => one.orderId, onAbandoned: 'retry' } as const;
  const quiet = { onEvent: () => undefined };

  test("a key that is hidden: of its hash, Powertools' record would be another one", async () => {
    const run = vi.fn(() => 'done');
    const store = gated(claims());
    const send = once({ ...options, ...quiet, store, hideKeys: hashed('a secret of the customers') }, run);
    await expect(send(newOrder())).rejects.toThrow('that hideKeys has hashed');
    expect(run).not.toHaveBeenCalled();
  });

  test('keys that are too long for an id: all of them would have one record', async () => {
    const run = vi.fn(() => 'done');
    const send = once({ ...options, ...quiet, store: gated(claims()) }, run);
    for (const sign of ['a', 'b'])
      await expect(send({ orderId: sign.repeat(2100) })).rejects.toThrow('that is too long for the id of a claim');
    expect(run).not.toHaveBeenCalled();
  });

  test("a second operation: what the inner one has done would be taken for the outer one's, which failed", async () => {
    const order = newOrder();
    const store = gated(claims());
    const charge = vi.fn(() => 'charged');
    const chargeOnce = once({ ...options, ...quiet, operation: 'charge', store }, charge);
    let inner: (one: Order) => Promise<string> = chargeOnce;
    const sent = vi.fn(() => {
      if (sent.mock.calls.length < 3) throw new Error('the mailer is down');
      return 'sent';
    });
    const send = once({ ...options, ...quiet, store }, async (one: Order) => {
      await inner(one);
      return sent();
    });
    await expect(send(order)).rejects.toThrow("claims of one operation; got 'mails' and 'charge'");
    expect(charge).not.toHaveBeenCalled();
    // As the sentence says.
    inner = once({ ...options, ...quiet, operation: 'charge', store: claims() }, charge);
    await expect(send(order)).rejects.toThrow('the mailer is down');
    await expect(send(order)).rejects.toThrow('the mailer is down');
    expect(await send(order)).toBe('sent');
    expect(charge).toHaveBeenCalledTimes(1);
  });

  test.skipIf(inject('postgresUrl') === '')('a commit in PostgreSQL, which would leave the gate open', async () => {
    await using database = await createDatabase(inject('postgresUrl'));
    await database.pool.query('CREATE TABLE entries (id text PRIMARY KEY)');
    const store = gated(postgresStore({ pool: database.pool }));
    const order = newOrder();
    const enter = once({ ...options, ...quiet, store }, async ({ orderId }: Order, claim) => {
      await commit(claim, (tx) => tx.query('INSERT INTO entries VALUES ($1)', [orderId]));
    });
    await expect(enter(order)).rejects.toThrow('which can commit; got "a store that cannot"');
    expect((await database.pool.query('SELECT FROM entries')).rowCount).toBe(0);
    // Other claims are kept there as anywhere.
    const run = vi.fn(() => 'done');
    const send = once({ ...options, ...quiet, store }, run);
    expect(await send(order)).toBe('done');
    expect(await byPeer(both, run)(order)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });
});

test('what only watches leaves the gate alone', async () => {
  const order = newOrder();
  const run = vi.fn(() => 'done');
  const store = besidePowertools(dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }), {
    tableName: both.records,
    awsSdkV3Client: client,
    keyPrefix: 'mails',
    records: 'gate',
  });
  const options = { operation: 'mails', store, key: (one: Order) => one.orderId, onAbandoned: 'retry' } as const;
  const send = once({ ...options, mode: 'observe', observeWaitMs: 10_000, onEvent: () => undefined }, run);
  await send(order);
  await eventually('what was observed', async () =>
    expect(await claimOf(order)).toMatchObject({ status: 'completed' }),
  );
  expect(await recordOf(order)).toBeUndefined();
  expect(await byPeer(both, run)(order)).toBe('done');
  await send(order);
  expect(run).toHaveBeenCalledTimes(3);
  expect(await recordOf(order)).toMatchObject({ status: 'COMPLETED' });
});

test('a note on a claim leaves the gate alone', async () => {
  const order = newOrder();
  await byPawl(both, () => 'done')(order);
  const claims = dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) });
  const store = besidePowertools(claims, {
    tableName: both.records,
    awsSdkV3Client: client,
    keyPrefix: 'mails',
    records: 'gate',
  });
  const record = (await claimOf(order)) as ClaimRecord;
  // Its record has expired meanwhile, and a worker of Powertools runs.
  await leaveBehind(order, { in_progress_expiration: Date.now() + 60_000 });
  const discarded = { messageId: 'm-1', by: 'maria', note: 'seen', at: new Date().toISOString() };
  const next = { ...record, discarded, rev: record.rev + 1 };
  expect(await store.write({ next, seen: record })).toEqual({ applied: true });
  expect(await recordOf(order)).toMatchObject({ status: 'INPROGRESS' });
});

describe('what goes wrong on the way', () => {
  /** The same tables, with a client of pawl's whose answers are lost once each. */
  const lossy = (): Both => {
    const ofPawl = localClient(inject('dynamoEndpoint'));
    loseAnswersOf(ofPawl);
    return { ...both, client: ofPawl };
  };

  test('a worker whose answers are lost knows its own writes again, at the gate as well', async () => {
    const [order, taken] = [newOrder(), newOrder()];
    const run = vi.fn().mockRejectedValueOnce(new Error('full')).mockResolvedValue('done');
    const send = byPawl(lossy(), run);
    await expect(send(order)).rejects.toThrow('full');
    expect(await recordOf(order)).toBeUndefined();
    expect(await send(order)).toBe('done');
    await leaveBehind(taken, { in_progress_expiration: Date.now() - 5000 });
    expect(await send(taken)).toBe('done');
    expect(await claimOf(taken)).toMatchObject({ status: 'completed', abandoned: 1 });
    expect(run).toHaveBeenCalledTimes(3);
    for (const one of [order, taken]) expect(await byPeer(both, run)(one)).toBe('done');
    expect(run).toHaveBeenCalledTimes(3);
  });

  /** A worker of pawl that dies after it has won the gate, and before its claim. */
  const diesAtTheGate = (order: Order): Promise<unknown> => {
    const store = {
      ...dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }),
      write: () => Promise.reject(new Error('killed')),
    };
    return expect(byPawl(both, () => 'not run', { layer: { store } })(order)).rejects.toThrow('killed');
  };

  test('the doubt about an attempt of Powertools outlives a worker that dies at the gate', async () => {
    const [order, fresh] = [newOrder(), newOrder()];
    await leaveBehind(order, { in_progress_expiration: Date.now() - 5000 });
    for (const one of [order, fresh]) await diesAtTheGate(one);
    for (const one of [order, fresh]) {
      await expect(byPeer(both, () => 'early')(one)).rejects.toMatchObject({
        name: 'IdempotencyAlreadyInProgressError',
      });
      expect(await byPawl(both, () => 'done')(one)).toBe('done');
    }
    expect(await claimOf(order)).toMatchObject({ abandoned: 1 });
    expect(await claimOf(fresh)).toMatchObject({ abandoned: 0 });
  });

  test('that doubt is decided as well where the records are only read since', async () => {
    const [order, fresh, begun] = [newOrder(), newOrder(), newOrder()];
    for (const one of [order, begun]) await leaveBehind(one, { in_progress_expiration: Date.now() - 5000 });
    for (const one of [order, fresh]) await diesAtTheGate(one);
    // A worker that went on after the gate has decided upon it.
    const failing = () => {
      throw new RetryableError('the mailer asks to slow down');
    };
    await expect(byPawl(both, failing)(begun)).rejects.toThrow('slow down');
    const decided = (await claimOf(begun))?.attributes?.['powertools-attempt'];
    await leaveBehind(begun, { in_progress_expiration: Date.now(), pawl: 'a-claim', pawl_doubt: Number(decided) });
    later(65_000);
    const run = vi.fn(() => 'done');
    const park = byPawl(both, run, { layer: { records: 'read', onAbandoned: 'park' } });
    await expect(park(order)).rejects.toThrow('an operator has to decide');
    expect(run).not.toHaveBeenCalled();
    expect(await park(fresh)).toBe('done');
    expect(await claimOf(begun)).toMatchObject({ status: 'released', abandoned: 1 });
    await expect(byPawl(both, failing, { layer: { records: 'read', onAbandoned: 'retry' } })(begun)).rejects.toThrow(
      'slow down',
    );
    expect(await claimOf(begun)).toMatchObject({ status: 'released', abandoned: 1 });
  });

  test('a lease that is renewed keeps Powertools out, and is over where Powertools came in', async () => {
    const order = newOrder();
    const going = Promise.withResolvers<string>();
    const layer = { lease: renewedLease(6000) };
    const store = besidePowertools(dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }), {
      tableName: both.records,
      awsSdkV3Client: client,
      keyPrefix: 'mails',
      records: 'gate',
    });
    let signal: AbortSignal | undefined;
    const send = once(
      {
        operation: 'mails',
        store,
        key: (one: Order) => one.orderId,
        onAbandoned: 'retry',
        onEvent: () => undefined,
        ...layer,
      },
      (_, claim) => {
        signal = claim.signal;
        return going.promise;
      },
    );
    const running = send(order);
    await eventually('a record in progress', async () =>
      expect(await recordOf(order)).toMatchObject({ status: 'INPROGRESS' }),
    );
    const first = Number((await recordOf(order))?.['in_progress_expiration']);
    await eventually('a renewed lease', async () =>
      expect((await recordOf(order))?.['in_progress_expiration']).toBeGreaterThan(first),
    );
    await expect(byPeer(both, () => 'twice')(order)).rejects.toMatchObject({
      name: 'IdempotencyAlreadyInProgressError',
    });
    await leaveBehind(order, { in_progress_expiration: Date.now() + 60_000 });
    await eventually('the end of the lease', () => expect(signal?.aborted).toBe(true));
    expect(String(signal?.reason)).toContain('another worker has taken the claim over');
    going.resolve('done');
    expect(await running).toBe('done');
    // The effect has happened, so the record says so.
    expect(await byPeer(both, () => 'twice')(order)).toBe('done');
  });

  test('a claim that another worker of pawl holds longer than the gate keeps Powertools out as long', async () => {
    const order = newOrder();
    const going = Promise.withResolvers<string>();
    const running = byPawl(both, () => going.promise, { remainingMs: 300_000 })(order);
    await eventually('a claim in flight', async () =>
      expect(await claimOf(order)).toMatchObject({ status: 'in-flight' }),
    );
    await client.send(new DeleteItemCommand({ TableName: both.records, Key: { id: { S: idOf(order) } } }));
    await expect(byPawl(both, () => 'twice', { remainingMs: 5000 })(order)).rejects.toThrow('another worker runs');
    expect(Number((await recordOf(order))?.['in_progress_expiration']) - Date.now()).toBeGreaterThan(250_000);
    await expect(byPawl(both, () => 'twice', { remainingMs: 5000 })(order)).rejects.toThrow('another worker runs');
    expect(Number((await recordOf(order))?.['in_progress_expiration']) - Date.now()).toBeGreaterThan(250_000);
    going.resolve('done');
    expect(await running).toBe('done');
  });

  test('a worker that dies at the gate of a claim that another one holds lets Powertools in no earlier', async () => {
    const order = newOrder();
    const going = Promise.withResolvers<string>();
    const running = byPawl(both, () => going.promise, { remainingMs: 300_000 })(order);
    await eventually('a claim in flight', async () =>
      expect(await claimOf(order)).toMatchObject({ status: 'in-flight' }),
    );
    await diesAtTheGate(order);
    expect(Number((await recordOf(order))?.['in_progress_expiration']) - Date.now()).toBeGreaterThan(250_000);
    going.resolve('done');
    expect(await running).toBe('done');
  });

  test('a record with another status is left alone', async () => {
    const order = newOrder();
    await leaveBehind(order, { status: 'SOMETHING' });
    await expect(byPawl(both, () => 'twice')(order)).rejects.toThrow('left alone');
  });
});

describe('when no worker of Powertools runs any more, its records are read', () => {
  const reading = { layer: { records: 'read' } } as const;

  test('what it has completed counts, and nothing is written to its table', async () => {
    const [order, fresh] = [newOrder(), newOrder()];
    const run = vi.fn(() => 'done');
    await byPeer(both, run)(order);
    const before = await recordOf(order);
    expect(await byPawl(both, run, reading)(order)).toBe('done');
    expect(await recordOf(order)).toEqual(before);
    await byPawl(both, run, reading)(fresh);
    expect(await byPawl(both, run, reading)(fresh)).toBe('done');
    expect(run).toHaveBeenCalledTimes(2);
    expect(await recordOf(fresh)).toBeUndefined();
  });

  test('an attempt without an outcome is in doubt: parked, or its provider is asked', async () => {
    const [parked, asked] = [newOrder(), newOrder()];
    for (const order of [parked, asked]) await leaveBehind(order, { in_progress_expiration: Date.now() + 60_000 });
    const run = vi.fn(() => 'twice');
    const ask = vi.fn(() => ({ verdict: 'applied', result: 'done' }) as const);
    const [park, look] = (['park', reconcile({ ask, settleMs: 0 })] as const).map((onAbandoned) =>
      byPawl(both, run, { layer: { records: 'read', onAbandoned } }),
    );
    await expect(park?.(parked)).rejects.toThrow('another worker');
    later(65_000);
    await expect(park?.(parked)).rejects.toThrow('an operator has to decide');
    expect(await look?.(asked)).toBe('done');
    expect(await look?.(asked)).toBe('done');
    expect(ask).toHaveBeenCalledTimes(1);
    expect(run).not.toHaveBeenCalled();
  });

  test("an attempt without an outcome is decided once: an operator's word stands, and what fails afterwards is no doubt about it", async () => {
    const [resolved, retried] = [newOrder(), newOrder()];
    for (const order of [resolved, retried]) await leaveBehind(order, { in_progress_expiration: Date.now() + 1000 });
    later(10_000);
    const run = vi.fn(() => 'done');
    const park = byPawl(both, run, { layer: { records: 'read', onAbandoned: 'park' } });
    await expect(park(resolved)).rejects.toThrow('an operator has to decide');
    const operate = operator({
      store: dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }),
      onEvent: () => undefined,
    });
    const name = { operation: 'mails', key: resolved.orderId };
    await operate.resolve(name, 'not-applied', { by: 'maria', note: 'no mail of it has left' });
    expect(await park(resolved)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);

    const failing = vi.fn((): string => {
      throw new RetryableError('the mailer asks to slow down');
    });
    const again = byPawl(both, failing, { layer: { records: 'read', onAbandoned: 'retry' } });
    for (let attempt = 0; attempt < 3; attempt++) await expect(again(retried)).rejects.toThrow('slow down');
    expect(await claimOf(retried)).toMatchObject({ status: 'released', attempts: 3, abandoned: 1 });
    // Another attempt of Powertools is another doubt.
    await leaveBehind(resolved, { in_progress_expiration: Date.now() - 5000 });
    await leaveBehind(retried, { in_progress_expiration: Date.now() - 5000 });
    await expect(again(retried)).rejects.toThrow('slow down');
    expect(await claimOf(retried)).toMatchObject({ abandoned: 2 });
    expect(await park(resolved)).toBe('done');
  });

  test('what it has completed counts until its record expires', async () => {
    const order = newOrder();
    const run = vi.fn(() => 'done');
    await byPeer(both, run)(order);
    later(3_605_000);
    await byPawl(both, run, reading)(order);
    await byPawl(both, run, reading)(order);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('once its records do not count any more, nothing of its table is read', async () => {
    const order = newOrder();
    const run = vi.fn(() => 'done');
    await byPawl(both, run, { layer: { records: 'none', tableName: undefined } })(order);
    expect(await byPawl(both, run, { layer: { records: 'none', tableName: undefined } })(order)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 'deep' : { in: nested(depth - 1) };
}

test.each(['gate', 'read'] as const)(
  '%s: a claim waits for a table that throttles as it does without Powertools',
  async (records) => {
    const claims = dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) });
    const waits: (number | undefined)[] = [];
    const counted: ClaimStore = {
      read: (id, waitsMs) => {
        waits.push(waitsMs);
        return claims.read(id, waitsMs);
      },
      write: (write) => {
        waits.push(write.waitsMs);
        return claims.write(write);
      },
    };
    const { records: tableName, keyPrefix } = both;
    const store = besidePowertools(counted, { tableName, awsSdkV3Client: client, keyPrefix, records });
    const granted = record({ id: `mails#${newOrder().orderId}` });
    expect(await store.read(granted.id, 900)).toBeUndefined();
    await store.write({ next: granted, seen: undefined, waitsMs: 900 });
    await store.write({ next: { ...granted, rev: 2, status: 'released' }, seen: granted, waitsMs: 900 });
    expect(waits).toEqual([900, 900, 900]);
  },
);

describe("where Powertools' table throttles", () => {
  /** A client whose requests to the table of records are refused so often, also where it sends them again by itself. */
  const throttled = (times: number) => {
    let left = times;
    return {
      isOver: () => left === 0,
      client: {
        send(command: { readonly input: { readonly TableName?: string } }) {
          if (command.input.TableName !== both.records || left === 0) return client.send(command as never);
          left--;
          return Promise.reject(Object.assign(new Error('rate'), { name: 'ProvisionedThroughputExceededException' }));
        },
      } as unknown as DynamoDBClient,
    };
  };
  const storeBy = (ofRecords: DynamoDBClient, records: 'gate' | 'read') =>
    besidePowertools(dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }), {
      tableName: both.records,
      awsSdkV3Client: ofRecords,
      keyPrefix: 'mails',
      records,
    });

  test.each(['gate', 'read'] as const)('%s: a message waits for its claim, and uses up no receive', async (records) => {
    const { client: busy, isOver } = throttled(3);
    const sent = vi.fn();
    const handler = eachMessage<Order>(
      {
        operation: 'mails',
        store: storeBy(busy, records),
        key: bodyField('orderId'),
        onAbandoned: 'retry',
        onEvent: () => undefined,
      },
      ({ body }) => void sent(body.orderId),
    );
    const order = newOrder();
    expect(failuresOf(await handler(sqsEvent(sqsRecord(order)), context(60_000)))).toEqual([]);
    expect(sent.mock.calls).toEqual([[order.orderId]]);
    expect(isOver()).toBe(true);
  });

  test('a caller that does not say how long it waits hears of it at once, and so does one whose time is over', async () => {
    for (const waitsMs of [undefined, 40]) {
      const { client: busy } = throttled(1000);
      const next = record({ id: `mails#${newOrder().orderId}` });
      const written = storeBy(busy, 'gate').write({ next, seen: undefined, waitsMs });
      await expect(written).rejects.toThrow('rate');
    }
  });
});

describe('a claim that is parked when its message comes again', () => {
  const store = () =>
    besidePowertools(dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }), {
      tableName: both.records,
      awsSdkV3Client: client,
      keyPrefix: 'mails',
      records: 'gate',
    });
  const key = (one: Order) => one.orderId;
  const options = { operation: 'mails', key, onAbandoned: 'retry', onEvent: () => undefined } as const;
  const failing = () => Promise.reject(new RetryableError('the mailer asks to slow down'));
  const again = { redelivered: true };

  test('keeps Powertools out, which may have had the key in between', async () => {
    const order = newOrder();
    const send = once({ ...options, store: store(), maxAttempts: 1 }, failing);
    await expect(send(order)).rejects.toThrow('slow down');
    expect(await send.outcome(order, again)).toMatchObject({ outcome: 'parked' });
    later(3 * 3_600_000);
    const run = vi.fn(() => 'twice');
    await expect(byPeer(both, run)(order)).rejects.toMatchObject({ name: 'IdempotencyAlreadyInProgressError' });
    expect(run).not.toHaveBeenCalled();
  });

  test('also where pawl had only watched it', async () => {
    const order = newOrder();
    const watched = once({ ...options, store: store(), mode: 'observe', observeWaitMs: 10_000 }, failing);
    await expect(watched(order)).rejects.toThrow('slow down');
    await eventually('what was observed', async () =>
      expect(await claimOf(order)).toMatchObject({ status: 'released' }),
    );
    const send = once({ ...options, store: store(), maxAttempts: 1 }, failing);
    expect(await send.outcome(order, again)).toMatchObject({ outcome: 'parked' });
    later(3 * 3_600_000);
    await expect(byPeer(both, () => 'twice')(order)).rejects.toMatchObject({
      name: 'IdempotencyAlreadyInProgressError',
    });
  });

  test('is not parked where Powertools has done it since: that counts', async () => {
    const order = newOrder();
    const send = once({ ...options, store: store(), maxAttempts: 1 }, failing);
    await expect(send(order)).rejects.toThrow('slow down');
    await byPeer(both, () => 'done')(order);
    expect(await send.outcome(order, again)).toMatchObject({ outcome: 'completed', replayed: true, result: 'done' });
  });

  test('waits for an attempt of Powertools that is under way', async () => {
    const order = newOrder();
    const going = Promise.withResolvers<string>();
    const send = once({ ...options, store: store(), maxAttempts: 1 }, failing);
    await expect(send(order)).rejects.toThrow('slow down');
    const running = byPeer(both, () => going.promise)(order);
    await eventually('a record in progress', async () =>
      expect(await recordOf(order)).toMatchObject({ status: 'INPROGRESS' }),
    );
    expect(await send.outcome(order, again)).toMatchObject({ outcome: 'in-flight' });
    going.resolve('done');
    expect(await running).toBe('done');
    expect(await send.outcome(order, again)).toMatchObject({ outcome: 'completed', replayed: true });
  });

  test('goes on by pawl once an operator has decided, and ends the record then', async () => {
    const order = newOrder();
    const send = once({ ...options, store: store(), maxAttempts: 1 }, failing);
    await expect(send(order)).rejects.toThrow('slow down');
    await send.outcome(order, again);
    const operate = operator({
      store: dynamoStore({ tableName: both.claims, aws: sdk({ dynamodb: client }) }),
      onEvent: () => undefined,
    });
    const name = { operation: 'mails', key: order.orderId };
    await operate.resolve(name, 'not-applied', { by: 'maria', note: 'no mail of it has left' });
    const sends = once({ ...options, store: store() }, () => 'done');
    expect(await sends.outcome(order, again)).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await byPeer(both, () => 'twice')(order)).toBe('done');
  });
});
