import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A check that a mutant must pass to survive. */
export interface Killer {
  readonly name: string;
  /** Whether it looks at this file of the library at all. */
  readonly sees: (file: string) => boolean;
  /** Returns the failure that it finds in the repository at `folder`; `undefined` if it passes. */
  readonly run: (folder: string) => Promise<string | undefined>;
}

/** The production code that the search runs, or compares its worker with. */
const searched = /^lib\/(kernel|payload|claims|sqs)\//;
const folders = ['kernel', 'payload', 'claims', 'sqs', 'middy', 'stores'].filter((name) =>
  existsSync(join(import.meta.dirname, '../../test', name)),
);
const always = () => true;
const patienceMs = 15 * 60_000;

/** In the order in which a mutant meets them. */
export const killers: readonly Killer[] = [
  { name: 'search', sees: (file) => searched.test(file), run: search },
  ...folders.map((name) => ({
    name: `unit tests of ${name}`,
    sees: (file: string) => file.startsWith(`lib/${name}/`),
    run: vitest('unit', [`test/${name}`]),
  })),
  {
    name: 'unit tests',
    sees: always,
    run: (folder) => vitest('unit', unitFolders(folder))(folder),
  },
  { name: 'laws', sees: always, run: vitest('laws') },
  { name: 'scenarios', sees: always, run: vitest('integration', ['test/scenarios', 'test/integration/*.test.ts']) },
];

/** Rooms whose parts are left out one by one. */
const split = ['test/deployment', 'test/proof'];
/** The search has run already. A mutant changes the size of bundles and the texts of mutants, so these two would find every mutant. */
const left = ['test/proof/model', 'test/deployment/constructs', 'test/proof/mutants'];

/** The folders of the unit tests, but for those that would find every mutant, or have run. */
export function unitFolders(folder: string): readonly string[] {
  const inside = (path: string) =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${path}/${entry.name}`] : [],
    );
  const rooms = inside('test').flatMap((room) => (split.includes(room) ? inside(room) : [room]));
  return rooms.filter((room) => !left.includes(room)).map((room) => `${room}/`);
}

async function search(folder: string): Promise<string | undefined> {
  // A search that never ends is broken as well. The largest of the small searches has a tenth of this.
  const { code, output } = await execute(folder, ['proof/model/main.ts', '--small', '--most', '500000']);
  if (code === 0) return undefined;
  const said = /^(.*) is broken|^The search's worker is not what ships/m.exec(output);
  return said?.[1] ?? said?.[0] ?? lastLine(output);
}

function vitest(project: string, files: readonly string[] = []): Killer['run'] {
  return async (folder) => {
    const report = join(folder, 'report.json');
    rmSync(report, { force: true });
    const options = ['--project', project, '--bail', '1', '--reporter', 'json', '--outputFile', report];
    const { code, output } = await execute(folder, ['node_modules/vitest/vitest.mjs', 'run', ...options, ...files]);
    if (code === 0) return undefined;
    return failureOf(report) ?? lastLine(output);
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

function execute(folder: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, timeout: patienceMs });
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

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
