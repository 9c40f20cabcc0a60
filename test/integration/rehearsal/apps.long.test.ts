import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { APPS, type AppName, type Project, projectOf, rehearsalOf } from '../../support/apps.ts';
import { runPawl } from '../../support/pawl-command.ts';

/** Each app that is not the shop, rehearsed by the command as its team would: with one seed, without pawl and with it. */

const SEED = 1;

interface Effect {
  readonly effect: string;
  readonly intents: number;
  readonly done: number;
  readonly doubled: readonly string[];
  readonly lost: readonly string[];
  readonly unfinished: readonly string[];
  readonly parked: readonly string[];
}

interface Harmed {
  readonly effect: string;
  readonly intent: string;
  readonly problem: string;
  readonly times: number;
  readonly story: readonly string[];
}

interface Result {
  readonly seed: number;
  readonly good: boolean;
  readonly effects: readonly Effect[];
  readonly harmed: readonly Harmed[];
  readonly hints: readonly { readonly text: string; readonly intents: readonly string[] }[];
  readonly left: number;
}

async function rehearsed(name: AppName, which: keyof Project): Promise<{ code: number | null; result: Result }> {
  const project = projectOf(name);
  onTestFinished(() => rmSync(project.without, { recursive: true, force: true }));
  const file = rehearsalOf(project[which]);
  const { code, out, error } = await runPawl(['rehearse', file, '--seed', String(SEED), '--json']);
  expect(code, error).not.toBe(2);
  return { code, result: JSON.parse(out) };
}

const total = (effects: readonly Effect[], list: 'doubled' | 'lost' | 'unfinished') =>
  effects.reduce((sum, effect) => sum + effect[list].length, 0);

/** What a story says when something went wrong that can make an effect happen again. */
const CAUSES = [
  // of the producer, and of the client
  'AGAIN',
  // of the queue
  'BECOMES VISIBLE',
  'FORGETS',
  // of the sandbox
  'IS KILLED',
  'IS STOPPED',
  'times out',
  'fails: ',
  // of the provider
  'APPLIED; ',
  // of the message itself, which the function reported
  '"itemIdentifier"',
];

const says = (story: readonly string[], ...words: readonly string[]) =>
  story.some((line) => words.some((word) => line.includes(word)));

describe.each(APPS)('%s', (name) => {
  test('without pawl, a rehearsal finds what doubles, and tells how it came about', { timeout: 300_000 }, async () => {
    const { code, result } = await rehearsed(name, 'without');
    expect(code).toBe(1);
    expect(total(result.effects, 'doubled')).toBeGreaterThan(0);
    for (const { intent, problem, times, story } of result.harmed) {
      // What others in its batch had is no effect of its own.
      const applied = story.filter((line) => line.includes('APPLIED') && !line.includes('in the same batch'));
      // An effect that is a write of the app's own is counted by its table.
      if (applied.length > 0) expect(applied, `${intent}\n${story.join('\n')}`).toHaveLength(times);
      if (problem !== 'doubled') continue;
      const first = story.findIndex((line) => line.includes('APPLIED'));
      const last = story.findLastIndex((line) => line.includes('APPLIED'));
      expect(says(story.slice(0, last), ...CAUSES), story.join('\n')).toBe(true);
      expect(last - first, story.join('\n')).toBeGreaterThan(applied.length > 0 ? 0 : -1);
    }
  });

  test('with pawl, nothing doubles and nothing is lost under the same plan', { timeout: 300_000 }, async () => {
    const { code, result } = await rehearsed(name, 'withPawl');
    expect(
      result.harmed.map(({ effect, intent, problem, story }) => [effect, intent, problem, ...story].join('\n')),
    ).toEqual([]);
    expect(code).toBe(0);
    for (const { intents, done, parked } of result.effects) expect(done + parked.length).toBe(intents);
  });
});
