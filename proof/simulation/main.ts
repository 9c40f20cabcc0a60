import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { storyOf } from './story.ts';
import { type What, worlds } from './worlds.ts';

const usage = `npm run simulate -- [--world both] [--seeds 1000] [--from 1] [--workers 2] [--minutes M] [--state FILE] [--stop]
npm run simulate -- [--world both] --seed N [--trace]

  --world W     claims: consumers of a queue. doors: every feature behind every door, with operators and HTTP clients.
                both: claims under odd seeds, doors under even ones. locks: locks over many resources.
                instances: 64 invocations at once in one process, which runs on after their deadlines.
                restores: a table that is restored from a point in time in mid-traffic, and once more.
                outbox: messages in commits, with their relay and their sweep.
                outbox-postgres: the same with data, claims and messages in PostgreSQL.
                postgres: as both, with the claims and the commits in PostgreSQL
  --locks       --world locks
  --seeds N     runs N seeds
  --from N      the first seed
  --workers N   the number of threads
  --minutes M   ends after M minutes
  --state FILE  keeps its progress in this file, and goes on from there if the file exists
  --stop        stops at the first failure
  --seed N      runs one seed and prints the end of its story; --trace prints the whole story`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    minutes: { type: 'string', default: 'Infinity' },
    state: { type: 'string' },
    stop: { type: 'boolean', default: false },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    locks: { type: 'boolean', default: false },
    world: { type: 'string', default: 'both' },
    help: { type: 'boolean', default: false },
  },
});

const what = (values.locks ? 'locks' : values.world) as What;
if (!(what in worlds)) throw new TypeError(`--world: expected ${Object.keys(worlds).join(', ')}; got ${what}`);

/** After this many failures it stops. */
const mostFailures = 20;

function commit(): string | undefined {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    const changed = git('status', '--porcelain', 'lib', 'proof/simulation');
    return `${git('rev-parse', '--short', 'HEAD')}${changed && ', with changes'}`;
  } catch {
    return undefined;
  }
}

async function one(seed: number, tells: boolean): Promise<void> {
  const simulated = await worlds[what](seed, { keepsStory: true });
  console.log(storyOf(simulated, tells));
  if (simulated.violations.length > 0) process.exitCode = 1;
}

async function many(): Promise<void> {
  const campaign = await runCampaign(
    {
      what,
      from: Number(values.from),
      seeds: Number(values.seeds),
      workers: Number(values.workers),
      minutes: Number(values.minutes),
      mostFailures: values.stop ? 1 : mostFailures,
      stateFile: values.state,
    },
    console.error,
  );
  const { seeds, from, next, stats, steps, seconds, cpuSeconds } = campaign;
  const failures = campaign.failures.toSorted((a, b) => a.seed - b.seed);
  for (const { seed, violations } of failures.slice(0, mostFailures)) {
    console.log(
      `seed ${seed}: ${violations.map(({ invariant, text }) => `invariant ${invariant}: ${text}`).join('; ')}`,
    );
    console.log(`  npm run simulate -- --world ${what} --seed ${seed} --trace`);
  }
  const took = { seconds: Math.round(seconds), cpuSeconds: Math.round(cpuSeconds) };
  const ran = { seeds, from, next, failures: failures.length, ...took, commit: commit() };
  console.log(JSON.stringify({ ...ran, steps, ...stats }));
  if (failures.length > 0) process.exitCode = 1;
}

if (values.help) console.log(usage);
else if (values.seed !== undefined) await one(Number(values.seed), values.trace);
else await many();
