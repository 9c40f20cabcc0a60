import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { plantedEnvironment } from './planted.ts';

/** A check that a mutant must pass to survive. */
export interface Killer {
  readonly name: string;
  /** Whether it looks at this module of the library at all. */
  readonly sees: (module: string) => boolean;
  /** Returns the failure that it finds with this mutant planted, or with none; `undefined` if it passes. */
  readonly run: (mutant: Mutant | undefined) => Promise<string | undefined>;
}

/** The production code that the search runs, or compares its worker with. */
const searched = /^lib\/pawl\/(kernel|payload|rules|engine|sqs)\//;
const repository = join(import.meta.dirname, '../..');
/** Whose unit tests meet a mutant first, by the room of its module: those of the room, and of the rooms that stand on it. */
const near: Readonly<Record<string, readonly string[]>> = {
  kernel: ['kernel', 'rules', 'engine'],
  payload: ['payload', 'sqs'],
  rules: ['rules', 'engine', 'operate', 'sweep', 'statements', 'sqs', 'middy'],
  engine: ['engine', 'sweep', 'statements', 'sqs', 'middy'],
  operate: ['operate'],
  sweep: ['sweep'],
  statements: ['statements'],
  sqs: ['sqs', 'middy'],
  middy: ['middy'],
  stores: ['stores'],
  outbox: ['outbox'],
};
const always = () => true;
const patienceMs = 15 * 60_000;

/** In the order in which a mutant meets them: the quickest first. */
export const killers: readonly Killer[] = [
  ...Object.keys(near).map((name) => ({
    name: `unit tests of ${name}`,
    sees: (module: string) => near[roomOf(module)]?.includes(name) ?? false,
    run: vitest('unit', () => [`test/pawl/${name}/`]),
  })),
  { name: 'search', sees: (module) => searched.test(module), run: search },
  { name: 'laws', sees: always, run: vitest('laws') },
  { name: 'unit tests', sees: always, run: vitest('unit', unitFolders) },
  {
    name: 'scenarios',
    sees: always,
    run: vitest('integration', () => [
      'test/suites/scenarios/',
      'test/suites/integration/*.test.ts',
      'test/suites/integration/observe/',
      'test/suites/integration/outbox/',
    ]),
  },
  {
    name: 'long laws and sweeps',
    sees: always,
    run: vitest('long', () => [
      'test/suites/laws/',
      'test/proof/simulation/',
      'test/testing/',
      'test/suites/integration/crash-points',
    ]),
  },
];

/** `lib/pawl/rules/decide.ts` → `rules` */
function roomOf(module: string): string {
  return module.split('/')[2] ?? '';
}

/** Rooms whose parts are left out one by one. */
const split = ['test/proof', 'test/pawl', 'test/suites'];
/** The search has run already, and the mutants' own tests look at no behaviour. */
const left = ['test/proof/model', 'test/proof/mutants', 'test/pawl/deployment', 'test/cdk'];

/** The folders of the unit tests, but for those that have run or cannot see a planted mutant. */
export function unitFolders(): readonly string[] {
  const inside = (path: string) =>
    readdirSync(join(repository, path), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${path}/${entry.name}`] : [],
    );
  const rooms = inside('test').flatMap((room) => (split.includes(room) ? inside(room) : [room]));
  return rooms.filter((room) => !left.includes(room)).map((room) => `${room}/`);
}

async function search(mutant: Mutant | undefined): Promise<string | undefined> {
  // A search that never ends is broken as well. The largest of the small searches has a tenth of this.
  const { code, output } = await execute(mutant, ['proof/model/main.ts', '--small', '--most', '500000']);
  if (code === 0) return undefined;
  const said = /^(.*) is broken|^The search's worker is not what ships/m.exec(output);
  return said?.[1] ?? said?.[0] ?? lastLine(output);
}

function vitest(project: string, files: () => readonly string[] = () => []): Killer['run'] {
  return async (mutant) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-mutant-'));
    const report = join(folder, 'report.json');
    const options = ['--project', project, '--bail', '1', '--reporter', 'json', '--outputFile', report];
    const config = ['--config', 'proof/mutants/planted.vitest.config.ts'];
    const { code, output } = await execute(mutant, [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...config,
      ...options,
      ...files(),
    ]);
    const failure = code === 0 ? undefined : (failureOf(report) ?? withoutTest(code, output));
    rmSync(folder, { recursive: true, force: true });
    return failure;
  };
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
}

function failureOf(report: string): string | undefined {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    for (const { name, message, assertionResults } of testResults) {
      const failed = assertionResults.find(({ status }) => status === 'failed');
      if (failed) return failed.title;
      if (message) return `${name.slice(name.indexOf('/test/') + 1)}: ${message.split('\n')[0]}`;
    }
  } catch {
    // It was stopped before it could write one.
  }
  return undefined;
}

function execute(
  mutant: Mutant | undefined,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const env = mutant ? plantedEnvironment(mutant) : process.env;
    const child = spawn(process.execPath, args, { cwd: repository, timeout: patienceMs, env });
    let output = '';
    const take = (data: Buffer) => {
      output = (output + data).slice(-20_000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** A run may fail without a failing test: by an error that no test has handled, or because it was stopped. */
function withoutTest(code: number | null, output: string): string {
  const unhandled = /^.*?\b(\w*Error: .*)$/m.exec(output)?.[1];
  return `no test, but exit code ${code}${unhandled === undefined ? '' : `: ${unhandled.slice(0, 120)}`}`;
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
