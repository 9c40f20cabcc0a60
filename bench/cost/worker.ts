import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { benchClient } from './client.ts';
import { contenders, type Name } from './contender.ts';
import {
  type ConsumedUnits,
  type Counts,
  countBytes,
  countCalls,
  countCallUnits,
  countRequests,
  countUnits,
} from './counting.ts';
import { benchLean } from './lean-client.ts';
import { createEffect, type Delivery, delivery, expectedOf, type Place, type Scenario } from './scenarios.ts';

/** One contender in a process of its own, so that nobody's compiled code and memory are another's. Does as it is told. */

/** A block of batches of one size and scenario. */
export interface Order {
  readonly scenario: Scenario;
  readonly size: number;
  readonly batches: number;
  readonly series: Place['series'];
  /** How long the effect of a message takes. @default no time */
  readonly handlerMs?: number;
}

export type Task = ({ readonly do: 'time' | 'count' | 'units' } & Order) | { readonly do: 'memory' };

export interface Timed {
  /** User and system time of this process, for the whole block. */
  readonly cpuMs: number;
  /** Of each batch. */
  readonly wallMs: readonly number[];
}

const [name, tableName, endpoint, most] = process.argv.slice(2) as [Name, string, string, string?];
const concurrency = most === undefined ? undefined : Number(most);
const contender = await contenders[name]();
const { effect: countEffect, taken } = createEffect();
let handlerMs = 0;

function effect(messageId: string): void | Promise<void> {
  countEffect(messageId);
  return handlerMs === 0 ? undefined : setTimeout(handlerMs);
}

const prepare = contender({
  client: benchClient(endpoint),
  lean: benchLean(endpoint),
  tableName,
  effect,
  concurrency,
});

async function time({ scenario, size, batches, series, handlerMs: ms = 0 }: Order): Promise<Timed> {
  handlerMs = ms;
  const deliveries = Array.from({ length: batches }, (_, i) => delivery(scenario, size, { series, from: i * size }));
  const invocations = deliveries.map(prepare);
  const answers: unknown[] = [];
  const wallMs: number[] = [];
  const before = process.cpuUsage();
  for (const invoke of invocations) {
    const start = performance.now();
    answers.push(await invoke());
    wallMs.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  verify(deliveries, answers);
  return { cpuMs: (user + system) / 1000, wallMs };
}

/** Not timed, with clients of its own: counting costs something, too. */
async function count(order: Order): Promise<Counts> {
  const bytes = countBytes();
  const client = benchClient(endpoint);
  const own = benchLean(endpoint);
  const ofClient = countRequests(client);
  const { lean, counted } = countCalls(own);
  const one = delivery(order.scenario, order.size, { series: order.series, from: 0 });
  const answer = await contender({ client, lean, tableName, effect })(one)();
  verify([one], [answer]);
  const requests = name === 'pawlLean' ? counted() : ofClient();
  const counts = { ...requests, ...bytes() };
  client.destroy();
  own.destroy();
  return counts;
}

/** The units that DynamoDB bills for one batch, by its own account. */
async function units(order: Order): Promise<ConsumedUnits> {
  const client = benchClient(endpoint);
  const own = benchLean(endpoint);
  const ofClient = countUnits(client);
  const { lean, consumed } = countCallUnits(own);
  const one = delivery(order.scenario, order.size, { series: order.series, from: 0 });
  const answer = await contender({ client, lean, tableName, effect })(one)();
  verify([one], [answer]);
  client.destroy();
  own.destroy();
  return name === 'pawlLean' ? consumed() : ofClient();
}

/** @throws Error when the contender did not do its work: then its numbers would say nothing */
function verify(deliveries: readonly Delivery[], answers: readonly unknown[]): void {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const expected = deliveries.map(expectedOf);
  const failures = answers.map((answer) => {
    const { batchItemFailures = [] } = (answer ?? {}) as { readonly batchItemFailures?: readonly unknown[] };
    return batchItemFailures.length;
  });
  // Without protection everything runs again.
  const messages = sum(deliveries.map(({ event }) => event.Records.length));
  const wanted = {
    effects: name === 'middy' ? messages : sum(expected.map(({ effects }) => effects)),
    failures: sum(expected.map((one) => one.failures)),
  };
  const came = { effects: taken(), failures: sum(failures) };
  if (came.effects === wanted.effects && came.failures === wanted.failures) return;
  const { scenario } = deliveries[0] as Delivery;
  throw new Error(`${name}, ${scenario}: expected ${JSON.stringify(wanted)} and got ${JSON.stringify(came)}`);
}

async function perform(task: Task): Promise<unknown> {
  switch (task.do) {
    case 'time':
      return time(task);
    case 'count':
      return count(task);
    case 'units':
      return units(task);
    case 'memory':
      return process.resourceUsage().maxRSS / 1024;
  }
}

process.on('message', (task: Task) => {
  perform(task).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.send?.('ready');
