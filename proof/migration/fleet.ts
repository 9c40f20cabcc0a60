import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import type { FromWorker, Library, ToWorker } from './messages.ts';
import { type Doubled, doublesIn, type Run } from './oracle.ts';

/**
 * A fleet of workers of both libraries over one queue, while it moves over and back: all of Powertools, half of each, all of pawl, half of each again. Workers are killed with SIGKILL, provider's
 * answers are lost, and some functions outlive their lease.
 */

export interface Fleet {
  readonly endpoint: string;
  readonly records: string;
  readonly claims: string;
  /** How many workers are killed, at points of chance. */
  readonly kills: number;
  readonly seed: number;
  /** In place of pawl. @default 'pawl' */
  readonly library?: Library;
  readonly onProgress?: (text: string) => void;
}

export interface FleetResult {
  readonly keys: number;
  readonly kills: number;
  readonly runs: readonly Run[];
  readonly doubles: readonly Doubled[];
  /** The keys whose effect never happened. */
  readonly lost: readonly string[];
}

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url));
const workers = 4;
/** How long an invocation lasts, and after which time a message is delivered again, in milliseconds. */
const invocationMs = 5000;
const visibilityMs = 1000;

/** What becomes of a delivery. A worker is killed when its function begins, before its effect, after it, or when it has heard of it. */
const kinds = ['kill at begin', 'kill before', 'kill after', 'kill heard', 'refuse', 'lose', 'outlive'] as const;
type Fate = (typeof kinds)[number] | 'well';

/** What of the fleet is pawl's, by how much of the work is done: it moves over by halves, and half of it back. */
const stages = [
  { until: 0.2, pawls: 0 },
  { until: 0.5, pawls: workers / 2 },
  { until: 0.7, pawls: workers },
  { until: 1, pawls: workers / 2 },
];

interface Message {
  readonly key: string;
  visibleAt: number;
}

interface Worker {
  readonly library: Library;
  readonly child: ChildProcess;
  ready: boolean;
  working?: { readonly number: number; readonly message: Message; readonly run: Run; readonly fate: Fate };
}

export async function runFleet({
  kills,
  seed,
  library = 'pawl',
  onProgress = () => undefined,
  ...tables
}: Fleet): Promise<FleetResult> {
  const random = createRandom(seed);
  const keys = Math.max(12, kills * 3);
  // Each is sent twice: a producer's second copy may come to the other library.
  const copies: Message[] = [];
  const queue = new Set<Message>();
  for (let at = 0; at < keys * 2; at++) send(`order-${at % keys}`);
  const runs: Run[] = [];
  const fleet = new Set<Worker>();
  let killed = 0;

  function send(key: string): void {
    const message: Message = { key, visibleAt: 0 };
    copies.push(message);
    queue.add(message);
  }

  function start(of: Library): void {
    const args = [of, tables.endpoint, tables.records, tables.claims];
    const child = fork(workerFile, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const worker: Worker = { library: of, child, ready: false };
    fleet.add(worker);
    child.on('message', (said: FromWorker) => hear(worker, said));
    child.on('exit', () => {
      fleet.delete(worker);
      if (worker.working) ended(worker, 'killed');
    });
  }

  function kill(worker: Worker): void {
    killed++;
    worker.child.kill('SIGKILL');
  }

  function retire(worker: Worker): void {
    fleet.delete(worker);
    worker.child.kill();
  }

  function ended(worker: Worker, how: 'returned' | 'threw' | 'killed'): void {
    const { message, run } = worker.working ?? {};
    delete worker.working;
    if (run === undefined || message === undefined) return;
    run.end = { how, at: Date.now() };
    if (how === 'returned') queue.delete(message);
    else message.visibleAt = Date.now() + visibilityMs;
  }

  function hear(worker: Worker, said: FromWorker): void {
    if (said.kind === 'ready') {
      worker.ready = true;
      return;
    }
    const { working } = worker;
    if (working?.number !== said.run) return;
    if (said.kind === 'ended') {
      ended(worker, said.how);
      return;
    }
    const { run, fate } = working;
    if (fate !== 'refuse' && fate !== 'kill before') run.effectAt = Date.now();
    if (fate === 'kill before' || fate === 'kill after') {
      kill(worker);
      return;
    }
    const applied = fate !== 'refuse' && fate !== 'lose';
    worker.child.send({ kind: 'answer', run: said.run, applied } satisfies ToWorker);
    // Between the answer and the record of it, or just behind that.
    if (fate === 'kill heard') setTimeout(() => worker.working && kill(worker), random.below(12));
  }

  function fateOf(): Fate {
    // So that the kills are spread over all stages: a third of the deliveries go wrong.
    const fate = kinds[random.below(kinds.length * 3)] ?? 'well';
    return fate.startsWith('kill') && killed >= kills ? 'well' : fate;
  }

  function deliver(worker: Worker, message: Message): void {
    const now = Date.now();
    const number = runs.length;
    const fate = fateOf();
    const endsAt = now + invocationMs;
    const run: Run = { key: message.key, library: worker.library, startedAt: now, endsAt };
    runs.push(run);
    worker.working = { number, message, run, fate };
    message.visibleAt = Number.POSITIVE_INFINITY;
    const beginsAt = fate === 'outlive' ? endsAt + 2500 : now + random.below(40);
    worker.child.send({
      kind: 'deliver',
      delivery: { run: number, key: message.key, beginsAt, endsAt },
    } satisfies ToWorker);
    if (fate === 'kill at begin') setTimeout(() => worker.working?.number === number && kill(worker), random.below(60));
  }

  while (queue.size > 0 || killed < kills) {
    const done = 1 - queue.size / copies.length;
    const { pawls } = stages.find(({ until }) => done < until) ?? { pawls: workers / 2 };
    for (const [of, wanted] of [
      [library, pawls],
      ['peer', workers - pawls],
    ] as const) {
      const own = [...fleet].filter((worker) => worker.library === of);
      for (let missing = own.length; missing < wanted; missing++) start(of);
      for (const one of own.slice(wanted)) if (one.ready && one.working === undefined) retire(one);
    }
    for (const worker of fleet) {
      if (!worker.ready || worker.working !== undefined || !worker.child.connected) continue;
      const visible = [...queue].filter(({ visibleAt }) => visibleAt <= Date.now());
      const next = visible[random.below(Math.min(visible.length, 12))];
      if (next !== undefined) deliver(worker, next);
    }
    // More messages, where chance has killed too few workers with those that there were.
    if (queue.size === 0 && killed < kills)
      for (let more = 0; more < workers * 3; more++) send(`more-${copies.length}`);
    onProgress(`${killed} kills, ${queue.size} messages left`);
    await sleep(10);
  }
  for (const worker of fleet) retire(worker);
  const applied = new Set(runs.filter(({ effectAt }) => effectAt !== undefined).map(({ key }) => key));
  const all = new Set(copies.map(({ key }) => key));
  return {
    keys: all.size,
    kills: killed,
    runs,
    doubles: doublesIn(runs),
    lost: [...all].filter((key) => !applied.has(key)),
  };
}
