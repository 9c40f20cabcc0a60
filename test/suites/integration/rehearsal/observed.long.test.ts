import { describe, expect, it } from 'vitest';
import { runsUnderWay } from '../../../../lib/pawl/rules/observed.ts';
import { isObservedText } from '../../../../lib/pawl/rules/observed-text.ts';
import type { Faults } from '../../../../lib/rehearsal/file/plan.ts';
import { rehearsed } from '../../../support/rehearsed.ts';

const observing = { PAWL_MODE: 'observe' };
const sent = { duplicate: 0.3 };

/** The app under observe, with what the table says of each order. */
async function observed(faults: Faults, environment: Readonly<Record<string, string>> = observing, context = {}) {
  const certain = new Set<string>();
  const perhaps = new Set<string>();
  const result = await rehearsed({ code: 'observed.ts', claims: true, ...context }, faults, {
    environment,
    settleSeconds: 240,
    sandboxesPerFunction: 1,
    intents: 12,
    async check({ table }) {
      for (const { id, observed: text } of await table('Sent').items()) {
        if (!isObservedText(text)) return [`${id} has not been observed`];
        const { done, failed, runs } = JSON.parse(String(text));
        const name = String(id).slice('send-mail#'.length);
        if (done > 1) certain.add(name);
        if (done + failed + runsUnderWay({ runs }).length > 1) perhaps.add(name);
      }
      return [];
    },
  });
  return { ...result, certain, perhaps, doubled: new Set(result.effects[0]?.doubled) };
}

describe('an app under observe, rehearsed', () => {
  it('doubles what it doubles without pawl: with its table, and without it', async () => {
    const without = await observed(sent, { WITHOUT_PAWL: 'true' });
    expect(without.doubled.size).toBeGreaterThan(2);
    const with_ = await observed(sent);
    expect([with_.doubled, with_.findings, with_.left, with_.deadLettered]).toEqual([without.doubled, [], 0, 0]);
    const tableless = await observed(sent, { ...observing, TABLE: 'no-such-table' });
    expect([tableless.doubled, tableless.left, tableless.deadLettered]).toEqual([without.doubled, 0, 0]);
  });

  it('sees all of it: what is certain has doubled, and what has doubled is certain or perhaps', async () => {
    const { certain, perhaps, doubled, findings } = await observed({ ...sent, redeliver: 0.2, provider: 0.2 });
    expect(findings).toEqual([]);
    expect(certain.size).toBeGreaterThan(2);
    expect([...certain].filter((key) => !doubled.has(key))).toEqual([]);
    expect([...doubled].filter((key) => !perhaps.has(key))).toEqual([]);
  });

  it('under kills, leaves no more unseen than sandboxes were killed', async () => {
    // A sandbox that dies has one message: the slower the machine, the more of them come together.
    const alone = { batchSize: 1 };
    const { certain, perhaps, doubled, sandboxes, left } = await observed({ ...sent, kill: 0.4 }, observing, alone);
    expect(sandboxes.killed).toBeGreaterThan(0);
    expect(left).toBe(0);
    expect([...certain].filter((key) => !doubled.has(key))).toEqual([]);
    expect([...doubled].filter((key) => !perhaps.has(key)).length).toBeLessThanOrEqual(sandboxes.killed);
  });
});
