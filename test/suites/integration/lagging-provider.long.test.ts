import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { giftCardProvider } from '../../../lambda/gift-cards.ts';
import { type ClaimEvent, once, reconcile } from '../../../lib/pawl/index.ts';
import { NothingRunError } from '../../../lib/pawl/kernel/errors.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { ProviderFault } from '../../../lib/rehearsal/provider.ts';
import { startGiftCards } from '../../../shop/providers/gift-cards.ts';
import { createLedger } from '../../../shop/providers/ledger.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * The provider that makes a look-up dangerous: it ignores idempotency keys, and what it has issued shows up
 * later. Whoever believes "not found" at once issues the card again.
 */

const calls = 200;
const atOnce = 40;
/** The client gives up after this. */
const clientTimeoutMs = 150;

/** What becomes of the calls that time out, in turn. */
const fates: readonly ProviderFault[] = [
  { kind: 'hang-applied' },
  { kind: 'hang-applied' },
  { kind: 'hang-before' },
  // Still on its way when the client gives up: to abort a request does not call it back.
  { kind: 'hang-then-apply', delayMs: clientTimeoutMs + 50 },
];

let client: DynamoDBClient;
let tableName: string;
beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());

interface Lagging {
  readonly settleMs: number;
  /** How long what was issued is not found. */
  readonly lookupLagMs: number;
}

/** Times out every first call, delivers each message until it is done, and asks the provider's books what came of it. */
async function reconcileAll({ settleMs, lookupLagMs }: Lagging) {
  const ledger = createLedger();
  /** Orders whose first call has timed out at the client. All their later calls go well. */
  const over = new Set<string>();
  const orders = Array.from({ length: calls }, (_, index) => `settle-${settleMs}-${index}`);
  const provider = await startGiftCards(ledger, {
    honoursKeys: false,
    lookupLagMs,
    nextFault(_, orderId) {
      return over.has(orderId) ? undefined : fates[orders.indexOf(orderId) % fates.length];
    },
  });
  try {
    const giftCards = giftCardProvider(provider.endpoint);
    const events: ClaimEvent[] = [];
    const issue = once<string, void>(
      {
        operation: 'issue-gift-card',
        store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
        key: (orderId) => orderId,
        onAbandoned: reconcile({
          ask: async (doubt) => ({ verdict: (await giftCards.wasIssued(doubt)) ? 'applied' : 'not-applied' }),
          settleMs,
        }),
        // One clock, and the allowance for two would be added to the settling.
        skewMs: 0,
        onEvent: (event) => events.push(event),
      },
      (orderId, { effectKey }) =>
        giftCards.issue(order(orderId), {
          effectKey,
          signal: AbortSignal.timeout(over.has(orderId) ? 20_000 : clientTimeoutMs),
        }),
    ).outcome;

    let timedOut = 0;
    async function deliverUntilDone(orderId: string): Promise<void> {
      for (let redelivered = false; ; redelivered = true) {
        try {
          const answer = await issue(orderId, { redelivered, remainingMs: () => 20_000 });
          if (answer.outcome === 'completed') return;
          // In flight, where the machine kept the release of the first call from being written: in doubt, when the lease is over.
          expect(['in-doubt', 'in-flight']).toContain(answer.outcome);
          const waitMs = 'retryAfterMs' in answer ? answer.retryAfterMs : 0;
          await new Promise((resolve) => setTimeout(resolve, waitMs));
        } catch (error) {
          // Given back before anything ran, where the machine kept the store's answer too long: it comes again.
          if (error instanceof NothingRunError) continue;
          expect(error).toMatchObject({ name: 'TimeoutError' });
          over.add(orderId);
          timedOut++;
        }
      }
    }
    const waiting = [...orders];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await deliverUntilDone(next);
      }),
    );

    const cards = orders.map((orderId) => ledger.countByOrder('gift-card').get(orderId) ?? 0);
    const asked = new Set(events.filter(({ type }) => type === 'reconciled').map(({ id }) => id));
    return {
      timedOut,
      reconciled: asked.size,
      lost: cards.filter((count) => count === 0).length,
      doubled: cards.filter((count) => count > 1).length,
      completed: events.filter(({ type }) => type === 'completed').length,
    };
  } finally {
    await provider.stop();
  }
}

function order(orderId: string) {
  const customer = { email: 'ada@example.com', name: 'Ada' };
  return { orderId, customer, amountCents: 500, currency: 'EUR', placedAt: '2026-01-01T00:00:00.000Z' };
}

const reconciled = { timedOut: calls, reconciled: calls, completed: calls, lost: 0 };

it('issues each card once after 200 calls that timed out, though the look-up lags, when it is given time to settle', async () => {
  // The lag, and as much again and more for a request that was on its way when its caller gave up.
  expect(await reconcileAll({ settleMs: 1000, lookupLagMs: 200 })).toEqual({ ...reconciled, doubled: 0 });
});

it('issues cards twice when "not found" is believed at once', async () => {
  // The lag is longer than the test, however slow the machine: at the first look-up, no card shows yet.
  const { doubled, ...others } = await reconcileAll({ settleMs: 0, lookupLagMs: 600_000 });
  expect(others).toEqual(reconciled);
  expect(doubled).toBeGreaterThan(0);
});
