import { type FaultName, faults } from './faults.ts';
import type { Simulated } from './simulate.ts';
import type { Troubled } from './troubles.ts';

/** How many of the last lines are told where the whole story was not asked for. */
const lastLines = 40;

/** What happened under a seed, for people to read. */
export function storyOf(
  { seed, scenario, violations, story = [], virtualMs, hash }: Simulated<Troubled, unknown>,
  whole: boolean,
): string {
  const { faults: rates, ...chosen } = scenario;
  const on = (Object.keys(rates) as FaultName[]).filter((name) => rates[name] > 0);
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const told = whole ? story : story.slice(-lastLines);
  return [
    `Seed ${seed}: ${JSON.stringify(chosen)}`,
    ...on.map((name) => `  ${String(rates[name]).padEnd(5)} ${name}: ${faults[name]}`),
    `Faults end after ${seconds(scenario.faultsEndMs)} s.`,
    '',
    ...(told.length < story.length ? [`… ${story.length - told.length} lines before; --trace tells them all`] : []),
    ...told,
    '',
    ...violations.map(({ invariant, text, at }) => `Invariant ${invariant} is broken after ${seconds(at)} s: ${text}`),
    `${violations.length === 0 ? 'Nothing was wrong' : 'Failed'} after ${seconds(virtualMs)} s of virtual time, hash ${hash}.`,
  ].join('\n');
}
