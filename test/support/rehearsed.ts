import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type RehearsalOptions, rehearsal } from '../../lib/rehearsal/file/define.ts';
import type { Faults } from '../../lib/rehearsal/file/plan.ts';
import { mailer } from '../../lib/rehearsal/file/providers.ts';
import type { Hint, RehearsalResult } from '../../lib/rehearsal/file/result.ts';
import { runRehearsal } from '../../lib/rehearsal/file/run.ts';
import type { RunOptions } from '../../lib/rehearsal/file/running.ts';
import { type Ran, runPawl } from './pawl-command.ts';
import { rehearsalDatabase } from './rehearsal-database.ts';

const folder = fileURLToPath(new URL('../fixtures/rehearsed/', import.meta.url));
const library = fileURLToPath(new URL('../../lib/rehearsal/index.ts', import.meta.url));

/** What the context of the app of `test/fixtures/rehearsed` chooses. */
export interface Rehearsed {
  /** The file of the consumer. */
  readonly code: string;
  readonly [name: string]: unknown;
}

export interface RunMore extends Partial<RehearsalOptions> {
  readonly seed?: number;
  readonly intents?: number;
  readonly filter?: string;
  readonly story?: string;
  /** How it is run. */
  readonly run?: Pick<RunOptions, 'faults' | 'machine' | 'onLog'>;
}

/** How often what the machine was too slow to judge is rehearsed, at most. */
const mostTries = 3;

/**
 * Rehearses the app of `test/fixtures/rehearsed` in this process: an email for each of some orders. What the machine was too slow to judge is rehearsed again,
 * as the person who reads that in a report does it: no test asserts how fast the machine is.
 */
export async function rehearsed(
  context: Rehearsed,
  faults: Faults,
  { seed = 1, intents = 20, filter, story, run, ...more }: RunMore = {},
): Promise<RehearsalResult> {
  const mail = mailer('orderId');
  const file = rehearsal({
    context,
    faults,
    providers: { MAILER_URL: mail },
    effects: { email: mail },
    traffic({ queue }) {
      for (let n = 1; n <= intents; n += 1) queue('Orders').send({ orderId: `order-${n}` }, { intent: `order-${n}` });
    },
    ...more,
  });
  const app = { command: [process.execPath, 'app.mjs'] as const, folder: folder };
  const dynamoDb = await rehearsalDatabase();
  for (let tries = 1; ; tries += 1) {
    const result = await runRehearsal(file, { seed, filter, story, app, dynamoDb, ...run });
    const isJudged = result.noVerdict === undefined && result.effects.every(({ unjudged }) => unjudged.length === 0);
    // A test that makes the machine slow is about that.
    if (isJudged || run?.machine !== undefined || tries === mostTries) return result;
  }
}

export function hintsOf({ hints }: RehearsalResult): readonly string[] {
  return hints.map(({ name }: Hint) => name);
}

/** A project with a rehearsal file, in a folder of its own. */
export interface RehearsedProject {
  readonly folder: string;
  /** Where it leaves temporary files. */
  readonly temporary: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** What is left of a run: temporary files, and the folders of the app. */
  left(): readonly string[];
}

/**
 * Makes a project whose `pawl rehearse` rehearses the app of `test/fixtures/rehearsed`.
 *
 * @param consumer the code of the function
 * @param file the rehearsal file; `RUN` in it is what imports pawl
 */
export function projectWith(
  consumer: string,
  file: string,
  { cdk = `${process.execPath} ${folder}app.mjs` }: { cdk?: string } = {},
): RehearsedProject {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-project-'));
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(folder, 'consumer.mjs'), consumer);
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ app: cdk }));
  writeFileSync(
    join(folder, 'rehearsal.mjs'),
    file.replace('RUN', `import { mailer, rehearsal, times } from ${JSON.stringify(library)};`),
  );
  const run: RehearsedProject['run'] = (args, env = {}) =>
    runPawl(['rehearse', join(folder, 'rehearsal.mjs'), ...args], { TMPDIR: temporary, ...env });
  const left = () => [...readdirSync(temporary), ...leftBelow(join(folder, '.pawl'))];
  return { folder, temporary, run, left };
}

function leftBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A rehearsal file for a consumer of the project. */
export function fileFor(context = '', more = ''): string {
  return `RUN
import { join } from 'node:path';
const mail = mailer('orderId');
export default rehearsal({
  context: { code: join(import.meta.dirname, 'consumer.mjs'), ${context} },
  providers: { MAILER_URL: mail },
  traffic: ({ queue }) => times(12, (n) => queue('Orders').send({ orderId: 'order-' + n }, { intent: 'order-' + n })),
  faults: {},
  ${more}
});
`;
}
