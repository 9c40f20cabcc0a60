import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';

const children = new URL('../../../../lib/rehearsal/engine/children.ts', import.meta.url);

/** A parent that starts a child, freezes it, and prints its process id. */
const parentScript = `
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

test.concurrent.each(['exit', 'throw', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'a child process, frozen, ends with a parent that ends by %s',
  async (end) => {
    const args = ['--input-type=module', '-e', parentScript, '--', end];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(parent, 'exit');
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed).trim());
    expect(isAlive(pid)).toBe(true);
    if (end.startsWith('SIG')) parent.kill(end as NodeJS.Signals);
    await ended;
    await eventually('the child ends', () => expect(isAlive(pid)).toBe(false));
  },
);

/** A parent that starts a leader of a group, which starts a child of its own, and prints the ids of both. */
const group = `
import { spawn } from 'node:child_process';
import { killGroupWithUs } from ${JSON.stringify(fileURLToPath(children))};
const LEADER = "const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); console.log(process.pid, child.pid); setInterval(() => {}, 1000);";
const leader = spawn(process.execPath, ['-e', LEADER], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
const end = killGroupWithUs(leader);
leader.stdout.on('data', (ids) => {
  console.log(String(ids).trim());
  if (process.argv.includes('end')) setTimeout(end, 500);
  if (process.argv.includes('leader')) setTimeout(() => leader.kill('SIGKILL'), 500);
});
setInterval(() => {}, 1000);
`;

test.concurrent.each(['end', 'leader', 'SIGINT', 'SIGKILL'] as const)(
  'what a child process has started ends with the child, and with a parent that ends: %s',
  async (end) => {
    const args = ['--input-type=module', '-e', group, '--', end];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(parent.stdout, 'data');
    const ids = String(printed).trim().split(' ').map(Number);
    expect(ids.map(isAlive)).toEqual([true, true]);
    if (end.startsWith('SIG')) parent.kill(end as NodeJS.Signals);
    await eventually('both end', () => expect(ids.map(isAlive)).toEqual([false, false]));
    parent.kill('SIGKILL');
  },
);
