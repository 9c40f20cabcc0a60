import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import type { ClaimRecord } from '../../../lib/pawl/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { startDynamoDbLocal } from '../../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { claimsIn } from '../../../shop/faults/claim-writes.ts';
import { startGiftCards } from '../../../shop/providers/gift-cards.ts';
import { createLedger } from '../../../shop/providers/ledger.ts';
import { createPawlEvents } from '../../../shop/traffic/pawl-events.ts';
import { eventually } from '../../support/eventually.ts';
import { startFunctions } from '../../support/functions.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * DynamoDB is gone for a while in mid-run: its process is killed, and started again on the same port with the tables that
 * it had kept on disk. The provider ignores idempotency keys, so whatever runs without a claim, or twice, stays in its
 * books.
 */

const orders = Array.from({ length: 80 }, (_, index) => `order-${index}`);

/** What was seen of the run, once its queue was empty. */
interface Seen {
  readonly cards: ReadonlyMap<string, number>;
  /** Orders whose card was asked for before the store had acknowledged a claim on them. */
  readonly unclaimed: readonly string[];
  readonly claims: ReadonlyMap<string, ClaimRecord | undefined>;
  /** Cards issued when the store went down, when it had been down for a while, and when it was back. */
  readonly issued: { readonly before: number; readonly during: number; readonly after: number };
  /** Claims whose worker said that their effect happened and that it could not record it. */
  readonly reportedLost: ReadonlySet<string>;
  readonly deadLettered: number;
  readonly refusals: number;
}
let seen: Seen;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pawl-outage-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  let dynamo = await startDynamoDbLocal({ folder });
  stack.defer(() => dynamo.stop());
  const client = localClient(dynamo.endpoint);
  stack.defer(() => client.destroy());
  const tableName = await claimsTable(client);

  const events = createPawlEvents();
  const claimed = new Set<string>();
  const reportedLost = new Set<string>();
  const functions = stack.use(
    await startFunctions({
      fixture: 'gift-cards.ts',
      dynamoEndpoint: dynamo.endpoint,
      onLog(line) {
        events.read(line);
        if (line.includes('"completion-lost"')) reportedLost.add(JSON.parse(line.slice(line.indexOf('{'))).id);
      },
      tap: {
        // As it is handed to the worker: from here on it may act.
        onResponse(call, answer) {
          for (const id of claimsIn(call, answer)) claimed.add(id);
          return 'pass';
        },
      },
    }),
  );
  const ledger = createLedger();
  const unclaimed: string[] = [];
  const provider = await startGiftCards(ledger, {
    honoursKeys: false,
    lookupLagMs: 200,
    nextFault(_, orderId) {
      if (!claimed.has(`issue-gift-card#${orderId}`)) unclaimed.push(orderId);
      // Slow enough that the outage meets effects that have begun.
      return { kind: 'late', delayMs: 150 };
    },
  });
  stack.defer(() => provider.stop());
  const consumer = await functions.startConsumer({
    name: 'orders',
    environment: {
      POLICY: 'reconcile',
      SETTLE_MS: '500',
      CLAIMS_TABLE: tableName,
      GIFT_CARD_API_URL: provider.endpoint,
    },
    timeoutMs: 4_000,
    visibilitySeconds: 5,
    batchSize: 5,
    sandboxes: 2,
  });
  const customer = { email: 'ada@example.com', name: 'Ada' };
  for (const orderId of orders) {
    const placedAt = '2026-01-01T00:00:00.000Z';
    await functions.send(consumer, { orderId, customer, amountCents: 500, currency: 'EUR', placedAt });
  }

  await eventually('fifteen cards are issued', () => expect(ledger.entries.length).toBeGreaterThan(15));
  const before = ledger.entries.length;
  await dynamo.stop();
  await eventually('five messages are refused', () => expect(events.count('store-unavailable')).toBeGreaterThan(5));
  // With the start of the server, longer than an invocation: what is under way cannot just sit it out.
  await sleep(2_000);
  const during = ledger.entries.length;
  dynamo = await startDynamoDbLocal({ folder, port: dynamo.port });
  await eventually('the queue is empty', async () =>
    expect(await functions.sqs.depth('orders')).toEqual({ ready: 0, delayed: 0, inFlight: 0 }),
  );

  const found = resolverOf({
    operation: 'issue-gift-card',
    store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  });
  const { ready } = await functions.sqs.depth(consumer.deadLetters.name);
  seen = {
    cards: ledger.countByOrder('gift-card'),
    unclaimed,
    claims: new Map(await Promise.all(orders.map(async (orderId) => [orderId, await found.read(orderId)] as const))),
    issued: { before, during, after: ledger.entries.length },
    reportedLost,
    deadLettered: ready,
    refusals: events.count('store-unavailable'),
  };
});

it('the store was down in mid-run, and messages were refused', () => {
  const { before, during, after } = seen.issued;
  expect(before).toBeLessThan(orders.length);
  expect(after).toBeGreaterThan(during);
  expect(seen.refusals).toBeGreaterThan(0);
});

it('nothing runs unclaimed while the store is down', () => {
  expect(seen.unclaimed).toEqual([]);
  const withoutRecord = [...seen.cards.keys()].filter((orderId) => seen.claims.get(orderId) === undefined);
  expect(withoutRecord).toEqual([]);
});

it('nothing is lost, and everything is done once in the end', () => {
  expect([...seen.cards].toSorted()).toEqual(orders.map((orderId) => [orderId, 1]).toSorted());
  expect(seen.deadLettered).toBe(0);
  // An effect whose record could not be written is not repeated, and somebody is told.
  const open = [...seen.claims.values()].filter((claim) => claim?.status !== 'completed').map((claim) => claim?.id);
  expect(open.filter((id) => !seen.reportedLost.has(String(id)))).toEqual([]);
});
