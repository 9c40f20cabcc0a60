import { describe, expect, it } from 'vitest';
import type { Finding } from '../../lib/testing/index.ts';
import { cases, compare } from '../../proof/peer/compare.ts';

/*
 * The peer in the same kit, with the same messages, crashes and provider: enough of it to notice when it changes. The figures are in
 * docs/evidence/peer.md.
 */

const caseOf = (name: string) => cases.find((one) => one.name === name) ?? cases[0];

/** Sweeps single faults, or nearly; answers where the effect doubled. */
async function doubledBy(name: string, batchSize: number, honoursKeys = false): Promise<readonly string[]> {
  const one = caseOf(name);
  if (one === undefined) throw new Error(`no case ${name}`);
  const { doubled, lost, stuck, boundaries } = await compare(one, { honoursKeys, batchSize, max: 52 });
  expect([lost, stuck]).toEqual([[], []]);
  const where = (finding: Finding) => finding.faults.map(({ at, fault }) => `${fault} ${boundaries[at - 1]}`);
  return [...new Set(doubled.filter(({ faults }) => faults.length === 1).flatMap(where))].sort();
}

/** Those that the worker lives to hear of. */
const survived = (doubled: readonly string[]) => doubled.filter((where) => /^(throw|lose-answer)/.test(where));

describe('with a provider that ignores keys', () => {
  it("'retry' doubles where the effect's own answer is lost or its worker dies, and 'park' and reconcile nowhere", async () => {
    const doubled = await doubledBy("pawl, 'retry'", 10);
    expect(doubled).toContain('kill-after cards.issue');
    expect(survived(doubled)).toEqual(['lose-answer cards.issue']);
    expect(await doubledBy("pawl, 'park'", 10)).toEqual([]);
    expect(await doubledBy('pawl, reconcile', 10)).toEqual([]);
  });

  it('Powertools doubles besides where the write of its completion fails', async () => {
    const doubled = await doubledBy('Powertools', 10);
    expect(doubled).toContain('kill-after cards.issue');
    expect(survived(doubled)).toEqual(['lose-answer cards.issue', 'throw store.UpdateItem']);
  });

  it('a handler of Powertools that asks first doubles where a duplicate asks too early', async () => {
    expect(await doubledBy('Powertools, and a handler that asks first', 10)).toEqual([]);
    expect(await doubledBy('Powertools, and a handler that asks first', 1)).toEqual([
      'apply-late cards.issue',
      'lose-answer cards.issue',
    ]);
  });
});

it('with a provider that honours keys, neither doubles', async () => {
  expect(await doubledBy("pawl, 'retry'", 10, true)).toEqual([]);
  expect(await doubledBy('Powertools', 10, true)).toEqual([]);
});
