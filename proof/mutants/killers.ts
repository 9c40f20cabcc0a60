import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Something that a mutant has to get past. */
export interface Killer {
  readonly name: string;
  /** Whether it looks at this file of the library at all. */
  readonly sees: (file: string) => boolean;
  /** Answers by what the repository in `folder` is found to be broken; nothing when it passes. */
  readonly run: (folder: string) => Promise<string | undefined>;
}

/** What the search runs of production's code, and what its worker is compared with. */
const searched = /^lib\/(core|sqs)\//;
const folders = ['core', 'sqs', 'middy', 'stores'] as const;
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

/** What has unit tests, but for the search, which has been run, and for what looks at the size of bundles, which a mutant changes. */
function unitFolders(folder: string): readonly string[] {
  const left = ['model', 'constructs', 'mutants'];
  const found = readdirSync(join(folder, 'test'), { withFileTypes: true });
  return found.flatMap((entry) => (entry.isDirectory() && !left.includes(entry.name) ? [`test/${entry.name}/`] : []));
}

async function search(folder: string): Promise<string | undefined> {
  // One that never comes to an end is broken as well. The largest of the small searches has a tenth of this.
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
