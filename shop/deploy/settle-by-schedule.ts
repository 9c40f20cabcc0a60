import { setTimeout as sleep } from 'node:timers/promises';
import { type Claim, once } from 'pawl';
import { dynamoStore, sdk } from 'pawl/dynamodb';
import { giftCardProvider } from '../../lambda/gift-cards.ts';
import { nodeHost } from '../../lib/pawl/host.ts';
import { operationOf } from '../app/app-functions.ts';
import type { Journal } from './journal.ts';
import { type Deployed, nameOf } from './part.ts';
import type { World } from './world.ts';

export interface BySchedule {
  readonly world: World;
  readonly journal: Journal;
  readonly orders: { readonly deployed: Deployed };
  readonly payments: { readonly deployed: Deployed };
}

/** How long the schedule may take to call the sweep, and the sweep to settle. EventBridge knows minutes. */
const settledMs = 120_000;
const hourMs = 3_600_000;

/** What is left in doubt by workers whose messages never come again, by what the sweep is to make of it. */
const doubts = [
  { operation: operationOf['gift-card'], key: 'swept-issued', isIssued: true, becomes: 'completed' },
  { operation: operationOf['gift-card'], key: 'swept-not-issued', isIssued: false, becomes: 'released' },
  { operation: operationOf.email, key: 'swept-mail', isIssued: false, becomes: 'parked' },
] as const;

/**
 * Claims in doubt for which no message comes: the sweep settles them, as it is deployed, called by its own rule and under its own role. The rule is
 * changed in one thing, so that the run need not wait for five minutes.
 */
export async function settleBySchedule({ world, journal, orders, payments }: BySchedule): Promise<void> {
  const { account } = world;
  const rule = await expectSchedule(orders.deployed, 'SettleClaims', 'SettleClaimsFunction', 'rate(5 minutes)');
  await expectSchedule(payments.deployed, 'Statements', 'LedgerDriftFunction', 'rate(1 day)');

  const tableName = nameOf(orders.deployed, 'AWS::DynamoDB::Table', 'Claims');
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: account.dynamo }) });
  await leaveInDoubt();
  journal.say(
    `${doubts.length} claims are in doubt, and no message comes for them; the sweep's rule is set to every minute`,
  );
  await account.setSchedule(rule, 'rate(1 minute)');
  const until = Date.now() + settledMs;
  const isAsItShould = async () => (await Promise.all(doubts.map(isSettled))).every((settled) => settled);
  while (!(await isAsItShould()) && Date.now() < until) await sleep(500);
  const states = await Promise.all(doubts.map(async (doubt) => `${doubt.key} ${(await recordOf(doubt))?.status}`));
  journal.expect(`the schedule calls the sweep, and it settles them: ${states.join(', ')}`, await isAsItShould());

  /** Returns the name of the rule. */
  async function expectSchedule(deployed: Deployed, construct: string, fn: string, every: string): Promise<string> {
    const name = nameOf(deployed, 'AWS::Events::Rule', `${construct}Schedule`);
    const { expression, isEnabled, targets } = await account.scheduleOf(name);
    const called = nameOf(deployed, 'AWS::Lambda::Function', fn);
    journal.expect(
      `${deployed.stack}: ${construct} runs by ${expression}, and calls ${targets.length} function`,
      isEnabled &&
        expression === every &&
        called !== '' &&
        targets.map((arn) => arn.split(':').at(-1)).join() === called,
    );
    return name;
  }

  function recordOf({ operation, key }: (typeof doubts)[number]) {
    return store.read(`${operation}#${key}`);
  }

  async function isSettled(doubt: (typeof doubts)[number]): Promise<boolean> {
    const record = await recordOf(doubt);
    return record?.status === doubt.becomes && (record.unknownAt === undefined || doubt.becomes === 'parked');
  }

  async function leaveInDoubt(): Promise<void> {
    const { giftCardApiUrl = '' } = world.context(0);
    const giftCards = giftCardProvider(giftCardApiUrl);
    const host = { ...nodeHost, now: () => Date.now() - hourMs };
    const customer = { name: 'Ada', email: 'ada@example.com' };
    for (const { operation, key, isIssued } of doubts) {
      const work = async (_: string, claim: Claim) => {
        const order = { orderId: key, amountCents: 2500, currency: 'EUR', customer, placedAt: '2026-11-22T09:00:00Z' };
        if (isIssued) await giftCards.issue(order, claim);
        throw new Error('the connection was reset');
      };
      const handler = once(
        { operation, store, host, key: (one: string) => one, onAbandoned: 'retry', onEvent: () => undefined },
        work,
      );
      await handler(key).catch(() => undefined);
      const left = await store.read(`${operation}#${key}`);
      journal.expect(`${key} is in doubt`, left?.unknownAt !== undefined);
    }
  }
}
