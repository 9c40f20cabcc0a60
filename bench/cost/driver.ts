import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../../lib/rehearsal/engine/children.ts';
import type { Name } from './contender.ts';
import type { ConsumedUnits, Counts } from './counting.ts';
import type { Order, Task, Timed } from './worker.ts';

/** A contender in its own process. It works only while it is asked to; whoever drives several asks one at a time. */
export interface Driver extends AsyncDisposable {
  readonly name: Name;
  /** Invokes the batches of a block one after the other. @throws Error when the contender did not do its work */
  time(order: Order): Promise<Timed>;
  /** Invokes one batch, and counts what it asks of DynamoDB. */
  count(order: Omit<Order, 'batches'>): Promise<Counts>;
  /** Invokes one batch. @returns the units that DynamoDB bills for it */
  units(order: Omit<Order, 'batches'>): Promise<ConsumedUnits>;
  readonly pid: number;
  /** The most memory that the process has had so far (its resident set), in MB. */
  peakMb(): Promise<number>;
}

interface DriverOptions {
  /** How many effects pawl runs at once. @default its own */
  readonly concurrency?: number | undefined;
  /** The module of the process. @default that of this version */
  readonly worker?: URL;
}

export async function startDriver(
  name: Name,
  tableName: string,
  endpoint: string,
  { concurrency, worker = new URL('worker.ts', import.meta.url) }: DriverOptions = {},
): Promise<Driver> {
  const most = concurrency === undefined ? [] : [String(concurrency)];
  const child = killWithUs(
    fork(fileURLToPath(worker), [name, tableName, endpoint, ...most], {
      execArgv: [],
      // Whatever anybody prints is no result: the standard output is the benchmark's own.
      stdio: ['ignore', 2, 2, 'ipc'],
    }),
  );
  const exited = once(child, 'exit');
  const gone = exited.then(([code]) => Promise.reject(new Error(`the process of ${name} ended with ${code}`)));
  gone.catch(() => undefined);
  await Promise.race([once(child, 'message'), gone]);

  async function ask<T>(task: Task): Promise<T> {
    const answer = once(child, 'message');
    child.send(task);
    const [{ value, error }] = (await Promise.race([answer, gone])) as [{ value: T; error?: string }];
    if (error !== undefined) throw new Error(error);
    return value;
  }

  return {
    name,
    time: (order) => ask({ do: 'time', ...order }),
    count: (order) => ask({ do: 'count', batches: 1, ...order }),
    units: (order) => ask({ do: 'units', batches: 1, ...order }),
    pid: child.pid ?? Number.NaN,
    peakMb: () => ask({ do: 'memory' }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
