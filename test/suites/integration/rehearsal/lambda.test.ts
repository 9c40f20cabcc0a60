import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLambda, type LambdaLocal } from '../../../../lib/rehearsal/engine/lambda/lambda.ts';
import { eventually } from '../../../support/eventually.ts';

const handlerSource = `
let calls = 0;
let ticked = 0;
let longestPause = 0;
export const handler = async (event, context) => {
  calls += 1;
  if (event.do === 'throw') throw new TypeError('no good');
  if (event.do === 'hang') console.log('hangs');
  if (event.do === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (event.do === 'exit') process.exit(3);
  if (event.do === 'leave a timer') ticked = performance.now();
  if (event.do === 'leave a timer') setInterval(() => {
    const now = performance.now();
    longestPause = Math.max(longestPause, now - ticked);
    ticked = now;
  }, 10);
  if (event.do === 'look') await new Promise((resolve) => setTimeout(resolve, 50));
  if (event.do === 'nothing') return;
  console.log('handled ' + event.do);
  return {
    calls, longestPause, pid: process.pid, key: process.env.AWS_ACCESS_KEY_ID, path: process.env.PATH ?? null, compiled: process.env.NODE_COMPILE_CACHE ?? null, colour: process.env.COLOUR,
    name: context.functionName, remaining: context.getRemainingTimeInMillis(), date: new Date(0), gone: undefined,
  };
};
`;

let folder = '';
let lambda: LambdaLocal;
let lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-lambda-'));
  await writeFile(join(folder, 'index.mjs'), handlerSource);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => lambda.stop());

function create(options: { timeoutMs?: number; maxSandboxes?: number } = {}) {
  lines = [];
  lambda = createLambda({
    compiled: join(folder, 'compiled'),
    onLog: (line, sandbox) => lines.push(`${sandbox} ${line}`),
  });
  return lambda.createFunction({
    name: 'a-function',
    folder,
    handler: 'index.handler',
    environment: { COLOUR: 'blue' },
    timeoutMs: options.timeoutMs ?? 20_000,
    maxSandboxes: options.maxSandboxes ?? 1,
  });
}

function answered(outcome: { kind: string; value?: unknown }): Record<string, unknown> {
  expect(outcome.kind).toBe('response');
  return outcome.value as Record<string, unknown>;
}

describe('a sandbox', () => {
  test('handles one invocation after the other in one process, which has only its own environment', async () => {
    const fn = create();
    const first = answered(await fn.invoke({ do: 'first' }));
    const second = answered(await fn.invoke({ do: 'second' }));
    expect(first).toMatchObject({ calls: 1, key: 'SANDBOX0001', path: null, colour: 'blue', name: 'a-function' });
    expect(first).toMatchObject({ date: '1970-01-01T00:00:00.000Z' });
    expect(first).not.toHaveProperty('gone');
    expect(second).toMatchObject({ calls: 2, pid: first['pid'] });
    expect(Number(second['remaining'])).toBeLessThanOrEqual(20_000);
    // Its output comes by a pipe, and may be read after the answer.
    await eventually('its output has come', () =>
      expect(lines).toEqual(['SANDBOX0001 handled first', 'SANDBOX0001 handled second']),
    );
    expect(lambda.stats).toMatchObject({ started: 1, invocations: 2 });
  });

  test('leaves what Node has compiled to the next one while it runs, and its function does not see where', async () => {
    const { compiled } = answered(await create().invoke({ do: 'look' }));
    expect(compiled).toBeNull();
    const [versions = ''] = await readdir(join(folder, 'compiled'));
    expect(await readdir(join(folder, 'compiled', versions))).not.toEqual([]);
  });

  test('is frozen between invocations: a timer left behind runs only while another invocation does', async () => {
    const fn = create();
    const { pid } = answered(await fn.invoke({ do: 'leave a timer' }));
    await eventually('it is stopped', () =>
      expect(execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })).toMatch(/^\s*T/),
    );
    await sleep(400);
    const { longestPause } = answered(await fn.invoke({ do: 'look' }));
    expect(Number(longestPause)).toBeGreaterThanOrEqual(400);
  });

  test('answers null for a handler that returns nothing, and tells a thrown error by name', async () => {
    const fn = create();
    expect(await fn.invoke({ do: 'nothing' })).toEqual({ kind: 'response', value: null });
    expect(await fn.invoke({ do: 'throw' })).toEqual({
      kind: 'error',
      error: { name: 'TypeError', message: 'no good' },
    });
    expect(lambda.stats.started).toBe(1);
  });

  test('is killed at the timeout of its function, and a new one takes the next invocation', async () => {
    const fn = create({ timeoutMs: 300 });
    expect(await fn.invoke({ do: 'hang' })).toEqual({ kind: 'timed-out' });
    expect(answered(await fn.invoke({ do: 'next' }))).toMatchObject({ calls: 1, key: 'SANDBOX0002' });
    expect(lambda.stats).toMatchObject({ started: 2, timedOut: 1, killed: 0 });
  });

  test('that is killed or exits ends its invocation as crashed, and a new one takes the next', async () => {
    const fn = create();
    await fn.invoke({ do: 'warm up' });
    const hanging = fn.invoke({ do: 'hang' });
    await eventually('it hangs', () => expect(lines).toContain('SANDBOX0001 hangs'));
    expect(lambda.kill('SANDBOX0001')).toBe(true);
    expect(lambda.kill('SANDBOX0001')).toBe(false);
    expect(await hanging).toEqual({ kind: 'crashed' });
    expect(await fn.invoke({ do: 'exit' })).toEqual({ kind: 'crashed' });
    expect(answered(await fn.invoke({ do: 'next' }))).toMatchObject({ calls: 1, key: 'SANDBOX0003' });
    expect(lambda.stats).toMatchObject({ started: 3, killed: 1, timedOut: 0 });
  });

  test('that is frozen can be killed', async () => {
    const fn = create();
    await fn.invoke({ do: 'warm up' });
    expect(lambda.kill('SANDBOX0001')).toBe(true);
    expect(answered(await fn.invoke({ do: 'next' }))).toMatchObject({ key: 'SANDBOX0002' });
  });
});

test('a function never has more sandboxes than it may, and further invocations wait for one', async () => {
  const fn = create({ maxSandboxes: 2 });
  const values = (await Promise.all([1, 2, 3, 4, 5].map(() => fn.invoke({ do: 'work' })))).map(answered);
  expect(new Set(values.map(({ key }) => key))).toEqual(new Set(['SANDBOX0001', 'SANDBOX0002']));
});

describe('a handler that is not async', () => {
  const sources: Readonly<Record<string, string>> = {
    // The call is not awaited. On Lambda it happens: the runtime waits for it.
    'leaves work': `exports.handler = (event) => { setTimeout(() => console.log('late work'), 300); return { lost: true }; };`,
    'calls back': `exports.handler = (event, context, callback) => { setTimeout(() => console.log('late work'), 300); callback(null, { back: true }); };`,
    'does not wait': `exports.handler = (event, context, callback) => {
      context.callbackWaitsForEmptyEventLoop = false;
      setTimeout(() => console.log('late work'), 5_000);
      callback(null, { back: true });
    };`,
    fails: `exports.handler = (event, context) => { setTimeout(() => context.fail(new Error('no good')), 10); };`,
    returns: `exports.handler = () => ({ lost: false });`,
  };

  test.each([
    ['leaves work', 22, { kind: 'response', value: null }, true],
    ['calls back', 22, { kind: 'response', value: { back: true } }, true],
    ['does not wait', 22, { kind: 'response', value: { back: true } }, false],
    ['fails', 18, { kind: 'error', error: { message: 'no good' } }, false],
    ['returns', 24, { kind: 'response', value: { lost: false } }, false],
  ] as const)('%s, on Node %i', async (name, node, expected, works) => {
    const own = await mkdtemp(join(tmpdir(), 'pawl-lambda-'));
    await writeFile(join(own, 'index.js'), sources[name] ?? '');
    lines = [];
    lambda = createLambda({ onLog: (line) => lines.push(line) });
    const limits = { timeoutMs: 4_000, maxSandboxes: 1, environment: {} };
    const fn = lambda.createFunction({ name: 'a-function', folder: own, handler: 'index.handler', node, ...limits });
    for (const _ of [1, 2]) expect(await fn.invoke({})).toMatchObject(expected);
    expect(lambda.stats.started).toBe(1);
    if (works) await eventually('its work is done', () => expect(lines).toEqual(['late work', 'late work']));
    await rm(own, { recursive: true });
  });
});
