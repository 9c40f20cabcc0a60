import { setTimeout as sleep } from 'node:timers/promises';
import { messagesIn } from '../engine/servers/sqs-local.ts';
import { type Time, timeOf } from '../engine/time.ts';
import type { MachineTooSlowError } from '../engine/too-slow.ts';
import type { Poller } from '../rehearsal.ts';
import type { RehearsalOptions } from './define.ts';
import { deployInTraffic } from './deployments.ts';
import { type Failing, failuresInARow, isHopeless, keepsFailing, sayFailing } from './failing.ts';
import type { Journal } from './journal.ts';
import { consumersOf, type Running, streamConsumersOf } from './running.ts';
import type { ServedProvider } from './serve-provider.ts';
import { short } from './story.ts';

/** Sends the traffic, waits until all is quiet or the time is up, and does what is to be done afterwards. */
export async function goThrough(run: Running): Promise<Settled> {
  const { options, traffic } = run;
  const going = new AbortController();
  // It may fail only if the rehearsal does.
  deployInTraffic(run, going.signal).catch(() => undefined);
  try {
    run.run.onStarting?.('sending the traffic');
    const sending = send(run);
    let settled = await Promise.race([settle(run, going.signal, sending), rejectionOf(sending.done)]);
    await sending.done;
    for (const step of options.afterwards ?? []) {
      // What is still on a queue is not over: there is no afterwards.
      if (settled.left > 0) break;
      if ((await step(traffic.app)) !== false) settled = await settle(run, going.signal, sending);
      await traffic.settled();
    }
    return settled;
  } finally {
    going.abort();
  }
}

/** Where a run stands when it has ended. */
export interface Settled {
  /** How many messages are left. */
  readonly left: number;
  /** Whether it did not have the time that it waits, since the machine did not give it. */
  readonly hasRunOut: boolean;
  /** Why it was waited no longer for what is left, before the time was up. */
  readonly gaveUp?: string;
  /** That the machine was too slow to go on. */
  readonly tooSlow?: MachineTooSlowError;
}

/** Where a run stands that the machine was too slow to go on with. */
export async function cutOff({ engine }: Running, tooSlow: MachineTooSlowError): Promise<Settled> {
  return { left: (await leftAt(engine)).left, hasRunOut: true, tooSlow };
}

/** How many messages, records and events are not done with; and of the messages, how many each consumer has. */
async function leftAt(engine: Running['engine']) {
  const consumers = consumersOf(engine);
  const depths = await Promise.all(consumers.map(({ queue }) => engine.sqs.depth(queue.name)));
  const left = depths.reduce((sum, depth) => sum + messagesIn(depth), 0) + (await eventsLeft(engine));
  return { consumers, depths, left };
}

/** The sending of the traffic. */
interface Sent {
  /** Whether the function of the file has ended. What it has begun to send may still be under way. */
  hasReturned: boolean;
  readonly done: Promise<void>;
}

function send({ options, traffic }: Running): Sent {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sending: Sent = { hasReturned: false, done: promise };
  const go = async () => {
    const returned = await options.traffic(traffic.app);
    // What `times` returns: what waits before it sends would otherwise come to a rehearsal that is over. The sends themselves are waited for below.
    if (Array.isArray(returned)) await Promise.all(returned.filter((one) => !traffic.isSend(one)));
    sending.hasReturned = true;
    await traffic.settled();
  };
  go().then(resolve, reject);
  return sending;
}

async function rejectionOf(promise: Promise<unknown>): Promise<never> {
  await promise;
  return new Promise(() => undefined);
}

/** How long it must have been quiet: what is between a queue and a function is in neither. */
const quietLooks = 3;
const betweenLooksMs = 250;

/**
 * When nothing has been under way for this share of the time that a rehearsal waits, hidden messages are not waited for: an app that backs off may hide
 * them for many minutes. By then no lease of a function that was under way is left.
 */
const idleShare = 1 / 4;

/** A sandbox that was stalled goes on after its invocation has ended: what it does late counts, too. */
const goesOnMs = 2_000;

function stallsEnd({ entries }: Journal): number {
  const ends = entries.map((entry) => (entry.kind === 'stalled' ? entry.at + entry.forMs + goesOnMs : 0));
  return ends.reduce((latest, end) => Math.max(latest, end), 0);
}

/** How many records of streams, and events of asynchronous invocations, are not done with. */
export async function eventsLeft(engine: Running['engine']): Promise<number> {
  const lags = await Promise.all(streamConsumersOf(engine).map((stream) => stream.lag()));
  return lags.reduce((sum, lag) => sum + lag, engine.pendingEvents());
}

async function settle(run: Running, signal: AbortSignal, sending: Sent): Promise<Settled> {
  const measure = run.engine.machine.measure();
  measure.follow('all');
  try {
    return await settleIn(run, signal, sending, (ms) => timeOf(measure, ms));
  } finally {
    measure.end();
  }
}

async function settleIn(
  run: Running,
  signal: AbortSignal,
  sending: Sent,
  within: (ms: number) => Time,
): Promise<Settled> {
  const { engine, traffic, options, journal, providers } = run;
  let time: Time | undefined;
  const waitMs = (options.settleSeconds ?? 120) * 1_000;
  let quiet = 0;
  let before = -1;
  let changedAt = Date.now();
  for (;;) {
    const { consumers, depths, left } = await leftAt(engine);
    const begun = journal.entries.length;
    const isAtWork = traffic.pending() > 0 || engine.sandboxes.busy > 0;
    const isDone = sending.hasReturned && left === 0 && !isAtWork;
    const isQuiet = isDone && begun === before && Date.now() > stallsEnd(journal);
    if (begun !== before || isAtWork) changedAt = Date.now();
    before = begun;
    quiet = isQuiet ? quiet + 1 : 0;
    if (sending.hasReturned) time ??= within(waitMs);
    else if (Date.now() - changedAt > waitMs) throw new Error(trafficHangs(waitMs));
    if (quiet >= quietLooks || signal.aborted) return { left, hasRunOut: false };
    if (time !== undefined && time.leftMs() <= 0) return { left, hasRunOut: time.isStarved() };
    const failing = failingAt(consumers, depths.map(messagesIn), journal);
    if (sending.hasReturned && traffic.pending() === 0 && isHopeless(failing, left)) {
      return { left, hasRunOut: false, gaveUp: sayFailing(failing) };
    }
    const isIdle = !isAtWork && depths.every(({ ready }) => ready === 0) && Date.now() > stallsEnd(journal);
    if (sending.hasReturned && left > 0 && isIdle && Date.now() - changedAt >= waitMs * idleShare) {
      const forMs = engine.sqs.passTime();
      if (forMs > 0) journal.add([], { kind: 'passed', forMs });
    }
    run.run.onLook?.({
      seconds: (Date.now() - run.begunAt) / 1_000,
      done: new Map(providers.map((served) => [effectOf(options, served), served.counts.size])),
      killed: run.carried.stats.kill,
      left,
      isWaiting: depths.every(({ ready }) => ready === 0) && engine.sandboxes.busy === 0,
      failing,
    });
    await sleep(betweenLooksMs);
  }
}

function failingAt(consumers: readonly Poller[], left: readonly number[], journal: Journal): readonly Failing[] {
  const rows = failuresInARow(journal);
  const now = Date.now();
  return consumers
    .map(({ queue, mapping }, index) => ({
      function: short(mapping.function.construct),
      times: rows.get(mapping.function.construct)?.times ?? 0,
      forMs: now - (rows.get(mapping.function.construct)?.since ?? now),
      visibilityTimeoutMs: queue.visibilitySeconds * 1_000,
      queue: short(queue.construct),
      messages: left[index] ?? 0,
      hasDeadLetters: queue.deadLetterArn !== undefined,
    }))
    .filter((one) => one.messages > 0 && one.times >= keepsFailing);
}

/** It would keep a run of CI until that is cancelled, without a word. */
function trafficHangs(waitMs: number): string {
  return `traffic: expected a promise that settles; nothing has happened for ${waitMs / 1_000} s, and it has not. If it waits on purpose, raise settleSeconds above its longest wait.`;
}

/** The effect that a provider counts, or its own name. */
export function effectOf({ effects = {} }: RehearsalOptions, { name, provider }: ServedProvider): string {
  return Object.keys(effects).find((effect) => effects[effect] === provider) ?? name;
}
