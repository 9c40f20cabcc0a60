import { titles } from '../contender.ts';
import type { Cold, Environment } from '../results.ts';
import { median } from '../statistics.ts';
import { asMarkdown, type Table } from '../table.ts';
import { atShare, type Cost, cpuShareOf } from './cost.ts';
import { assumed } from './latency.ts';
import { handlersMs, type Money, memoriesMb, type Paid, type PaidCell, paid } from './money.ts';
import { prices } from './prices.ts';

const mb = (memoryMb: number) => `${memoryMb.toLocaleString('en-US')} MB`;

/** All costs, a table for each time that a handler takes. */
export function moneyTables({ cells }: Money): readonly Table[] {
  return handlersMs.map((handlerMs) => ({
    title: `US dollars for a million messages; the handler takes ${handlerMs} ms`,
    head: [
      'contender',
      'batch',
      'DynamoDB',
      'storage, 30 days',
      'SQS',
      ...memoriesMb.flatMap((one) => [`Lambda, ${mb(one)}`, 'in all']),
    ],
    rows: rowsOf(cells.filter((cell) => cell.handlerMs === handlerMs)),
  }));
}

function rowsOf(cells: readonly PaidCell[]): readonly (readonly string[])[] {
  return [...Map.groupBy(cells, ({ name, size }) => `${size} ${name}`).values()]
    .toSorted(([a], [b]) => (a?.size ?? 0) - (b?.size ?? 0))
    .map((some) => {
      const [first] = some as [PaidCell];
      const { dynamoDb, storage, sqs } = first.cost;
      const ofMemory = (memoryMb: number) => some.find((one) => one.memoryMb === memoryMb)?.cost;
      const lambda = memoriesMb.flatMap((one) => [dollars(ofMemory(one), 'lambda'), dollars(ofMemory(one), 'total')]);
      const shared = [dynamoDb, storage, sqs].map((sum) => sum.toFixed(2));
      return [titles[first.name], String(first.size), ...shared, ...lambda];
    });
}

function dollars(cost: Cost | undefined, what: keyof Cost): string {
  return cost?.[what].toFixed(2) ?? '–';
}

/** What the totals are made of. */
function inputTable({ cells }: Money): Table {
  const memories = memoriesMb.map((memoryMb) => `ms at ${mb(memoryMb)}`);
  const rows = [...Map.groupBy(cells, ({ size, name, handlerMs }) => `${size} ${name} ${handlerMs}`).values()].map(
    (some) => {
      const [{ name, size, handlerMs, units }] = some as [PaidCell];
      const duration = (memoryMb: number) => tenthsUp(some.find((one) => one.memoryMb === memoryMb)?.durationMs);
      const { write, read, storedBytes } = units;
      const counted = [write.toFixed(2), read.toFixed(2), storedBytes.toFixed(0)];
      return [titles[name], String(size), String(handlerMs), ...counted, ...memoriesMb.map(duration)];
    },
  );
  const head = ['contender', 'batch', 'handler, ms', 'write units/msg', 'read units/msg', 'stored, B/msg', ...memories];
  return { title: 'Units of a message, and how long an invocation takes', head, rows };
}

/** Rounded up: Lambda bills what is begun of a millisecond, and the calculator has no other durations than these. */
function tenthsUp(durationMs: number | undefined): string {
  return durationMs === undefined ? '–' : (Math.ceil(durationMs * 10) / 10).toFixed(1);
}

function coldTable(cold: readonly Cold[]): Table {
  const at = (one: Cold, memoryMb: number, what: 'import' | 'first') =>
    median(
      one.starts.map((start) =>
        atShare(cpuShareOf(memoryMb), { wallMs: start[`${what}Ms`], cpuMs: start[`${what}CpuMs`] }),
      ),
    ).toFixed(0);
  return {
    title: 'Cold start by a function’s share of a CPU',
    head: [
      'contender',
      'bundle, KB',
      ...memoriesMb.flatMap((one) => [`import at ${mb(one)}, ms`, `first batch of 10, ms`]),
    ],
    rows: cold.map((one) => [
      one.name === 'floor' ? 'the SDK’s client alone' : titles[one.name],
      (one.bytes.total / 1000).toFixed(0),
      ...memoriesMb.flatMap((memoryMb) => [at(one, memoryMb, 'import'), at(one, memoryMb, 'first')]),
    ]),
  };
}

/** What protection adds to a million messages, at a batch of 10 and 512 MB. */
function addedOf({ cells }: Money, name: Paid, handlerMs: number): number {
  const total = (of: Paid) =>
    cells.find((one) => one.name === of && one.size === 10 && one.handlerMs === handlerMs && one.memoryMb === 512)?.cost
      .total ?? Number.NaN;
  return total(name) - total('middy');
}

/** `docs/evidence/cost.md`. */
export function moneyDocument(money: Money, cold: readonly Cold[], environment: Environment): string {
  const { date, commit, command, machine, load } = environment;
  const added = paid
    .filter((name) => name !== 'middy')
    .map((name) => `${titles[name]} $${addedOf(money, name, 20).toFixed(2)}`);
  return `# Evidence: what a million messages cost

The measurements behind [what it costs](../reference/cost.md). \`npm run bench -- --write\` writes this page. The prices are in \`bench/cost/money/prices.ts\`: ${prices.region}, entered on ${prices.date}, list prices without the free tier. Check them against AWS's pages before you quote a total: ${prices.sources.join(', ')}. Change them in that file for your region.

What a million messages cost more than with an unprotected consumer, in batches of 10, with a handler of 20 ms, at 512 MB: ${added.join('; ')}.

![US dollars for a million messages](cost.svg)

## A million messages

${moneyTables(money).map(asMarkdown).join('\n\n')}

- Each message is delivered once. A duplicate costs a write unit if SQS delivers it for the first time, and a read unit if SQS has delivered it before.
- DynamoDB is on demand. Storage is for 30 days, as long as pawl remembers an outcome.
- SQS is one request to receive and one to delete, for up to ten messages. Polls of an empty queue and the producer's requests are left out.
- Lambda is its GB-seconds and its requests. In batches of one, each message pays for the waiting of its own invocation.
- pawl runs 25 messages of a batch at once by default (\`concurrency\`); the others run the whole batch at once. A batch of 100 with a slow handler therefore takes longer with pawl. Set \`concurrency: 100\` for the same.
- A claim that is watched (\`watched: true\`, the default of \`once\` and of HTTP) is in the index of open claims while it is in flight. It costs one more write unit when it is granted, and one when it ends: $${(2 * prices.dynamoDb.millionWriteUnits).toFixed(2)} for a million.

## What the totals are made of

${asMarkdown(inputTable(money))}

- The units are what DynamoDB Local bills for one batch. It says nothing of PartiQL: a statement that writes an item of up to 1 KB is one unit. The stored bytes are those of the items that it leaves behind, with DynamoDB's 100 bytes for each.
- An invocation is timed beside a server that takes as long as DynamoDB is *assumed* to take: ${assumed.p50Ms} ms at the median, ${assumed.p99Ms} ms at the 99th percentile, log-normal (\`bench/cost/money/latency.ts\`).
- A function has one whole CPU at 1,769 MB, and a share of it below. ${
    money.shares === 'by a quota'
      ? 'In this run the process had that share, by a cgroup quota of 20 ms.'
      : 'In this run the share is arithmetic: the CPU time of a whole CPU, divided by the share, and the time of waiting as it is.'
  }

## Cold start

${asMarkdown(coldTable(cold))}

The share is arithmetic here: CPU time divided by the share, and waiting as it is. Lambda's own part of a cold start is not in it.

## This run

${date}, commit ${commit}, \`${command}\`, ${machine}. Another machine has other milliseconds. The units and the requests are the same everywhere.${
    load.average > load.cpus
      ? ` **The machine was busy with other work: a load of ${load.average.toFixed(0)} on ${load.cpus} CPUs. The durations, and with them what Lambda costs, are too high for all contenders. Measure again before you quote them.**`
      : ''
  }
`;
}
