import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { KeepsNotes } from '../../lib/pawl/rules/notes.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import type { StatementReport } from '../../lib/pawl/statements/index.ts';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { compactStore } from './compact-store.ts';
import type { Asking } from './remote-store.ts';
import { claimOf, toBeFound, type World, worldOf } from './world.ts';

export interface StatementCampaign {
  readonly lines: number;
  readonly findings: number;
  /** How often the process that reconciles is killed with SIGKILL, at lines of chance. */
  readonly kills: number;
  readonly seed: number;
  /** The claims' own store. @default one over a Map, in this process */
  readonly dynamodb?: { readonly endpoint: string; readonly tableName: string; readonly store: ClaimStore } | undefined;
  readonly onProgress?: (text: string) => void;
}

export interface StatementCampaignResult {
  readonly lines: number;
  readonly kills: number;
  readonly expected: readonly string[];
  readonly found: readonly string[];
  readonly report: StatementReport;
  /** The largest that any of the processes was. */
  readonly peakMb: number;
  readonly seconds: number;
}

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url));

/** What a worker says. */
type Said =
  | Asking
  | { readonly kind: 'progress'; readonly lines: number }
  | {
      readonly kind: 'done';
      readonly outcome: string;
      readonly found: readonly string[];
      readonly report: StatementReport;
      readonly peakMb: number;
    };

/** Reconciles a period in a process that is killed again and again, until one attempt comes to the end. */
export async function runStatementCampaign(options: StatementCampaign): Promise<StatementCampaignResult> {
  const { lines, findings, kills, seed, dynamodb, onProgress = () => undefined } = options;
  const started = Date.now();
  const world = worldOf(lines, findings);
  const own = dynamodb === undefined ? compactStore() : undefined;
  await fill(world, dynamodb?.store ?? (own as ClaimStore), onProgress);
  const random = createRandom(seed);
  const killAt = Array.from({ length: kills }, () => random.below(lines)).toSorted((one, two) => one - two);
  let peakMb = 0;
  let killed = 0;
  for (;;) {
    const args = [`${lines}`, `${findings}`, ...(dynamodb ? [dynamodb.endpoint, dynamodb.tableName] : [])];
    const worker = fork(workerFile, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const said = await attempt(worker, own, killAt[killed], (done) => onProgress(`${killed} kills, ${done} lines`));
    if (said === undefined) {
      killed++;
      continue;
    }
    peakMb = Math.max(peakMb, said.peakMb);
    if (said.outcome !== 'done') throw new Error(`the run has ended as ${said.outcome}`);
    const seconds = Math.round((Date.now() - started) / 1000);
    return {
      lines,
      kills: killed,
      expected: toBeFound(world),
      found: said.found,
      report: said.report,
      peakMb,
      seconds,
    };
  }
}

async function fill(world: World, store: ClaimStore, onProgress: (text: string) => void): Promise<void> {
  for (let from = 0; from < world.lines; from += 500) {
    const some = Array.from({ length: Math.min(500, world.lines - from) }, (_, index) => claimOf(world, from + index));
    await Promise.all(some.map((next) => next && store.write({ next, seen: undefined })));
    if (from % 50_000 === 0) onProgress(`${from} claims`);
  }
}

/** One attempt. @param killAt after how many lines it is killed. @returns what it came to; nothing, if it was killed */
async function attempt(
  worker: ChildProcess,
  store: (ClaimStore & KeepsNotes) | undefined,
  killAt: number | undefined,
  onLines: (lines: number) => void,
): Promise<Extract<Said, { readonly kind: 'done' }> | undefined> {
  let done: Extract<Said, { readonly kind: 'done' }> | undefined;
  worker.on('message', async (message) => {
    const said = message as Said;
    switch (said.kind) {
      case 'calls': {
        const results = await Promise.all(said.calls.map((call) => answer(store, call)));
        if (worker.connected) worker.send({ number: said.number, results });
        return;
      }
      case 'progress':
        onLines(said.lines);
        // Whatever it has sent since is still served, or lost, as chance has it.
        if (killAt !== undefined && said.lines >= killAt) worker.kill('SIGKILL');
        return;
      case 'done':
        done = said;
    }
  });
  const [code, signal] = await once(worker, 'exit');
  if (signal === 'SIGKILL') return undefined;
  if (done === undefined) throw new Error(`the worker has ended with ${code}`);
  return done;
}

function answer(store: (ClaimStore & KeepsNotes) | undefined, { name, input }: Asking['calls'][number]): unknown {
  if (store === undefined) throw new Error('the worker has a store of its own');
  const ask: (input: never) => unknown = store[name];
  return ask(input as never);
}
