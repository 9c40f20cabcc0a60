import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { fileFor, projectWith } from '../../../support/rehearsed.ts';

const works = 'export const handler = async () => ({ batchItemFailures: [] });';

/** What runs with a folder in its command line. */
function runningIn(folder: string): readonly string[] {
  const all = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(folder));
}

const rows = [
  {
    name: 'a syntax error in a function',
    consumer: 'export const handler = async (event => {',
    file: fileFor(),
    says: /The function Mails\/SendMail ends before it has handled anything\. It printed:[\s\S]*SyntaxError/,
  },
  {
    name: 'a handler that is missing',
    consumer: 'export const other = 1;',
    file: fileFor(),
    says: /The function Mails\/SendMail cannot run: index\.mjs of its asset exports no function 'handler'/,
    isSentence: true,
  },
  {
    name: 'TypeScript that was not compiled',
    consumer: works,
    file: fileFor("assetFile: 'index.ts'"),
    says: /The function Mails\/SendMail cannot run: its asset has no index\.mjs, index\.js or index\.cjs, and its handler is 'index\.handler'\. It has index\.ts: compile the app first/,
    isSentence: true,
  },
  {
    name: 'a function whose asset does not have its file',
    consumer: works,
    file: fileFor("assetFile: 'other.mjs'"),
    says: /The function Mails\/SendMail cannot run: its asset has no index\.mjs, index\.js or index\.cjs, and its handler is 'index\.handler'\. Build the app first/,
    isSentence: true,
  },
  {
    name: 'a function that never responds',
    consumer: 'export const handler = () => new Promise(() => setInterval(() => {}, 1000));',
    file: fileFor('timeout: 1, batchSize: 2', 'functionTimeoutSeconds: 1,'),
    says: /The function Mails\/SendMail has not responded before its timeout in any of 4 invocations/,
  },
  {
    name: 'an app that does not synthesize',
    consumer: works,
    file: fileFor(),
    cdk: `${process.execPath} -e "throw new Error('no such stack')"`,
    says: /The CDK app does not synthesize[\s\S]*no such stack/,
  },
  {
    name: 'a rehearsal file that throws',
    consumer: works,
    file: 'throw new Error("not today");',
    says: /rehearsal\.mjs cannot be loaded: Error: not today/,
  },
  {
    name: 'a rehearsal file without a default export',
    consumer: works,
    file: 'export const other = 1;',
    says: /has no rehearsal as its default export\. It should end with: export default rehearsal/,
  },
  {
    name: 'a queue that the app does not have',
    consumer: works,
    file: fileFor().replace("queue('Orders')", "queue('Bills')"),
    says: /The app has no queue 'Bills'\. It has: Mails\/Orders\/DeadLetterQueue, Mails\/Orders\/Queue/,
  },
  {
    name: 'traffic that throws',
    consumer: works,
    file: fileFor().replace(/traffic: .*/, "traffic() { throw new Error('no traffic'); },"),
    says: /no traffic/,
  },
  {
    name: 'an option that is misspelt',
    consumer: works,
    file: fileFor('', 'fautls: {},'),
    says: /there is no option 'fautls'\. Did you mean 'faults'/,
  },
];

describe('a rehearsal that cannot run says why in a sentence, exits with 2, and leaves nothing', () => {
  test.each(rows)('$name', async ({ consumer, file, says, isSentence, ...more }) => {
    const project = projectWith(consumer, file, more);
    const { code, error } = await project.run(['--seed', '1']);
    expect(error).toMatch(says);
    if (isSentence) expect(error).not.toMatch(/^\s+at |sandbox-runtime/m);
    expect(code).toBe(2);
    expect(project.left()).toEqual([]);
    expect(runningIn(project.folder)).toEqual([]);
  });

  test('no Java', async () => {
    const project = projectWith(works, fileFor());
    const { code, error } = await project.run(['--seed', '1'], withoutJava(project.folder));
    expect(error).toMatch(/DynamoDB Local needs Java 17 or newer, and `java` was not found/);
    expect(code).toBe(2);
    expect(project.left()).toEqual([]);
    expect(runningIn(project.folder)).toEqual([]);
  });

  test('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const project = projectWith(works, fileFor());
    const { code, error, out } = await project.run(['--console', '--port', String(port), '--seed', '1']);
    expect(error).toContain(`Port ${port} of 127.0.0.1 is in use. Name another one with --port`);
    expect(code).toBe(2);
    // Nothing was started: it did not come to the app.
    expect(out + error).not.toContain('Rehearsing');
    expect(project.left()).toEqual([]);
    expect(runningIn(project.folder)).toEqual([]);
  });

  test.each([
    { name: 'several files with --console', args: ['other.mjs', '--console'], says: /--console is for one rehearsal/ },
    { name: 'several files with --watch', args: ['other.mjs', '--watch'], says: /--watch is for one rehearsal/ },
    { name: 'a port without a page', args: ['--port', '4711'], says: /--port is the port of the page that --console/ },
    {
      name: 'a port that there is not',
      args: ['--console', '--port', '70000'],
      says: /--port: expected a whole number from 1 to 65535/,
    },
  ])('$name', async ({ args, says }) => {
    const { code, error } = await projectWith(works, fileFor()).run(args);
    expect(error).toMatch(says);
    expect(code).toBe(2);
  });

  test('a rehearsal that cannot run, with a page: the page goes with it', async () => {
    const project = projectWith(works, 'export const other = 1;');
    const { code, error } = await project.run(['--console']);
    expect(error).toContain('has no rehearsal as its default export');
    expect(code).toBe(2);
  });

  test('no rehearsal file', async () => {
    const project = projectWith(works, fileFor());
    const { code, error } = await project.run(['nowhere.ts', '--keep-going', '--seed', '1', '--json']);
    expect(error).toMatch(/There is no file .*nowhere\.ts/);
    expect(code).toBe(2);
  });
});

test('an app without tables needs no Java', async () => {
  const project = projectWith(works, fileFor('hasTable: false'));
  const { code, error, lines } = await project.run(['--json', '--seed', '1'], withoutJava(project.folder));
  expect(lines(), error).toMatchObject([{ effects: [{ intents: 12, done: 0 }] }]);
  expect(code).toBe(1);
  expect(project.left()).toEqual([]);
});

/** An environment in which Node is the only program. */
function withoutJava(folder: string): { readonly PATH: string } {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  return { PATH: bin };
}

test('after Ctrl-C nothing is left running, and nothing in the temporary folder', async () => {
  const project = projectWith('export const handler = () => new Promise(() => {});', fileFor('timeout: 20'));
  const main = fileURLToPath(new URL('../../../../bin/pawl.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'rehearse', join(project.folder, 'rehearsal.mjs')], {
    env: { ...process.env, TMPDIR: project.temporary },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // Its functions are at work.
  await eventually('its processes are started', () => expect(processesUnder(child.pid ?? 0).length).toBeGreaterThan(3));
  const started = processesUnder(child.pid ?? 0);
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  await eventually('its processes have ended', () => expect(started.filter(isRunning)).toEqual([]));
  expect(project.left()).toEqual([]);
});

test('a function that always fails is named while its messages are waited for, also without a dead-letter queue', async () => {
  const project = projectWith(
    "export const handler = async () => { throw new Error('no'); };",
    fileFor('deadLetters: false, visibility: 1, timeout: 1'),
  );
  const main = fileURLToPath(new URL('../../../../bin/pawl.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'rehearse', join(project.folder, 'rehearsal.mjs')], {
    env: { ...process.env, TMPDIR: project.temporary },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'exit');
  await eventually('it says what it waits for', () =>
    expect(said).toMatch(
      /SendMail failed \d+ times in a row: \d+ messages? of Orders\/Queue left, which has no dead-letter queue/,
    ),
  );
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
});

test('--json is one line for a program, and --junit writes a file', async () => {
  const project = projectWith(works, fileFor());
  const junit = join(project.folder, 'junit.xml');
  const { code, lines, error } = await project.run(['--seed', '5', '--json', '--junit', junit]);
  expect(code).toBe(1);
  expect(lines()).toMatchObject([{ seed: 5, good: false, effects: [{ effect: 'MAILER_URL', done: 0 }] }]);
  expect(lines()[0]?.['harmed']).toHaveLength(12);
  expect(error).toContain('12 lost');
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite name="MAILER_URL" tests="13" failures="12">');
});

test('--filter that names no consumer is refused', async () => {
  const project = projectWith(works, fileFor());
  const { code, error } = await project.run(['--filter', 'Bills']);
  expect(error).toContain("--filter: the app has no consumer at 'Bills'.");
  expect(code).toBe(2);
});

function processesUnder(root: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const all = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const found = [root];
  for (const parent of found) for (const [pid = 0, of] of all) if (of === parent) found.push(pid);
  return found.slice(1);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
