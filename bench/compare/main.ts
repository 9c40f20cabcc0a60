import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from '../../checks/packages.ts';
import { checkOut, hasCommit } from '../../proof/campaign/versions/checkout.ts';
import { titles } from '../cost/contender.ts';
import { environmentOf } from '../cost/environment.ts';
import { startSetting } from '../cost/setting.ts';
import { medianInterval, pairedRatio } from '../cost/statistics.ts';
import { asText } from '../cost/table.ts';
import { type ComparePlan, comparePairs, type Pairs } from './compare.ts';

const usage = `npm run bench -- compare <commit> [--rounds 21]

What a change did: pawl as it is now, with all that is not committed yet, beside itself at a commit. The two take turns. A ratio is of the same round,
now × before: below 1 is less. The interval holds the median with 95%; one that has 1 in it shows no difference. Needs Java 17, and git's history.`;

const sizes: ComparePlan['sizes'] = [
  { size: 1, batches: 30 },
  { size: 10, batches: 15 },
  { size: 100, batches: 3 },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '21' },
    help: { type: 'boolean', default: false },
  },
});

const [commit = ''] = positionals;
const rounds = Number(values.rounds);

if (values.help) console.log(usage);
else if (!hasCommit(commit)) fail(`expected a commit of this clone; got ${commit === '' ? 'none' : commit}`);
else if (!(Number.isSafeInteger(rounds) && rounds >= 3)) fail(`--rounds: expected 3 or more; got ${values.rounds}`);
else await run();

function fail(said: string): void {
  console.error(`${said}\n\n${usage}`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const environment = environmentOf(['compare', ...process.argv.slice(2)], new Date());
  const folder = join(root, '.pawl');
  await mkdir(folder, { recursive: true });
  // Inside of the project: it finds the same packages.
  const before = await mkdtemp(join(folder, 'compare-'));
  try {
    await checkOut(commit, before);
    await using setting = await startSetting();
    const worker = pathToFileURL(join(before, 'bench/cost/worker.ts'));
    const pairs = await comparePairs({ rounds, warmUpMs: 3_000, sizes }, setting, worker);
    setting.progress.end();
    const title = `${environment.commit} × ${commit}, ${rounds} rounds`;
    const head = ['contender', 'batch', 'messages', 'requests', 'CPU', 'wall time'];
    console.log(`${asText({ title, head, rows: pairs.map(rowOf) })}\n`);
    console.log(JSON.stringify({ ...environment, before: commit, pairs: pairs.map(summaryOf) }));
  } finally {
    await rm(before, { recursive: true, force: true });
  }
}

function rowOf(one: Pairs): readonly string[] {
  const { requests, cpu, wall } = summaryOf(one);
  const said = ({ ratio, from, to }: Ratio) => `${ratio.toFixed(2)} (${from.toFixed(2)}–${to.toFixed(2)})`;
  const counts = requests.before === requests.after ? `${requests.after}` : `${requests.before} → ${requests.after}`;
  return [titles[one.name], String(one.size), one.scenario, counts, said(cpu), said(wall)];
}

interface Ratio {
  readonly ratio: number;
  readonly from: number;
  readonly to: number;
}

function summaryOf({ name, size, scenario, requests, cpuMs, wallMs }: Pairs) {
  return { name, size, scenario, requests, cpu: ratioOf(cpuMs), wall: ratioOf(wallMs) };
}

function ratioOf({ before, after }: Pairs['cpuMs']): Ratio {
  const [from, to] = medianInterval(after.map((ms, round) => ms / (before[round] ?? Number.NaN)));
  return { ratio: pairedRatio(after, before), from, to };
}
