import { setTimeout as sleep } from 'node:timers/promises';
import { MachineTooSlowError } from '../engine/too-slow.ts';
import { type Rehearsal as Engine, startRehearsal } from '../rehearsal.ts';
import { watchForBroken } from './broken.ts';
import { carryOut } from './carry-out.ts';
import { resultOf } from './conclude.ts';
import type { Rehearsal } from './define.ts';
import { synthesizeVersions } from './deployments.ts';
import { filtered } from './filter.ts';
import { UnknownConstructError } from './find.ts';
import { createIntents } from './intents.ts';
import { createJournal } from './journal.ts';
import { withOwnFaults } from './own-faults.ts';
import { createPlan, defaultFaults } from './plan.ts';
import type { RehearsalResult } from './result.ts';
import { consumersOf, type RunOptions, streamConsumersOf, tablesOf } from './running.ts';
import { serveProviders } from './serve-provider.ts';
import { cutOff, goThrough } from './settle.ts';
import { type ShorterApp, shorten } from './shorten.ts';
import { letTimePass } from './time-passes.ts';
import { createTraffic, type Traffic } from './traffic.ts';

/*
 * A rehearsal, from its file to its result.
 *
 * Owns: the order of things. It starts the providers and the engine, lets the file send its traffic, waits until all is quiet, and judges.
 * Does not own: the parts of AWS (the engine), what goes wrong (plan and carry-out), and what it looks like (report).
 */

/**
 * Runs a rehearsal to its end. What it started is stopped then, also if it fails.
 *
 * @throws Error if it cannot run: no Java, an app that does not synthesize or does not start, a file that throws
 */
export async function runRehearsal(rehearsal: Rehearsal, run: RunOptions): Promise<RehearsalResult> {
  const stopping = new AsyncDisposableStack();
  try {
    return await runOn(rehearsal, run, stopping);
  } finally {
    const ended = stopping.disposeAsync();
    // What hangs is left behind, and says nothing: the result, or why there is none, is what the caller waits for.
    ended.catch(() => undefined);
    await Promise.race([ended, sleep(endsWithinMs, undefined, { ref: false })]);
  }
}

/** How long the end of everything may take. Behind it, a page that is open shows why, and the process ends: in ten seconds altogether. */
const endsWithinMs = 6_000;

async function runOn(
  { options }: Rehearsal,
  run: RunOptions,
  stopping: AsyncDisposableStack,
): Promise<RehearsalResult> {
  const begunAt = Date.now();
  const intents = createIntents();
  const journal = createJournal();
  const hasProvider = Object.keys(options.providers ?? {}).length > 0;
  const plan = createPlan(run.seed, options.faults ?? defaultFaults, { hasStore: true, hasProvider });
  const started: { engine?: Engine; traffic?: Traffic } = {};
  const kill = (sandbox: string) => started.engine?.kill(sandbox);
  const stallMs = new Map<string, number>();
  const carried = carryOut({
    plan,
    intents,
    journal,
    messageIntent: (id) => started.traffic?.messageIntents.get(id),
    kill,
    stall: (sandbox, forMs) => started.engine?.stall(sandbox, forMs) ?? false,
    stallMs: (construct) => stallMs.get(construct) ?? 8_000,
    keysOf: (table) => tablesOf(started.engine).find(({ name }) => name === table)?.keys ?? [],
    letTimePass: async (past) => (started.engine ? letTimePass(started.engine, intents, past) : []),
  });
  const faults = withOwnFaults(carried, run.faults, { intents, journal });
  const provider = Promise.withResolvers<never>();
  // No failure is the rule.
  provider.promise.catch(() => undefined);
  let shorter: ShorterApp | undefined;
  const broken = watchForBroken(carried, (at) => shorter?.shortened.find(({ construct }) => construct === at));
  const { providers, addresses } = await serveProviders(
    options.providers ?? {},
    {
      ...{ intents, journal, kill: faults.killCaller, nextFault: faults.atProvider },
      ...{ workOf: carried.workOf, onCall: broken.called, onLook: carried.remembers, onBroken: provider.reject },
    },
    stopping,
  );
  const engine = stopping.use(
    await startRehearsal({
      app: run.app,
      context: { ...run.app.context, ...options.context },
      ...(options.stubs ? { stubs: options.stubs } : {}),
      ...(options.parameters ? { parameters: options.parameters } : {}),
      ...(options.clockSpeed === undefined ? {} : { clockSpeed: options.clockSpeed }),
      environment: {
        ...options.environment,
        ...addresses,
      },
      ...(options.sandboxesPerFunction ? { sandboxesPerFunction: options.sandboxesPerFunction } : {}),
      adjust(stacks, references) {
        const wanted = run.filter === undefined ? stacks : filtered(stacks, references, run.filter);
        const { functionTimeoutSeconds: longest = 6 } = options;
        if (longest === 'as-written') return wanted;
        shorter = shorten(wanted, references, longest);
        return shorter.stacks;
      },
      faults: broken.at(faults.engine),
      ...(run.machine ? { machine: run.machine } : {}),
      ...(run.bundleFor ? { bundleFor: run.bundleFor } : {}),
      ...(run.other ? { other: run.other } : {}),
      watch: broken.watch,
      dynamoDb: run.dynamoDb,
      onLog(line, sandbox) {
        broken.log(line, sandbox);
        run.onLog?.(line, sandbox);
      },
      ...(run.onStarting ? { onStarting: run.onStarting } : {}),
    }),
  );
  started.engine = engine;
  expectConsumer(engine, run.filter);
  for (const { mapping } of consumersOf(engine)) {
    stallMs.set(mapping.function.construct, mapping.function.timeoutMs + 4_000);
  }
  const traffic = createTraffic({
    rehearsal: engine,
    intents,
    journal,
    plan,
    effects: Object.keys(options.effects ?? options.providers ?? {}),
    isFiltered: run.filter !== undefined,
  });
  started.traffic = traffic;
  const { deploys = [], context = {} } = options;
  const versions = await synthesizeVersions(deploys, { run, context }, stopping);
  stopping.defer(() => traffic.stop());
  const running = {
    options,
    run,
    plan,
    intents,
    journal,
    providers,
    engine,
    traffic,
    carried,
    shortened: shorter?.shortened ?? [],
    unread: shorter?.unread ?? [],
    versions,
    begunAt,
  };
  await run.onUp?.(running);
  const going = new AbortController();
  stopping.defer(() => going.abort());
  const slow = engine.machine.tooSlow(going.signal);
  // It ends with the run.
  slow.catch(() => undefined);
  const ends = [goThrough(running), broken.failed, provider.promise, slow, aborted(run.signal)];
  const settled = await Promise.race(ends).catch((error: unknown) => {
    if (error instanceof MachineTooSlowError) return cutOff(running, error);
    throw error;
  });
  // Awaited here: the tables and queues that it reads end with this block.
  const result = await resultOf(running, settled);
  await run.onResult?.(result);
  return result;
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** @throws UnknownConstructError if a filter leaves nothing to rehearse */
function expectConsumer(engine: Engine, filter: string | undefined): void {
  if (filter === undefined || consumersOf(engine).length + streamConsumersOf(engine).length > 0) return;
  throw new UnknownConstructError(`--filter: the app has no consumer at '${filter}'.`);
}
