import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { add, noTally, type Tally } from './seeds.ts';
import { simulate } from './simulate.ts';
import { storyOf } from './story.ts';

const usage = `npm run simulate -- [--seeds 1000] [--from 1] [--workers 2] [--stop] [--seed N [--trace]]

  --seeds N    how many seeds to run
  --from N     the first of them
  --workers N  in how many threads
  --stop       stop at the first failure
  --seed N     one seed, with what happened; --trace tells the whole story`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    stop: { type: 'boolean', default: false },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Seeds that a worker is given at once. */
const perPiece = 100;
/** So many failures are told, and then it stops. */
const mostFailures = 20;

async function campaign(from: number, count: number, workers: number, stopsAtFirst: boolean): Promise<Tally> {
  const tally = noTally();
  const began = performance.now();
  let next = from;
  let told = began;

  const enough = () => tally.failures.length >= (stopsAtFirst ? 1 : mostFailures);

  async function work(): Promise<void> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url));
    const ended = Promise.withResolvers<never>();
    worker.once('error', ended.reject);
    while (next < from + count && !enough()) {
      const piece = { from: next, count: Math.min(perPiece, from + count - next) };
      next += piece.count;
      worker.postMessage(piece);
      const { promise, resolve } = Promise.withResolvers<Tally>();
      worker.once('message', resolve);
      add(tally, await Promise.race([promise, ended.promise]));
      tellProgress();
    }
    await worker.terminate();
  }

  function tellProgress(): void {
    const now = performance.now();
    if (now - told < 5000) return;
    told = now;
    const perSecond = tally.seeds / ((now - began) / 1000);
    const left = Math.round((count - tally.seeds) / perSecond);
    const { seeds, failures } = tally;
    console.error(`${seeds} seeds, ${failures.length} failures, ${Math.round(perSecond)} a second, ${left} s to go`);
  }

  await Promise.all(Array.from({ length: workers }, work));
  return tally;
}

function commit(): string | undefined {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', 'lib') && ' with changes in lib'}`;
  } catch {
    return undefined;
  }
}

async function one(seed: number, tells: boolean): Promise<void> {
  const simulated = await simulate(seed, { keepsStory: true });
  console.log(storyOf(simulated, tells));
  if (simulated.violations.length > 0) process.exitCode = 1;
}

async function many(): Promise<void> {
  const began = performance.now();
  const tally = await campaign(Number(values.from), Number(values.seeds), Number(values.workers), values.stop);
  tally.failures.sort((a, b) => a.seed - b.seed);
  for (const { seed, violations } of tally.failures.slice(0, mostFailures)) {
    console.log(
      `seed ${seed}: ${violations.map(({ invariant, text }) => `invariant ${invariant}: ${text}`).join('; ')}`,
    );
    console.log(`  npm run simulate -- --seed ${seed} --trace`);
  }
  const { seeds, failures, stats, steps } = tally;
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  console.log(JSON.stringify({ seeds, failures: failures.length, ...stats, steps, seconds, commit: commit() }));
  if (failures.length > 0) process.exitCode = 1;
}

if (values.help) console.log(usage);
else if (values.seed !== undefined) await one(Number(values.seed), values.trace);
else await many();
