import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

const children = new URL('../../../lib/local/children.ts', import.meta.url);

/** A parent that starts a child, freezes it, and prints its process id. */
const PARENT = `
import { spawn } from 'node:child_process';
import { killWithUs } from ${JSON.stringify(fileURLToPath(children))};
const child = killWithUs(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']));
child.kill('SIGSTOP');
if (process.argv.includes('throw')) setTimeout(() => { throw new Error('oh'); }, 500);
if (process.argv.includes('exit')) setTimeout(() => process.exit(0), 500);
setInterval(() => {}, 1000);
console.log(child.pid);
`;

/** A zombie is dead: it takes signals until somebody collects it, and when that is depends on the machine. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

test.concurrent.each(['exit', 'throw', 'SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a child process, frozen, ends with a parent that ends by %s',
  async (end) => {
    const args = ['--input-type=module', '-e', PARENT, '--', end];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(parent, 'exit');
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed).trim());
    expect(isAlive(pid)).toBe(true);
    if (end.startsWith('SIG')) parent.kill(end as NodeJS.Signals);
    await ended;
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 });
  },
);
