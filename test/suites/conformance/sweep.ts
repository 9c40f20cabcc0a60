import { expect, test, vi } from 'vitest';
import { assertSurvivesCrashes, type CrashSweepOptions } from '../../../lib/testing/index.ts';
import { ofSweep } from '../../support/whole.ts';
import { cores, type Door, nameOf, type Tried, triedAt } from './table.ts';

type MakeSweep<Provider> = (tried: Tried) => Promise<CrashSweepOptions<Provider>>;

/** What other people's packages print goes nowhere, and comes from where Lambda would have it come from. */
export function quietly(): void {
  vi.stubEnv('AWS_EMF_ENVIRONMENT', 'Lambda');
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  for (const level of ['log', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
}

/**
 * How many runs the sweep of a cell makes. CI makes most of them on the newest core: on the older ones it is the same middleware. With fewer than these, an
 * abandoned claim that is not parked was missed at some of the positions.
 */
export function runsOf({ core }: Tried): number {
  return ofSweep(300, { part: core === Math.max(...cores) ? 60 : 32 });
}

/** Defines a test for each cell of one door that is expected to work. @param runsOf how many runs its sweep makes */
export function testCells<Provider>(door: Door, sweepOf: MakeSweep<Provider>, runsOf: (tried: Tried) => number): void {
  quietly();
  const cells = triedAt(door).filter(({ expected }) => expected.kind === 'works');
  test.each(cells.map((tried) => [nameOf(tried), tried] as const))('%s', async (_, tried) => {
    const sweep = await sweepOf(tried);
    const { boundaries, fates } = await assertSurvivesCrashes({ ...sweep, max: runsOf(tried) });
    expect(fates.acknowledged).toBeGreaterThan(0);
    if (tried.row.name !== 'http-router') expect(boundaries.join(), 'other people’s hooks').toContain('theirs.');
  });
}
