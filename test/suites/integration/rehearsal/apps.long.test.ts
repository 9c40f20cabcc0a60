import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AppName, apps, type Project, projectOf, rehearsalOf } from '../../../support/apps.ts';
import { runPawl } from '../../../support/pawl-command.ts';

/** Each app that is not the shop, rehearsed by the command as its team would: without pawl and with it, with one seed, or with as many as `PAWL_SEEDS` says. */

const seeds = Array.from({ length: Number(process.env['PAWL_SEEDS'] ?? 1) }, (_, index) => index + 1);

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
  readonly hints: readonly { readonly name: string; readonly intents: readonly string[] }[];
  readonly left: number;
}

async function rehearsed(
  name: AppName,
  which: keyof Project,
  seed = 1,
): Promise<{ code: number | null; result: Result }> {
  const project = projectOf(name);
  onTestFinished(() => rmSync(project.without, { recursive: true, force: true }));
  const file = rehearsalOf(project[which]);
  const { code, out, error } = await runPawl(['rehearse', file, '--seed', String(seed), '--json']);
  expect(code, error).not.toBe(2);
  return { code, result: JSON.parse(out) };
}

const total = (effects: readonly Effect[], list: 'doubled' | 'lost' | 'unfinished') =>
  effects.reduce((sum, effect) => sum + effect[list].length, 0);

/** What a story says when something went wrong that can make an effect happen again. */
const causes = [
  // of the producer, and of the client
  'AGAIN',
  // of the queue
  'BECOMES VISIBLE',
  'FORGETS',
  // of the stream
  'IS FORGOTTEN',
  // of the sandbox
  'IS KILLED',
  'IS STOPPED',
  'times out',
  'fails: ',
  // of the provider
  'APPLIED; ',
  // of the message itself, which the function reported
  'this message has failed',
];

const says = (story: readonly string[], ...words: readonly string[]) =>
  story.some((line) => words.some((word) => line.includes(word)));

const isDelivery = (line: string) => line.includes(' receives ') || line.includes(' is invoked');

/** The sandbox that a line is about. */
const sandboxIn = (line: string) => line.split(/\s+/).find((word) => word.startsWith('SANDBOX'));

/** The provider that counts an effect. Other effects are writes of the app's own. */
const providers: Readonly<Record<string, string>> = {
  confirmation: 'MAILER_URL',
  invoice: 'ACCOUNTING_URL',
  charge: 'PROCESSOR_URL',
  notification: 'NOTIFICATIONS_URL',
  fare: 'PAYMENTS_URL',
  voucher: 'VOUCHERS_URL',
};

/** The lines in which an effect happened. What others in its batch had is no effect of its own. */
const applications = (provider: string, story: readonly string[]) =>
  story.flatMap((line, at) =>
    line.includes(`calls ${provider}`) && line.includes('APPLIED') && !line.includes('in the same batch') ? [at] : [],
  );

/** The cause that a rehearsal names for what comes to harm without pawl. With another seed, other faults do the harm. */
const causeNamed: Readonly<Record<AppName, readonly string[]>> = {
  // Powertools gives a record up when the mailer fails, and takes one over when a worker is late.
  confirmations: ['idempotency-incomplete'],
  // The event source does not listen to what Middy reports.
  invoices: ['report-batch-item-failures', 'no-idempotency'],
  // It reads the receipt first, and writes it last.
  payments: ['idempotency-incomplete'],
  // One failure gives the whole batch back.
  rides: ['whole-batch'],
  vouchers: ['no-idempotency'],
};

/** A queue and a stream. `npm run campaign -- apps` has all five: they take minutes. */
const chosen: readonly AppName[] = process.env['PAWL_APPS'] === 'all' ? apps : ['confirmations', 'vouchers'];

const runs = chosen.flatMap((name) => seeds.map((seed) => [name, seed] as const));

describe.each(runs)('%s, seed %d', (name, seed) => {
  test('without pawl, a rehearsal finds what doubles, and tells how it came about', async () => {
    const { code, result } = await rehearsed(name, 'without', seed);
    expect(code).toBe(1);
    expect(total(result.effects, 'doubled')).toBeGreaterThan(0);
    const named = result.hints.map((hint) => hint.name);
    if (seed === 1) expect(named).toEqual(expect.arrayContaining([...causeNamed[name]]));
    else expect(named).not.toEqual([]);
    for (const { effect, intent, problem, times, story } of result.harmed) {
      const provider = providers[effect];
      if (provider === undefined) continue;
      const told = [intent, ...story].join('\n');
      const applied = applications(provider, story);
      expect(applied, told).toHaveLength(times);
      for (const at of applied) {
        const sandbox = sandboxIn(story[at] ?? '');
        expect(
          story.slice(0, at).some((line) => isDelivery(line) && sandboxIn(line) === sandbox),
          told,
        ).toBe(true);
      }
      if (problem !== 'doubled') continue;
      const before = story.slice(0, applied.at(-1));
      // A client that sends a request twice.
      const sentTwice = before.filter((line) => line.includes(' s  POST /')).length > 1;
      expect(sentTwice || says(before, ...causes), told).toBe(true);
    }
  });

  test('with pawl, nothing doubles and nothing is lost under the same plan', async () => {
    const { code, result } = await rehearsed(name, 'withPawl', seed);
    expect(
      result.harmed.map(({ effect, intent, problem, story }) => [effect, intent, problem, ...story].join('\n')),
    ).toEqual([]);
    expect(code).toBe(0);
    for (const { intents, done, parked } of result.effects) expect(done + parked.length).toBe(intents);
  });
});

test('a message that the function reports as failed, and that is deleted all the same, is lost, and its story says so', async () => {
  const { result } = await rehearsed('invoices', 'without');
  const lost = result.harmed.filter(({ problem }) => problem === 'lost');
  expect(lost).not.toEqual([]);
  for (const { intent, story } of lost) {
    const failed = story.findLastIndex((line) => line.includes('responds: this message has failed'));
    expect(says(story.slice(failed), 'the queue deletes the message'), [intent, ...story].join('\n')).toBe(true);
  }
  const hint = result.hints.find((one) => one.name === 'report-batch-item-failures');
  expect(hint?.intents).toEqual(lost.map(({ intent }) => intent));
});
