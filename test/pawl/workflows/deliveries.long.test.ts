import { expect, inject, it } from 'vitest';
import { deliverUnderKills, type KilledDeliveries, type Target, targets } from '../../support/killed-deliveries.ts';

/** Two messages of each. docs/evidence/workflows.md has the figures of a thousand: `npm run campaign -- workflows`. */
const intents = Number(process.env['PAWL_INTENTS'] ?? 50);
const hour = 3_600_000;

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0);
const most = (counts: ReadonlyMap<string, number>) => Math.max(...counts.values());

/** What must be true of each target, whatever chance does. */
const laws: Readonly<Record<Target, (delivered: KilledDeliveries) => void>> = {
  standard: isOnceEach,
  durable: isOnceEach,
  express({ executions, parked }) {
    expect(most(executions)).toBe(1);
    // What has no execution is parked, and so is what may have one.
    const unstarted = names.filter((intent) => !executions.has(intent));
    expect(unstarted.filter((intent) => !parked.has(intent))).toEqual([]);
    expect(parked.size).toBeGreaterThan(0);
  },
  'express-first'({ executions, effects, parked }) {
    expect(sum(executions)).toBeGreaterThan(intents);
    expect([sum(effects), most(effects), parked.size]).toEqual([intents, 1, 0]);
  },
  naive({ executions }) {
    expect(sum(executions)).toBeGreaterThan(intents);
  },
};
const names = Array.from({ length: intents }, (_, intent) => String(intent));

function isOnceEach({ executions, parked }: KilledDeliveries): void {
  expect([sum(executions), most(executions), parked.size]).toEqual([intents, 1, 0]);
}

it.each(targets)(
  'starts each intent as %s promises, under kills, lost answers, throttling and redrives',
  async (target) => {
    const delivered = await deliverUnderKills(target, intents, inject('dynamoEndpoint'));
    const { executions, effects, deliveries, kills, redrives, parked } = delivered;
    console.log(
      `${target}: ${intents} intents, ${deliveries} deliveries, ${kills} kills, ${redrives} redrives: ${sum(executions)} executions, at most ${most(executions)} of one; ${sum(effects)} effects; ${parked.size} parked`,
    );
    laws[target](delivered);
    expect(deliveries).toBeGreaterThan(2 * intents);
    expect([kills, redrives].filter((one) => one === 0)).toEqual([]);
  },
  hour,
);
