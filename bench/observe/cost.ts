import { setTimeout as sleep } from 'node:timers/promises';
import type { Aws } from '../../lib/pawl/aws/aws.ts';
import { bodyField, eachMessage } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../lib/pawl/stores/dynamodb/lean.ts';
import { countCalls } from '../cost/counting.ts';
import { percentile } from '../cost/statistics.ts';
import type { Table } from '../cost/table.ts';

/**
 * What it costs to observe a consumer: requests, write units, and how much longer an invocation takes than its handlers.
 *
 * Owns: the table's states, and what is measured in each. Does not own: what may follow from it (`docs/guides/observe.md`).
 */

/** The table beside which a consumer is observed. `hanging`: it never responds. `absent`: there is none of this name. */
const tables = ['healthy', '20 ms away', 'hanging', 'absent'] as const;
type TableState = (typeof tables)[number];

const modes = ['enforce', 'observe'] as const;
type Mode = (typeof modes)[number];

/** How much is measured. */
export interface ObservePlan {
  /** Messages in a batch. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** What a handler takes, in milliseconds. */
  readonly handlerMs: number;
  /** As the option. @default the option's */
  readonly observeWaitMs?: number;
  readonly onRound?: (said: string) => void;
}

export interface ObserveCost {
  readonly mode: Mode;
  readonly table: TableState;
  readonly size: number;
  /** Of a batch. */
  readonly requests: number;
  readonly writes: number;
  /** From the end of the last handler to the response, in milliseconds, once for each round. */
  readonly waitedMs: readonly number[];
  readonly unseen: number;
}

/** @param way to a DynamoDB that has the table */
export async function measureObserved(way: Aws, tableName: string, plan: ObservePlan): Promise<readonly ObserveCost[]> {
  const costs: ObserveCost[] = [];
  for (const table of tables)
    for (const mode of table === 'healthy' || table === '20 ms away' ? modes : (['observe'] as const))
      for (const size of plan.sizes) costs.push(await measureOne(way, tableName, { ...plan, table, mode, size }));
  return costs;
}

async function measureOne(
  way: Aws,
  tableName: string,
  {
    table,
    mode,
    size,
    rounds,
    handlerMs,
    observeWaitMs,
    onRound,
  }: ObservePlan & { readonly table: TableState; readonly mode: Mode; readonly size: number },
): Promise<ObserveCost> {
  const underWay = new Set<Promise<unknown>>();
  const calls = countCalls(inState(way, table, underWay));
  let unseen = 0;
  let lastEnd = 0;
  const consume = eachMessage<{ readonly id: string }>(
    {
      operation: `observed-${mode}`,
      store: dynamoStore({ tableName: table === 'absent' ? 'no-such-table' : tableName, aws: calls.lean }),
      key: bodyField('id'),
      onAbandoned: 'park',
      mode,
      concurrency: size,
      ...(observeWaitMs !== undefined && { observeWaitMs }),
      onEvent: ({ type }) => {
        if (type === 'unseen') unseen++;
      },
    },
    async () => {
      await sleep(handlerMs);
      lastEnd = performance.now();
    },
  );
  const waitedMs: number[] = [];
  // The first one warms up, and counts as one for what was asked.
  for (let round = 0; round <= rounds; round++) {
    onRound?.(`${mode}, table ${table}, ${size} in a batch, round ${round} of ${rounds}`);
    await consume(batchOf(`${table}-${mode}-${size}-${round}`, size) as never, contextFor(30_000) as never);
    if (round > 0) waitedMs.push(performance.now() - lastEnd);
    // Lambda would freeze here. What is sent later is not to slow the next round down, and counts.
    for (; underWay.size > 0; await sleep(10)) await Promise.allSettled(underWay);
  }
  const batches = rounds + 1;
  const { requests, statements } = calls.counted();
  return {
    mode,
    table,
    size,
    requests: requests / batches,
    writes: statements / batches,
    waitedMs,
    unseen: unseen / batches,
  };
}

function inState(way: Aws, table: TableState, underWay: Set<Promise<unknown>>): Aws {
  const call: Aws['dynamodb']['call'] = (operation, input) => {
    if (table === 'hanging') return new Promise(() => undefined);
    const answer = (table === '20 ms away' ? sleep(20) : Promise.resolve()).then(() =>
      way.dynamodb.call(operation, input),
    );
    underWay.add(answer);
    const leave = () => underWay.delete(answer);
    answer.then(leave, leave);
    return answer;
  };
  return { ...way, dynamodb: { ...way.dynamodb, call } };
}

function batchOf(series: string, size: number) {
  return {
    Records: Array.from({ length: size }, (_, at) => ({
      messageId: `${series}-${at}`,
      receiptHandle: `${series}-${at}`,
      body: JSON.stringify({ id: `${series}-${at}` }),
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:observed',
      awsRegion: 'eu-west-1',
    })),
  };
}

function contextFor(ms: number) {
  const end = Date.now() + ms;
  return { getRemainingTimeInMillis: () => end - Date.now() };
}

/** What DynamoDB bills for a write: an observed one enters the index of open claims, or leaves it. */
const unitsOfWrite = { enforce: 1, observe: 2 } as const;

export function observeTable(costs: readonly ObserveCost[], dollarsOfUnits: number): Table {
  return {
    title: 'A consumer, enforced and observed',
    head: [
      'contender',
      'table',
      'batch',
      'requests',
      'writes',
      'write units of a message',
      'US dollars for a million',
      'after the last handler, ms p50',
      'p99',
      'unseen',
    ],
    rows: costs.map(({ mode, table, size, requests, writes, waitedMs, unseen }) => {
      // What is not served is not billed: what is counted there are attempts.
      const units = table === 'hanging' || table === 'absent' ? undefined : (writes / size) * unitsOfWrite[mode];
      return [
        mode,
        table,
        String(size),
        requests.toFixed(1),
        writes.toFixed(1),
        units?.toFixed(1) ?? '–',
        units === undefined ? '–' : (units * dollarsOfUnits).toFixed(2),
        percentile(waitedMs, 0.5).toFixed(1),
        percentile(waitedMs, 0.99).toFixed(1),
        unseen.toFixed(1),
      ];
    }),
  };
}
