import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { titles } from '../cost/contender.ts';
import { environmentOf } from '../cost/environment.ts';
import { median, pairedRatio } from '../cost/statistics.ts';
import { asMarkdown } from '../cost/table.ts';
import { labelOf, measureLatency, type Timing } from './measure.ts';

const usage = `npm run bench -- latency [--quick] [--write]

How long a batch of first deliveries takes beside a table that takes 5 ms for a request, and one that takes 0.3 ms more for each statement: the median, and client CPU,
beside the floor and Powertools. 3 minutes. --quick: a look. --write: writes docs/evidence/latency.md.`;

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { quick: flag, write: flag, help: flag } });

function tableOf(timings: readonly Timing[]): string {
  const rows = timings.map((one) => {
    const floor = timings.find(
      (other) =>
        other.name === 'floor' &&
        other.table === one.table &&
        other.size === one.size &&
        other.handlerMs === one.handlerMs,
    );
    if (floor === undefined) throw new Error('the floor was not timed');
    const concurrency = one.concurrency === undefined ? '' : `, concurrency: ${one.concurrency}`;
    return [
      labelOf(one.table),
      `${one.handlerMs} ms`,
      String(one.size),
      `${titles[one.name]}${concurrency}`,
      median(one.wallMs).toFixed(0),
      pairedRatio(one.wallMs, floor.wallMs).toFixed(2),
      median(one.cpuMs).toFixed(3),
      pairedRatio(one.cpuMs, floor.cpuMs).toFixed(2),
    ];
  });
  return asMarkdown({
    title: 'First deliveries',
    head: ['table', 'effect', 'batch', 'contender', 'median, ms', '× floor', 'CPU, ms/msg', 'CPU, × floor'],
    rows,
  });
}

if (values.help) console.log(usage);
else {
  const progress = createProgress(process.stderr);
  const { date, command, machine, load, versions } = environmentOf(['latency', ...process.argv.slice(2)], new Date());
  const timings = await measureLatency(
    {
      tables: [
        { perRequestMs: 5, perStatementMs: 0 },
        { perRequestMs: 5, perStatementMs: 0.3 },
      ],
      entrants: [
        { name: 'floor' },
        { name: 'pawl' },
        { name: 'pawl', concurrency: 100 },
        { name: 'pawlLean' },
        { name: 'pawlLean', concurrency: 100 },
        { name: 'powertools' },
      ],
      sizes: [1, 10, 100],
      handlersMs: [0, 20, 200],
      rounds: values.quick ? 3 : 8,
      batches: 2,
    },
    progress,
  );
  progress.end();
  const page = `# Evidence: how long a batch takes

\`npm run bench -- latency --write\` writes this page. [What a batch costs](https://github.com/pawl-dev/pawl/blob/main/bench/BENCHMARKS.md).

Each contender has a process of its own, beside a server that answers as if each write were applied, after a time that does not vary. The processes take turns. *× floor* is the median of the ratios of batches that were timed one after the other;
the floor claims all messages in as few requests as it can, has all effects at once, and records them. CPU is of the client.

${tableOf(timings)}

With \`concurrency: 25\`, its default, a batch of 100 has four turns of the effect. Each turn waits once for the table, because a message is claimed when it may start, and not before: so what had not begun is not in doubt when a worker dies. \`concurrency: 100\` has one
turn, and up to 100 effects in doubt.

${date}, \`${command}\`, ${machine}, load ${load.average.toFixed(1)} on ${load.cpus} processors, Node ${versions['node']}.
`;
  console.log(page);
  if (values.write) writeFileSync(new URL('../../docs/evidence/latency.md', import.meta.url), page);
}
