import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { leftIn, smallApp } from '../../../fixtures/small-app/small-app.ts';
import { eventually } from '../../../support/eventually.ts';

const run = fileURLToPath(new URL('../../../fixtures/small-app/run.ts', import.meta.url));

/** The processes that run, and the parent of each. */
function processes(): ReadonlyMap<number, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
}

function below(root: number): readonly number[] {
  const parents = [...processes()];
  const found = [root];
  for (const parent of found) found.push(...parents.filter(([, of]) => of === parent).map(([pid]) => pid));
  return found.slice(1);
}

/** A rehearsal in a process of its own, and what it has started. */
async function startRun() {
  const app = await smallApp();
  // A folder of its own for temporary files, so that what it leaves there is seen.
  const temporary = mkdtempSync(join(tmpdir(), 'pawl-signals-'));
  const file = join(app.folder, 'up');
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(process.execPath, [run, app.folder, file], { env, stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    for (const folder of [app.folder, temporary]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await eventually('the rehearsal is at work', () => expect(existsSync(file)).toBe(true));
  const started = below(child.pid ?? 0);
  // DynamoDB Local, the watchman and a frozen sandbox.
  expect(started.length).toBeGreaterThanOrEqual(3);
  return {
    app,
    temporary,
    async end(signal: NodeJS.Signals): Promise<void> {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      await eventually('every process has ended', () =>
        expect(started.filter((pid) => processes().has(pid))).toEqual([]),
      );
    },
  };
}

test.each(['SIGINT', 'SIGHUP'] as const)(
  'after %s no process of a rehearsal is left, also no frozen sandbox, and no file',
  async (signal) => {
    const { app, temporary, end } = await startRun();
    expect(leftIn(app)).toHaveLength(1);
    await end(signal);
    expect(leftIn(app)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test('after SIGKILL no process of a rehearsal is left, also no frozen sandbox', async () => {
  const { end } = await startRun();
  await end('SIGKILL');
});
