import { memoryStore, RetryableError } from '../../lib/pawl/index.ts';
import type { Host } from '../../lib/pawl/kernel/host.ts';
import { operator } from '../../lib/pawl/operate/index.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import { sweepOpenClaims } from '../../lib/pawl/sweep/index.ts';
import {
  type Execution,
  executionEnded,
  type NamedWorkflow,
  startOnce,
  type WaitForEnd,
  waitingExecutions,
} from '../../lib/pawl/workflows/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from './lambda.ts';
import { virtualHost } from './virtual-host.ts';

/** What is decided by chance: a number from 0 to below 1, the same for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const remembersSeconds = 90 * 24 * 3600;

export interface World {
  /** How many executions of the intent were started, and how each stands. */
  readonly executions: readonly Execution[];
  /** The most that ran at one time. */
  readonly atOnce: number;
  /** How many of the first executions were to fail; the one after them succeeds. */
  readonly failures: number;
  /** The first of them never ends. */
  readonly neverEnds: boolean;
  readonly end: WaitForEnd & { readonly maxStarts: number };
  readonly message: ClaimRecord | undefined;
  readonly waiting: ClaimRecord | undefined;
  /** What happened, for the report of a seed that fails. */
  readonly log: readonly string[];
}

/**
 * One intent, by chance: its message comes any number of times, workers die between any two requests, answers are lost, starts are throttled; executions fail,
 * and their ends are told never, late, twice, in any order, and before the start has its answer.
 */
export async function runWorld(seed: number): Promise<World> {
  const chance = chanceOf(seed);
  const below = (most: number) => Math.floor(chance() * most);
  const one = <T>(...of: readonly T[]) => of[below(of.length)] as T;
  const host = virtualHost();
  const memory = memoryStore();
  const log: string[] = [];
  const note = (what: string) => void log.push(`${((host.now() - begin) / 1000).toFixed(3)} ${what}`);
  const begin = host.now();
  const failures = one(0, 0, 1, 2, 3, 5);
  const neverEnds = chance() < 0.05;
  const end = {
    afterFailed: one('start-again', 'start-again', 'park'),
    maxStarts: 1 + below(4),
    endsWithinMs: day,
  } as const;
  const trouble = one(0, 0.05, 0.2);
  const sleep = (ms: number) => new Promise<void>((resolve) => void host.after(ms, resolve));
  const never = new Promise<never>(() => undefined);

  const executions: { -readonly [Field in keyof Execution]: Execution[Field] }[] = [];
  let atOnce = 0;

  function begins(name: string, input: string): void {
    const number = executions.length + 1;
    const execution: (typeof executions)[number] = { execution: name, status: 'running', startedAt: host.now(), input };
    executions.push(execution);
    note(`${name.slice(-2)} starts`);
    atOnce = Math.max(atOnce, executions.filter(({ status }) => status === 'running').length);
    if (neverEnds && number === 1) return;
    host.after(one(0, 5, 100, minute, hour), () => {
      execution.status = number <= failures ? 'failed' : 'succeeded';
      note(`${name.slice(-2)} has ${execution.status}`);
      const event = {
        detail: {
          name,
          status: execution.status === 'failed' ? 'FAILED' : 'SUCCEEDED',
          ...(chance() < 0.5 && { input }),
        },
      };
      for (let told = one(0, 1, 1, 1, 2, 3); told > 0; told--)
        host.after(one(0, 1, 50, minute, 3 * hour), () => void tell(event, 3));
    });
  }

  /** A worker: what it asks takes time, and it may die on the way there or back. */
  function worker() {
    let dead = false;
    const dies = async () => {
      await sleep(below(20));
      if (chance() < trouble / 4) dead = true;
      if (dead) await never;
    };
    const asks = async <T>(ask: () => T | Promise<T>): Promise<T> => {
      await dies();
      if (chance() < trouble / 4) throw Object.assign(new Error('lost before'), { name: 'TimeoutError' });
      const answer = await ask();
      await dies();
      if (chance() < trouble / 2) throw Object.assign(new Error('lost after'), { name: 'TimeoutError' });
      return answer;
    };
    const store: ClaimStore = {
      read: (id) => asks(() => memory.read(id)),
      write: (write) => asks(() => memory.write(write)),
    };
    const workflow: NamedWorkflow = {
      kind: 'named',
      target: 'arn:aws:states:eu-west-1:123456789012:stateMachine:settle',
      remembersSeconds,
      start: (name, input) =>
        asks(() => {
          if (chance() < trouble) throw new RetryableError('throttled');
          const before = executions.find(({ execution }) => execution === name);
          if (before === undefined) begins(name, input);
          else if (before.status !== 'running' || before.input !== input) return { outcome: 'name-taken' as const };
          return { outcome: 'started' as const, execution: name };
        }),
      describe: (name) => asks(() => executions.find(({ execution }) => execution === name)),
    };
    const ofWorker: Host = { ...host, random: chance };
    const shared = { operation: 'settle', store, workflow, host: ofWorker, onEvent: () => undefined };
    return { shared, listed: Object.assign(store, { listOpen: memory.listOpen }) };
  }

  /** The result of an invocation; nothing if its worker dies, or is stopped by Lambda. */
  const within = <T>(ms: number, invocation: Promise<T>) =>
    Promise.race([
      invocation.catch((error: unknown) => void note(`failed: ${String(error)}`)),
      sleep(ms).then(() => undefined),
    ]);

  async function deliver(receives: number, messageId: string): Promise<void> {
    const { shared } = worker();
    const handler = startOnce<{ orderId: string }>({
      ...shared,
      aws: noQueue,
      key: ({ body }) => body.orderId,
      backoffSeconds: () => undefined,
      waitForEnd: end,
    });
    const record = sqsRecord({ orderId: 'a' }, { messageId, receiveCount: receives });
    const said = await within(30_000, handler(sqsEvent(record), context(30_000, host.now)));
    const isDone = said !== undefined && failuresOf(said).length === 0;
    note(`delivery ${receives} of ${messageId} is ${isDone ? 'done' : 'not done'}`);
    if (isDone) return;
    // A redrive is another message, and begins to count again.
    const isRedriven = receives >= 5;
    host.after(
      isRedriven ? hour : one(1000, 30_000, 2 * minute),
      () => void deliver(isRedriven ? 1 : receives + 1, isRedriven ? `${messageId}'` : messageId),
    );
  }

  async function tell(event: object, tries: number): Promise<void> {
    const { shared } = worker();
    const ended = executionEnded({ ...shared, ...end });
    const said = await within(30_000, ended(event, context(30_000, host.now)));
    note(`an end is told: ${said?.outcome ?? 'nobody heard it'}`);
    if (said === undefined && tries > 1) host.after(minute, () => void tell(event, tries - 1));
  }

  async function sweep(): Promise<void> {
    const { shared, listed } = worker();
    const swept = sweepOpenClaims({
      store: listed,
      operations: waitingExecutions({ ...shared, ...end }),
      host: shared.host,
      onReport: () => undefined,
    });
    await within(minute, swept());
    host.after(30 * minute, () => void sweep());
  }

  /** An operator looks at what is parked: a message whose workers died too often may come again, and so may an execution that was never started. */
  async function look(): Promise<void> {
    const operate = operator({ store: memory, host, onEvent: () => undefined });
    const { claims } = await memory.listOpen({ limit: 10 });
    for (const { id, status } of claims) {
      const isOfMessage = id === 'settle#a';
      if (status !== 'parked' || (!isOfMessage && executions.length > 0)) continue;
      note(`an operator releases ${isOfMessage ? 'the message' : 'the execution'}`);
      await operate.resolve({ id }, 'retry', { by: 'maria', note: 'its target recognises the name' });
    }
    host.after(hour, () => void look());
  }

  for (let copies = one(1, 1, 2, 3); copies > 0; copies--) {
    const messageId = `message-${copies}`;
    host.after(one(0, 0, 5, 100, minute, 2 * hour), () => void deliver(1, messageId));
  }
  host.after(minute, () => void sweep());
  host.after(hour, () => void look());
  await host.advance(5 * day);

  const { claims } = await memory.listOpen({ operation: 'execution:settle', limit: 10 });
  const hash = executions[0]?.execution.split('-')[0];
  const waiting = await memory.read(claims[0]?.id ?? `execution:settle#${hash}`);
  return { executions, atOnce, failures, neverEnds, end, message: await memory.read('settle#a'), waiting, log };
}

/** What is wrong with how a world has ended; nothing if it has ended as the policy says. */
export function wrongIn({
  executions,
  atOnce,
  failures,
  neverEnds,
  end,
  message,
  waiting,
  log,
}: World): string | undefined {
  const most = end.afterFailed === 'park' ? 1 : end.maxStarts;
  const expected = neverEnds ? 1 : Math.min(failures + 1, most);
  if (executions.length !== expected) return `${executions.length} executions, and not ${expected}`;
  if (atOnce > 1) return 'two executions ran at once';
  // In flight: the start was certain, so the message was done, and the store failed when that was to be written.
  if (message?.status !== 'completed' && message?.status !== 'in-flight') return `the message is ${message?.status}`;
  if (!log.some((line) => line.endsWith('is done'))) return 'no delivery was done';
  const ends = neverEnds || failures >= most ? 'parked' : 'completed';
  return waiting?.status === ends ? undefined : `the waiting claim is ${waiting?.status}, and not ${ends}`;
}
