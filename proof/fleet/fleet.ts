import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import type { FromWorker, How, ToWorker } from './messages.ts';

/**
 * A fleet of workers over one queue, while it is deployed: workers of one kind are replaced by workers of another, in mid-traffic. Workers are killed with SIGKILL, a provider's answers are
 * lost, and some functions outlive their lease.
 *
 * Owns: deliveries, faults, and what became of each. Does not own: what a worker runs (the file of the proof), or what is right (its oracle).
 */

export interface Fleet<Kind extends string> {
  /** The file of a worker, and its arguments. */
  readonly worker: (kind: Kind) => readonly [file: string, ...args: string[]];
  /** Which workers there are, by how much of the work is done: up to a share of it. */
  readonly stages: readonly Stage<Kind>[];
  /** How many workers are killed, at points of chance. */
  readonly kills: number;
  /** How many keys there are. @default three for each kill, so that chance has where to strike */
  readonly keys?: number | undefined;
  readonly seed: number;
  /** How long after the first copy of a message the second one comes, as a share of all messages. */
  readonly secondCopyAfter: number;
  readonly onProgress?: (text: string) => void;
}

export interface Stage<Kind extends string> {
  readonly until: number;
  readonly kinds: readonly Kind[];
}

/** What became of one delivery to one worker. Times are epoch milliseconds of one clock. */
export interface Run<Kind extends string> {
  readonly key: string;
  readonly kind: Kind;
  readonly startedAt: number;
  /** When its invocation ends, and its lease with it. */
  readonly endsAt: number;
  /** When its handler asked for its effect, and the fence of the claim that it did it under. */
  asked?: { readonly at: number; readonly fence: number | undefined };
  /** When its effect was applied, if it was. */
  effectAt?: number;
  end?: { readonly how: How | 'killed'; readonly at: number; readonly said: readonly string[] };
}

export interface FleetResult<Kind extends string> {
  readonly keys: readonly string[];
  readonly kills: number;
  readonly runs: readonly Run<Kind>[];
}

/** How long an invocation lasts, and after which time a message is delivered again, in milliseconds. */
const invocationMs = 5000;
const visibilityMs = 1000;

/** What becomes of a delivery. A worker is killed when its function begins, before its effect, after it, or when it has heard of it. */
const fates = ['kill at begin', 'kill before', 'kill after', 'kill heard', 'refuse', 'lose', 'outlive'] as const;
type Fate = (typeof fates)[number] | 'well';

interface Message {
  readonly key: string;
  visibleAt: number;
}

interface Worker<Kind extends string> {
  readonly kind: Kind;
  readonly child: ChildProcess;
  ready: boolean;
  working?: { readonly number: number; readonly message: Message; readonly run: Run<Kind>; readonly fate: Fate };
}

export async function runFleet<Kind extends string>({
  worker: fileOf,
  stages,
  kills,
  keys = Math.max(12, kills * 3),
  seed,
  secondCopyAfter,
  onProgress = () => undefined,
}: Fleet<Kind>): Promise<FleetResult<Kind>> {
  const random = createRandom(seed);
  // Each is sent twice: a producer's second copy may come to a worker of another kind.
  const copies: Message[] = [];
  const queue = new Set<Message>();
  const order = Array.from({ length: keys }, (_, at) => [
    { at, key: `order-${at}` },
    { at: at + keys * secondCopyAfter, key: `order-${at}` },
  ]);
  for (const { key } of order.flat().toSorted((one, two) => one.at - two.at)) send(key);
  const runs: Run<Kind>[] = [];
  const fleet = new Set<Worker<Kind>>();
  let killed = 0;

  function send(key: string): void {
    const message: Message = { key, visibleAt: 0 };
    copies.push(message);
    queue.add(message);
  }

  function start(kind: Kind): void {
    const [file, ...args] = fileOf(kind);
    const child = fork(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const worker: Worker<Kind> = { kind, child, ready: false };
    fleet.add(worker);
    child.on('message', (said: FromWorker) => hear(worker, said));
    child.on('exit', () => {
      fleet.delete(worker);
      if (worker.working) ended(worker, 'killed', []);
    });
  }

  function kill(worker: Worker<Kind>): void {
    killed++;
    worker.child.kill('SIGKILL');
  }

  function retire(worker: Worker<Kind>): void {
    fleet.delete(worker);
    worker.child.kill();
  }

  function ended(worker: Worker<Kind>, how: How | 'killed', said: readonly string[]): void {
    const { message, run } = worker.working ?? {};
    delete worker.working;
    if (run === undefined || message === undefined) return;
    run.end = { how, at: Date.now(), said };
    if (how === 'returned' || how === 'parked') queue.delete(message);
    else message.visibleAt = Date.now() + visibilityMs;
  }

  function hear(worker: Worker<Kind>, said: FromWorker): void {
    if (said.kind === 'ready') {
      worker.ready = true;
      return;
    }
    const { working } = worker;
    if (working?.number !== said.run) return;
    if (said.kind === 'ended') {
      ended(worker, said.how, said.said ?? []);
      return;
    }
    const { run, fate } = working;
    run.asked = { at: Date.now(), fence: said.fence };
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
    const fate = fates[random.below(fates.length * 3)] ?? 'well';
    return fate.startsWith('kill') && killed >= kills ? 'well' : fate;
  }

  function deliver(worker: Worker<Kind>, message: Message): void {
    const now = Date.now();
    const number = runs.length;
    const fate = fateOf();
    const endsAt = now + invocationMs;
    const run: Run<Kind> = { key: message.key, kind: worker.kind, startedAt: now, endsAt };
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

  function adjust(wanted: readonly Kind[]): void {
    const missing = [...wanted];
    for (const one of fleet) {
      const at = missing.indexOf(one.kind);
      if (at >= 0) missing.splice(at, 1);
      else if (one.ready && one.working === undefined) retire(one);
    }
    for (const kind of missing) start(kind);
  }

  while (queue.size > 0 || killed < kills) {
    const done = 1 - queue.size / copies.length;
    const { kinds } = stages.find(({ until }) => done < until) ?? (stages.at(-1) as Stage<Kind>);
    adjust(kinds);
    for (const worker of fleet) {
      if (!worker.ready || worker.working !== undefined || !worker.child.connected) continue;
      const visible = [...queue].filter(({ visibleAt }) => visibleAt <= Date.now());
      const next = visible[random.below(Math.min(visible.length, 12))];
      if (next !== undefined) deliver(worker, next);
    }
    // More messages, where chance has killed too few workers with those that there were.
    if (queue.size === 0 && killed < kills)
      for (let more = 0; more < kinds.length * 3; more++) send(`more-${copies.length}`);
    onProgress(`${killed} kills, ${queue.size} messages left`);
    await sleep(10);
  }
  for (const worker of fleet) retire(worker);
  return { keys: [...new Set(copies.map(({ key }) => key))], kills: killed, runs };
}

/** The keys whose effect never happened. */
export function withoutEffect({ keys, runs }: FleetResult<string>): readonly string[] {
  const applied = new Set(runs.filter(({ effectAt }) => effectAt !== undefined).map(({ key }) => key));
  return keys.filter((key) => !applied.has(key));
}
