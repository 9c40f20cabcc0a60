import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type AttributeValue, type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Claim, type ClaimStore, once, parkedClaims, reconcile, step } from '../../lib/index.ts';
import { eachMessage } from '../../lib/sqs/index.ts';
import { dynamoStore, individualDynamoStore } from '../../lib/stores/dynamodb/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../support/lambda.ts';
import { claimsTable, localClient } from '../support/tables.ts';
import { someDay, virtualHost } from '../support/virtual-host.ts';

/**
 * Records of schema 1, as an earlier version left them in its table (`proof/campaign/versions/write-fixtures.ts`): this version reads
 * them, goes on with them, and leaves records of schema 2 behind.
 */

type Item = Record<string, AttributeValue>;

const FOLDER = new URL('../fixtures/records-v1/', import.meta.url);
const names = readdirSync(FOLDER).map((file) => file.slice(0, -'.json'.length));
const itemOf = (name: string): Item => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));

/** All were written at this moment, under leases of 30 s. */
const WRITTEN = someDay;
const LEASE_MS = 30_000;

let client: DynamoDBClient;
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  return () => {
    client.destroy();
    vi.restoreAllMocks();
  };
});

const stores: readonly (readonly [string, (tableName: string) => ClaimStore])[] = [
  ['dynamoStore', (tableName) => dynamoStore({ tableName, client })],
  ['individualDynamoStore', (tableName) => individualDynamoStore({ tableName, client })],
];

describe.each(stores)('%s', (_, storeOf) => {
  /** A table of its own with this record in it, and a caller some time after it was written. */
  async function found(name: string, afterMs = LEASE_MS + 60_000) {
    const tableName = await claimsTable(client);
    await client.send(new PutItemCommand({ TableName: tableName, Item: itemOf(name) }));
    const store = storeOf(tableName);
    // Its own ids count up, as those of the host that wrote the records did: it would take a record for its own.
    const host = { ...virtualHost(WRITTEN + afterMs), randomId: () => randomUUID() };
    const runs: Pick<Claim, 'fence' | 'effectKey'>[] = [];
    const options = { operation: 'charge', store, host, key: () => name };
    const run = (claim: Claim) => {
      runs.push({ fence: claim.fence, effectKey: claim.effectKey });
      return 'ch_2';
    };
    return {
      runs,
      options,
      host,
      parked: parkedClaims({ operation: 'charge', store }),
      call: (more: Partial<Parameters<typeof once>[0]> = {}) =>
        once({ ...options, onAbandoned: 'retry', ...more }, (__, claim) => run(claim)).outcome(
          {},
          { remainingMs: () => LEASE_MS },
        ),
      withSteps: (handler: (claim: Claim) => Promise<unknown>) =>
        once({ ...options, onAbandoned: 'retry' }, (__, claim) => handler(claim)).outcome(
          {},
          { remainingMs: () => LEASE_MS },
        ),
      async item() {
        const key = { TableName: tableName, Key: { id: { S: `charge#${name}` } }, ConsistentRead: true };
        const { Item = {} } = await client.send(new GetItemCommand(key));
        return Item;
      },
    };
  }

  test('every status and every kind of record is among these', () => {
    const items = names.map(itemOf);
    expect(new Set(items.map((item) => item['status']?.S))).toEqual(
      new Set(['in-flight', 'released', 'completed', 'rejected', 'parked']),
    );
    expect(items.every((item) => item['v']?.N === '1' && item['rev'] === undefined)).toBe(true);
    expect(items.filter((item) => item['checkpoints']).length).toBeGreaterThanOrEqual(3);
  });

  test.each(['in-flight', 'in-flight-with-attributes'])(
    '%s is not run while its lease lasts, and taken over after it',
    async (name) => {
      const fingerprint = name === 'in-flight' ? {} : { fingerprint: () => '{"amount":700}' };
      const early = await found(name, 10_000);
      expect(await early.call(fingerprint)).toMatchObject({ outcome: 'in-flight' });
      expect(await early.item()).toEqual(itemOf(name));
      const late = await found(name);
      expect(await late.call(fingerprint)).toMatchObject({ outcome: 'completed', replayed: false });
      expect(late.runs).toEqual([{ fence: 2, effectKey: expect.stringContaining(name) }]);
      expect(await late.item()).toMatchObject({
        status: { S: 'completed' },
        v: { N: '2' },
        rev: { N: expect.any(String) },
      });
      if (name !== 'in-flight') expect((await late.item())['attributes']).toEqual(itemOf(name)['attributes']);
    },
  );

  test("an in-flight record whose worker died is parked under 'park', and asked about under reconcile", async () => {
    const parked = await found('in-flight');
    expect(await parked.call({ onAbandoned: 'park' })).toMatchObject({ outcome: 'parked' });
    const asked = await found('in-flight');
    const ask = reconcile({ ask: () => ({ verdict: 'applied', result: 'ch_1' }), settleMs: 1_000 });
    expect(await asked.call({ onAbandoned: ask })).toMatchObject({ outcome: 'completed', result: 'ch_1' });
    expect([...parked.runs, ...asked.runs]).toEqual([]);
  });

  test('workers that died under the earlier version count towards maxAbandoned', async () => {
    const { call, runs, item } = await found('in-flight-for-the-third-time', 120_000 + LEASE_MS + 60_000);
    expect(await call()).toMatchObject({ outcome: 'parked' });
    expect(runs).toEqual([]);
    expect(await item()).toMatchObject({ status: { S: 'parked' }, fence: { N: '4' }, v: { N: '2' } });
  });

  test("under onInFlight 'discard' a duplicate comes back: the record does not say which message holds the claim", async () => {
    const { options, runs, item } = await found('in-flight', 10_000);
    const duplicate = sqsRecord({});
    const consume = eachMessage(
      { ...options, onAbandoned: 'retry', onInFlight: 'discard', fingerprint: false, sqsClient: noQueue },
      () => runs.push({ fence: 0, effectKey: 'never' }),
    );
    const response = await consume(sqsEvent(duplicate), context(LEASE_MS, options.host.now));
    expect(failuresOf(response)).toEqual([duplicate.messageId]);
    expect(runs).toEqual([]);
    expect(await item()).toEqual(itemOf('in-flight'));
  });

  test('another fingerprint than the recorded one does not run', async () => {
    const { call, runs, item } = await found('in-flight-with-attributes');
    expect(await call({ fingerprint: () => '{"amount":900}' })).toEqual({ outcome: 'key-reused' });
    expect(runs).toEqual([]);
    expect(await item()).toEqual(itemOf('in-flight-with-attributes'));
  });

  test.each(['released', 'released-in-doubt', 'parked-and-resolved'])('%s runs again, once', async (name) => {
    const { call, runs, item } = await found(name);
    expect(await call()).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await call()).toMatchObject({ outcome: 'completed', replayed: true, result: 'ch_2' });
    expect(runs).toHaveLength(1);
    expect(await item()).toMatchObject({ v: { N: '2' }, fence: { N: '2' } });
  });

  test.each([
    ['parked-after-its-worker-died', { outcome: 'parked', error: { name: 'abandoned' } }],
    ['parked-and-resolved-as-applied', { outcome: 'completed', replayed: true, recorded: false }],
    ['completed', { outcome: 'completed', replayed: true, recorded: true, result: { charge: 'ch_1', amount: 700 } }],
    ['completed-without-result', { outcome: 'completed', replayed: true, recorded: false }],
    ['completed-for-ever', { outcome: 'completed', replayed: true, recorded: true, result: 'ch_1' }],
    ['rejected', { outcome: 'rejected', error: { name: 'RejectedError', message: 'the card was declined' } }],
    ['parked', { outcome: 'parked', error: { name: 'outcome-unknown' } }],
  ])('%s is answered from the record, and not written', async (name, answer) => {
    const { call, runs, item } = await found(name);
    expect(await call()).toMatchObject(answer);
    expect(runs).toEqual([]);
    expect(await item()).toEqual(itemOf(name));
  });

  test('a completed record is remembered as long as the earlier version said', async () => {
    const days = 24 * 3_600_000;
    const { call, runs } = await found('completed', 29 * days);
    expect(await call()).toMatchObject({ replayed: true });
    const late = await found('completed', 31 * days);
    expect(await late.call()).toMatchObject({ replayed: false });
    expect([runs.length, late.runs.length]).toEqual([0, 1]);
  });

  test.each([
    ['applied', 0, true],
    ['not-applied', 1, false],
    ['retry', 1, false],
  ] as const)('a parked record is resolved as %s', async (verdict, times, replayed) => {
    const { call, parked, runs, item } = await found('parked');
    const { outcome } = await parked.resolve('parked', verdict, { by: 'maria', note: 'looked it up' });
    expect(outcome).toBe('resolved');
    expect(await call()).toMatchObject({ outcome: 'completed', replayed });
    expect(runs).toHaveLength(times);
    expect(await item()).toMatchObject({ v: { N: '2' }, resolution: { M: { by: { S: 'maria' } } } });
  });

  test('steps that were done are not run again, and answer as they did', async () => {
    const { withSteps, item } = await found('in-flight-with-checkpoints');
    const ran: string[] = [];
    const answer = await withSteps(async (claim) => {
      const charge = await step(claim, 'charge', () => ran.push('charge'), { onAbandoned: 'park' });
      await step(claim, 'book', () => ran.push('book'), { onAbandoned: 'retry' });
      return charge;
    });
    expect(answer).toMatchObject({ outcome: 'completed', replayed: false, result: 'ch_1' });
    expect(ran).toEqual(['book']);
    expect(await item()).toMatchObject({ status: { S: 'completed' }, v: { N: '2' } });
  });

  test.each(['in-flight-with-a-step-in-doubt', 'parked-with-a-step-in-doubt', 'step-in-doubt-resolved'])(
    '%s: the step does not run until its own doubt is resolved, and then the handler goes on from there',
    async (name) => {
      const { withSteps, parked, host } = await found(name);
      const ran: string[] = [];
      const handler = async (claim: Claim) => {
        await step(claim, 'charge', () => ran.push('charge'), { onAbandoned: 'park' });
        await step(claim, 'receipt', () => ran.push('receipt'), { onAbandoned: 'park' });
        return 'both';
      };
      await withSteps(handler).catch(() => undefined);
      await host.advance(60_000);
      expect(await withSteps(handler)).toMatchObject({ outcome: 'parked' });
      expect(ran).toEqual([]);
      const resolved = await parked.resolve(
        name,
        { receipt: 'not-applied' },
        { by: 'maria', note: 'not in the outbox' },
      );
      expect(resolved.outcome).toBe('resolved');
      expect(await withSteps(handler)).toMatchObject({ outcome: 'completed', result: 'both' });
      expect(ran).toEqual(['receipt']);
    },
  );
});
