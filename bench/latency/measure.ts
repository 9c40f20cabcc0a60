import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../../lib/rehearsal/engine/children.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import type { Name } from '../cost/contender.ts';
import { type Driver, startDriver } from '../cost/driver.ts';

/** How long the table takes, in milliseconds. */
export interface TableLatency {
  readonly perRequestMs: number;
  readonly perStatementMs: number;
}

/** A contender, and how many effects pawl runs at once. */
interface Entrant {
  readonly name: Name;
  readonly concurrency?: number;
}

/** Wall times of batches of first deliveries, in milliseconds, in the order of the rounds. */
export interface Timing extends Entrant {
  readonly table: TableLatency;
  readonly size: number;
  readonly handlerMs: number;
  readonly wallMs: readonly number[];
  /** Client CPU of a message in each round, in milliseconds. */
  readonly cpuMs: readonly number[];
}

export interface LatencyPlan {
  readonly tables: readonly TableLatency[];
  readonly entrants: readonly Entrant[];
  readonly sizes: readonly number[];
  readonly handlersMs: readonly number[];
  readonly rounds: number;
  /** How many batches each process has in a round. */
  readonly batches: number;
}

/** Each round times every entrant once, one after the other: what slows the machine slows all of them. */
export async function measureLatency(plan: LatencyPlan, progress: Progress): Promise<readonly Timing[]> {
  const timings: Timing[] = [];
  for (const table of plan.tables) timings.push(...(await besideTable(table, plan, progress)));
  return timings;
}

async function besideTable(table: TableLatency, plan: LatencyPlan, progress: Progress): Promise<readonly Timing[]> {
  const { perRequestMs, perStatementMs } = table;
  const path = fileURLToPath(new URL('../cost/money/slow-dynamodb.ts', import.meta.url));
  const args = [String(perRequestMs), String(perStatementMs)];
  const server = killWithUs(fork(path, args, { stdio: ['ignore', 2, 2, 'ipc'], execArgv: [] }));
  const gone = once(server, 'exit');
  try {
    const [endpoint] = (await once(server, 'message')) as [string];
    await using running = new AsyncDisposableStack();
    const drivers: (readonly [Entrant, Driver])[] = [];
    for (const entrant of plan.entrants) {
      const driver = running.use(await startDriver(entrant.name, 'claims', endpoint, entrant));
      drivers.push([entrant, driver]);
      await driver.time({ scenario: 'first', size: 100, batches: 30, series: 'warm' });
    }
    const timings: Timing[] = [];
    for (const handlerMs of plan.handlersMs) {
      for (const size of plan.sizes) {
        const wallMs = drivers.map((): number[] => []);
        const cpuMs = drivers.map((): number[] => []);
        for (let round = 0; round < plan.rounds; round++) {
          const at = `round ${round + 1} of ${plan.rounds}`;
          progress.update(`${labelOf(table)}, effect of ${handlerMs} ms, batches of ${size}: ${at}`);
          const series = `${size}-${handlerMs}-${round}`;
          for (const [place, [, driver]] of drivers.entries()) {
            const timed = await driver.time({ scenario: 'first', size, batches: plan.batches, series, handlerMs });
            wallMs[place]?.push(...timed.wallMs);
            cpuMs[place]?.push(timed.cpuMs / (size * plan.batches));
          }
        }
        for (const [place, [entrant]] of drivers.entries()) {
          timings.push({
            ...entrant,
            table,
            size,
            handlerMs,
            wallMs: wallMs[place] ?? [],
            cpuMs: cpuMs[place] ?? [],
          });
        }
      }
    }
    return timings;
  } finally {
    server.kill('SIGKILL');
    await gone;
  }
}

/** As it is called in tables. */
export function labelOf({ perRequestMs, perStatementMs }: TableLatency): string {
  return perStatementMs === 0 ? `${perRequestMs} ms` : `${perRequestMs} ms + ${perStatementMs} ms a statement`;
}
