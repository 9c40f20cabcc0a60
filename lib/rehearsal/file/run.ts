import { setTimeout as sleep } from 'node:timers/promises';
import { messagesIn } from '../drain.ts';
import { findClaims } from '../pawl/find-claims.ts';
import { type Consumer, type Rehearsal as Engine, startRehearsal } from '../rehearsal.ts';
import type { CdkApp } from '../synthesize.ts';
import { watchForBroken } from './broken.ts';
import { type CarriedOut, carryOut } from './carry-out.ts';
import type { Rehearsal, RehearsalOptions } from './define.ts';
import { type ReadyDeployment, readyDeployments, SAME_CODE } from './deployments.ts';
import { countEffects } from './effects.ts';
import { filtered } from './filter.ts';
import { hintsFor } from './hints.ts';
import { createIntents, type Intents } from './intents.ts';
import { createJournal, type Journal } from './journal.ts';
import { type EffectVerdict, isClean, judge } from './judge.ts';
import { createPlan, DEFAULT_FAULTS, type Plan } from './plan.ts';
import type { Provider } from './providers.ts';
import type { Harmed, RehearsalResult } from './result.ts';
import { type ServedProvider, serveProvider } from './serve-provider.ts';
import { type Shortened, shorten } from './shorten.ts';
import { storyOf } from './story.ts';
import { createTraffic, type Traffic } from './traffic.ts';

/*
 * A rehearsal, from its file to its result.
 *
 * Owns: the order of things. It starts the providers and the engine, lets the file send its traffic, waits until all is quiet, and judges.
 * Does not own: the parts of AWS (the engine), what goes wrong (plan and carry-out), and what it looks like (report).
 */

export interface RunOptions {
  readonly seed: number;
  /** The app, as it was found. */
  readonly app: CdkApp;
  /** Only the consumer at this construct. */
  readonly filter?: string | undefined;
  /** An intent whose story is told, whatever became of it. */
  readonly story?: string | undefined;
  readonly onStarting?: (what: string) => void;
  readonly onLook?: (state: Look) => void;
  readonly onLog?: (line: string, sandbox: string) => void;
}

/** Where a run is. */
export interface Look {
  readonly seconds: number;
  readonly done: ReadonlyMap<string, number>;
  readonly killed: number;
  readonly left: number;
  readonly isWaiting: boolean;
}

/** A run from the inside of this file, once everything is up. */
interface Run {
  readonly options: RehearsalOptions;
  readonly run: RunOptions;
  readonly plan: Plan;
  readonly intents: Intents;
  readonly journal: Journal;
  readonly providers: readonly ServedProvider[];
  readonly engine: Engine;
  readonly traffic: Traffic;
  readonly carried: CarriedOut;
  readonly shortened: readonly Shortened[];
  readonly deployments: readonly ReadyDeployment[];
  /** Rejects when the app turns out not to work at all. */
  readonly broken: Promise<never>;
}

/**
 * Runs a rehearsal to its end. What it started is stopped then, also if it fails.
 *
 * @throws Error if it cannot run: no Java, an app that does not synthesize or does not start, a file that throws
 */
export async function runRehearsal({ options }: Rehearsal, run: RunOptions): Promise<RehearsalResult> {
  await using stopping = new AsyncDisposableStack();
  const intents = createIntents();
  const journal = createJournal();
  const providers: ServedProvider[] = [];
  const hasProvider = Object.keys(options.providers ?? {}).length > 0;
  const plan = createPlan(run.seed, options.faults ?? DEFAULT_FAULTS, { hasStore: true, hasProvider });
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
  });
  for (const [name, provider] of Object.entries(options.providers ?? {})) {
    const served = await serveProvider(name, provider, { intents, journal, kill, nextFault: carried.atProvider });
    providers.push(stopping.adopt(served, (server) => server.stop()));
  }
  const shortened: Shortened[] = [];
  const broken = watchForBroken(carried.watch, journal);
  const deployments = await readyDeployments(options, run.app, stopping);
  const engine = stopping.use(
    await startRehearsal({
      app: run.app,
      ...(options.context ? { context: options.context } : {}),
      environment: {
        ...options.environment,
        ...Object.fromEntries(providers.map(({ name, endpoint }) => [name, endpoint])),
      },
      ...(options.sandboxesPerFunction ? { sandboxesPerFunction: options.sandboxesPerFunction } : {}),
      adjust(stack) {
        const wanted = run.filter === undefined ? stack : filtered(stack, run.filter);
        const { functionTimeoutSeconds: longest = 6 } = options;
        if (longest === 'as-written') return wanted;
        const short = shorten(wanted, longest);
        shortened.push(...short.shortened);
        return short.stack;
      },
      faults: { dynamodb: carried.dynamodb, delivery: carried.delivery },
      watch: broken.watch,
      onLog(line, sandbox) {
        broken.log(line, sandbox);
        run.onLog?.(line, sandbox);
      },
      ...(run.onStarting ? { onStarting: run.onStarting } : {}),
    }),
  );
  started.engine = engine;
  for (const { mapping } of consumersOf(engine)) {
    stallMs.set(mapping.function.construct, mapping.function.timeoutMs + 4_000);
  }
  const traffic = createTraffic({ rehearsal: engine, intents, journal, plan });
  started.traffic = traffic;
  stopping.defer(() => traffic.stop());
  const whole: Run = {
    options,
    run,
    plan,
    intents,
    journal,
    providers,
    engine,
    traffic,
    carried,
    shortened,
    deployments,
    broken: broken.failed,
  };
  const left = await Promise.race([goThrough(whole), broken.failed]);
  // Awaited here: the tables and queues that it reads end with this block.
  return await resultOf(whole, left);
}

function consumersOf({ stacks }: Engine): readonly Consumer[] {
  return stacks.flatMap(({ consumers }) => consumers);
}

/** Sends the traffic, and waits until all is quiet or the time is up. Returns how many messages are left. */
async function goThrough(run: Run): Promise<number> {
  const { options, traffic } = run;
  const deployments = deployInTraffic(run);
  run.run.onStarting?.('sending the traffic');
  await options.traffic(traffic.app);
  const sending = traffic.settled();
  // It may fail while this still waits for the queues.
  sending.catch(() => undefined);
  const looking = new AbortController();
  try {
    const left = await Promise.race([settle(run, looking.signal), rejectionOf(sending)]);
    await sending;
    return left;
  } finally {
    looking.abort();
    deployments.abort();
  }
}

async function rejectionOf(promise: Promise<unknown>): Promise<never> {
  await promise;
  return new Promise(() => undefined);
}

/** How long it must have been quiet: what is between a queue and a function is in neither. */
const QUIET_LOOKS = 3;
const BETWEEN_LOOKS_MS = 250;

async function settle(run: Run, signal: AbortSignal): Promise<number> {
  const { engine, traffic, options, journal, providers } = run;
  const until = Date.now() + (options.settleSeconds ?? 120) * 1_000;
  let quiet = 0;
  let left = 0;
  let before = -1;
  for (;;) {
    const depths = await Promise.all(consumersOf(engine).map(({ queue }) => engine.sqs.depth(queue.name)));
    left = depths.reduce((sum, depth) => sum + messagesIn(depth), 0);
    const begun = journal.entries.length;
    const isQuiet = left === 0 && traffic.pending() === 0 && engine.sandboxes.busy === 0 && begun === before;
    before = begun;
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS || Date.now() >= until || signal.aborted) return left;
    run.run.onLook?.({
      seconds: (Date.now() - journal.startedAt) / 1_000,
      done: new Map(providers.map((served) => [effectOf(options, served), served.counts.size])),
      killed: run.carried.stats.kill,
      left,
      isWaiting: depths.every(({ ready }) => ready === 0) && engine.sandboxes.busy === 0,
    });
    await sleep(BETWEEN_LOOKS_MS);
  }
}

/** The effect that a provider counts, or its own name. */
function effectOf({ effects = {} }: RehearsalOptions, { name, provider }: ServedProvider): string {
  return Object.keys(effects).find((effect) => effects[effect] === provider) ?? name;
}

/** Deploys each time that another share of the intents has reached a function. */
function deployInTraffic({ plan, engine, journal, intents, deployments }: Run): AbortController {
  const stopped = new AbortController();
  const { deploy: wanted } = plan.faults;
  const watch = async () => {
    for (let done = 0; done < wanted && !stopped.signal.aborted; ) {
      await sleep(20);
      const reached = new Set(journal.entries.flatMap((entry) => (entry.kind === 'began' ? entry.intents : [])));
      if (reached.size === 0 || reached.size < (intents.all.size * (done + 1)) / (wanted + 1)) continue;
      const { what, bundleFor } = deployments[done] ?? SAME_CODE;
      await engine.deploy(bundleFor);
      done += 1;
      journal.add([], { kind: 'deployed', what });
    }
  };
  watch().catch(() => undefined);
  return stopped;
}

async function resultOf(run: Run, left: number): Promise<RehearsalResult> {
  const { options, plan, intents, journal, providers, engine, traffic, carried, shortened } = run;
  const effects = options.effects ?? options.providers ?? {};
  const ofProvider = (provider: Provider) =>
    providers.find((served) => served.provider === provider)?.counts ?? new Map<string, number>();
  const counts = await countEffects(effects, traffic.app, ofProvider);
  const findings = (await options.check?.(traffic.app)) ?? [];
  const claims = await findClaims(
    engine.dynamo,
    engine.stacks.flatMap(({ tables }) => tables.map(({ name }) => name)),
  );
  const parked = new Set([...claims.parked].flatMap((id) => intents.namedIn(id)));
  const { deadLettered, deadLetters, waiting } = await whereMessagesAre(run);
  const verdicts = Object.keys(effects).map((effect) =>
    judge(effect, {
      sent: traffic.sent.values(),
      counts: counts.get(effect) ?? new Map(),
      expected: options.expect?.[effect],
      parked,
      deadLettered,
      waiting,
    }),
  );
  const harmed = verdicts.flatMap((verdict) =>
    harmedOf(verdict, counts.get(verdict.effect) ?? new Map(), journal, deadLettered),
  );
  const stats = consumersOf(engine).map((consumer) => consumer.stats);
  const byProvider = (pick: (stats: ServedProvider['stats']) => number) =>
    Object.fromEntries(
      providers.filter((served) => pick(served.stats) > 0).map((served) => [served.name, pick(served.stats)]),
    );
  return {
    seed: plan.seed,
    good: verdicts.every(isClean) && findings.length === 0 && left === 0,
    effects: verdicts,
    harmed,
    story: run.run.story === undefined ? undefined : { intent: run.run.story, lines: storyOf(run.run.story, journal) },
    findings,
    hints: hintsFor({
      harmed,
      verdicts,
      journal,
      consumers: consumersOf(engine),
      hasClaims: claims.tables.length > 0,
      shortened,
    }),
    intents: traffic.sent.size,
    messages: traffic.stats.messages,
    duplicates: traffic.stats.duplicates,
    deliveries: stats.reduce((sum, { deliveries }) => sum + deliveries, 0),
    redeliveries: stats.reduce((sum, { redeliveries }) => sum + redeliveries, 0),
    faults: { ...carried.stats },
    planned: plan.faults,
    deployments: journal.count('deployed'),
    sandboxes: {
      started: engine.sandboxes.started,
      killed: engine.sandboxes.killed,
      timedOut: engine.sandboxes.timedOut,
    },
    unattributed: byProvider(({ unattributed }) => unattributed),
    repeatedKeys: byProvider(({ repeated }) => repeated),
    deadLettered: deadLetters,
    parkedClaims: claims.parked.size,
    hasClaims: claims.tables.length > 0,
    left,
    shortened,
    seconds: (Date.now() - journal.startedAt) / 1_000,
  };
}

/** Which intents have a message in a dead-letter queue, and which one on another queue. */
async function whereMessagesAre({ engine, intents }: Run) {
  const queues = engine.stacks.flatMap((stack) => stack.queues);
  const deadLetterArns = new Set(queues.map(({ deadLetterArn }) => deadLetterArn));
  const deadLettered = new Set<string>();
  const waiting = new Set<string>();
  let deadLetters = 0;
  for (const { name, arn } of queues) {
    const isDeadLetter = deadLetterArns.has(arn);
    for (const { body } of await engine.sqs.messages(name)) {
      if (isDeadLetter) deadLetters += 1;
      for (const intent of intents.namedIn(body)) (isDeadLetter ? deadLettered : waiting).add(intent);
    }
  }
  return { deadLettered, deadLetters, waiting };
}

function harmedOf(
  { effect, doubled, lost, unfinished }: EffectVerdict,
  counts: ReadonlyMap<string, number>,
  journal: Journal,
  deadLettered: ReadonlySet<string>,
): readonly Harmed[] {
  const of = (problem: Harmed['problem'], list: readonly string[]) =>
    list.map((intent) => {
      const times = counts.get(intent) ?? 0;
      const where = deadLettered.has(intent) ? '; its message is in a dead-letter queue' : '';
      const end = `${effect} × ${times}: ${problem}${where}`;
      return { effect, intent, problem, times, story: storyOf(intent, journal, end) };
    });
  return [...of('doubled', doubled), ...of('lost', lost), ...of('unfinished', unfinished)];
}
