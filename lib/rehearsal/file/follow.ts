import type { EffectOverTime, HarmedView, RehearsalView, ReportView, Sample } from '@pawl/cli';
import { isCountedLive } from './effects.ts';
import { sayFailing } from './failing.ts';
import { functionsAtWork } from './functions-at-work.ts';
import type { Entry } from './journal.ts';
import { createMarks } from './marks.ts';
import type { RehearsalResult } from './result.ts';
import type { Look, Running, RunOptions } from './running.ts';
import { eventsLeft } from './settle.ts';
import { functionsWith, standingOf } from './standing.ts';
import { storyOf } from './story.ts';

/*
 * Watches a rehearsal while it runs, for a page.
 *
 * Owns: what is looked at and how often, and what of it may be shown. Does not own: what became of an effect, which the judge of the report decides here as
 * well; and how it looks.
 *
 * 1. It only reads: a rehearsal that is watched comes to the same result.
 * 2. It says nothing of what a message, a record or a response holds.
 */

/** What a follower has to hear of a run. */
export type RunHooks = Required<Pick<RunOptions, 'onStarting' | 'onUp' | 'onLook' | 'onResult'>>;

/** Shows the newest of the runs that it is told of. */
export interface Follower {
  /** A new run begins. What is known of the one before it is forgotten. */
  begin(run: { readonly title: string; readonly seed: number }): RunHooks;
  /** The run that has begun last could not run, or was ended. */
  fail(why: string): void;
  /** `undefined` before the first run. */
  view(): RehearsalView | undefined;
  /** `undefined` until the run has ended. */
  report(): ReportView | undefined;
}

/** One count of an effect. Its deliveries are counted when they are shown: which functions have the effect is known only later. */
type Counts = Omit<Sample, 'deliveries'>;

interface Followed {
  readonly run: number;
  readonly title: string;
  readonly seed: number;
  readonly startedAt: number;
  readonly marks: ReturnType<typeof createMarks>;
  readonly counts: Map<string, Counts[]>;
  readonly owed: Map<string, number>;
  state: RehearsalView['state'];
  doing: string;
  running: Running | undefined;
  result: RehearsalResult | undefined;
  look: Look | undefined;
  isCounting: boolean;
  timer: NodeJS.Timeout | undefined;
}

const betweenSamplesMs = 1_000;
/** More than a page is wide. Of a run that takes longer, every second sample is dropped. */
const mostSamples = 600;
/** What a page gets of the marks at each look. */
const mostMarks = 1_000;
/** For how long nothing may have happened to an intent that is lost so far: a retry or a message may be on its way. */
const quietMs = 2_000;

export function followRuns(now: () => number = Date.now): Follower {
  let followed: Followed | undefined;
  let runs = 0;
  return {
    begin({ title, seed }) {
      clearInterval(followed?.timer);
      runs += 1;
      const own: Followed = {
        ...{ run: runs, title, seed, startedAt: now(), state: 'starting', doing: 'starting' },
        ...{ marks: createMarks(), counts: new Map(), owed: new Map() },
        ...{ running: undefined, result: undefined, look: undefined, isCounting: false, timer: undefined },
      };
      followed = own;
      return {
        onStarting(what) {
          own.doing = what;
        },
        onUp(running) {
          own.running = running;
          own.state = 'running';
          own.timer = setInterval(() => void sample(own, now), betweenSamplesMs);
          own.timer.unref();
        },
        onLook(look) {
          own.look = look;
          const usual = look.isWaiting
            ? 'waiting for messages to become visible again'
            : 'sending the traffic, and handling it';
          own.doing = sayFailing(look.failing) || usual;
        },
        onResult(result) {
          clearInterval(own.timer);
          conclude(own, result, now());
        },
      };
    },
    fail(why) {
      if (followed === undefined || followed.state === 'ended' || followed.state === 'failed') return;
      clearInterval(followed.timer);
      followed.state = 'failed';
      followed.doing = why;
    },
    view: () => followed && viewOf(followed, now()),
    report: () => followed?.result && reportOf(followed, followed.result),
  };
}

/** Counts what can be counted in mid-traffic. What cannot be read now is read at the next look. */
async function sample(followed: Followed, now: () => number): Promise<void> {
  const { running } = followed;
  // A look that takes long is not overtaken by the next one.
  if (running === undefined || followed.state !== 'running' || followed.isCounting) return;
  followed.isCounting = true;
  const effects = Object.fromEntries(
    Object.entries(effectsOf(running)).filter(([, counted]) => isCountedLive(counted)),
  );
  try {
    const [{ verdicts }, events] = await Promise.all([standingOf(running, effects), eventsLeft(running.engine)]);
    // The result came first: it has the last word.
    if (followed.state !== 'running') return;
    const at = now();
    for (const { effect, intents, done, doubled, lost } of verdicts) {
      followed.owed.set(effect, intents);
      const soFar = lostSoFar(lost, { entries: running.journal.entries, at, events });
      add(followed, effect, { at, done, doubled: doubled.length, ...soFar });
    }
  } catch {
    // A table that is just being written to or deleted. The result does not depend on it.
  } finally {
    followed.isCounting = false;
  }
}

function add({ counts }: Followed, effect: string, one: Counts): void {
  const all = counts.get(effect) ?? [];
  all.push(one);
  counts.set(effect, all.length > mostSamples ? all.filter((_, index) => index % 2 === all.length % 2) : all);
}

/**
 * How many of those without their effect are lost so far, and how many no function has had yet. Of the others, something is still under way.
 *
 * @param events how many events are not done with, of which it is not known what they are about
 */
export function lostSoFar(
  lost: readonly string[],
  { entries, at, events }: { readonly entries: readonly Entry[]; readonly at: number; readonly events: number },
): { readonly lost: number; readonly toCome: number } {
  const begun = begunIn(entries);
  const handled = lost.filter((intent) => begun.has(intent));
  const isOver = events > 0 ? () => false : overBy(entries, at - quietMs);
  return { lost: handled.filter(isOver).length, toCome: lost.length - handled.length };
}

/** The intents that a function has had, or that a filter has kept from it. */
function begunIn(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) => (entry.kind === 'began' || entry.kind === 'filtered-out' ? entry.intents : [])),
  );
}

/** Whether an intent is at rest: no sandbox is at work on it, and nothing has happened to it since a time. */
function overBy(entries: readonly Entry[], since: number): (intent: string) => boolean {
  const recent = new Set<string>();
  const atWork = new Map<string, readonly string[]>();
  for (const entry of entries) {
    if (entry.kind === 'began') atWork.set(entry.sandbox, entry.intents);
    if (entry.kind === 'ended') atWork.delete(entry.sandbox);
    if (entry.at > since) for (const intent of entry.intents) recent.add(intent);
  }
  const busy = new Set([...atWork.values()].flat());
  return (intent) => !recent.has(intent) && !busy.has(intent);
}

function conclude(followed: Followed, result: RehearsalResult, at: number): void {
  followed.result = result;
  followed.state = 'ended';
  followed.doing = 'ended';
  for (const { effect, intents, done, doubled, lost } of result.effects) {
    followed.owed.set(effect, intents);
    add(followed, effect, { at, done, doubled: doubled.length, lost: lost.length, toCome: 0 });
  }
}

function effectsOf({ options }: Running) {
  return options.effects ?? options.providers ?? {};
}

function viewOf(followed: Followed, at: number): RehearsalView {
  const { run, title, seed, state, doing, startedAt, running, look, marks } = followed;
  const all = marks.of(running?.journal.entries ?? []);
  return {
    ...{ run, title, seed, state, doing, at, startedAt },
    trafficAt: running && running.journal.entries.length > 0 ? running.journal.startedAt : undefined,
    messages: running?.traffic.stats.messages ?? 0,
    left: followed.result?.left ?? look?.left ?? 0,
    killed: running?.engine.sandboxes.killed ?? 0,
    effects: running === undefined ? [] : effectsOverTime(followed, running),
    marks: all.slice(-mostMarks),
    marksInAll: all.length,
  };
}

function effectsOverTime({ counts, owed }: Followed, running: Running): readonly EffectOverTime[] {
  const { journal, providers, traffic } = running;
  const atWork = functionsAtWork(journal);
  const began = journal.entries.filter((entry) => entry.kind === 'began');
  return Object.entries(effectsOf(running)).map(([effect, counted]) => {
    const functions = functionsWith(counted, providers, atWork);
    const isOwed = (intent: string) =>
      traffic.sent.get(intent)?.some(({ effects }) => effects === undefined || effects.includes(effect)) ?? false;
    const times = began
      .filter(({ construct }) => functions.size === 0 || functions.has(construct))
      .flatMap(({ at, intents }) => intents.filter(isOwed).map(() => at));
    return {
      effect,
      owed: owed.get(effect) ?? 0,
      isLive: isCountedLive(counted),
      samples: withDeliveries(counts.get(effect) ?? [], times),
    };
  });
}

/** @param times of the deliveries, in order */
function withDeliveries(counts: readonly Counts[], times: readonly number[]): readonly Sample[] {
  let deliveries = 0;
  return counts.map((one) => {
    while (deliveries < times.length && (times[deliveries] ?? 0) <= one.at) deliveries += 1;
    return { ...one, deliveries };
  });
}

function reportOf({ run, running }: Followed, result: RehearsalResult): ReportView {
  const { good, noVerdict, seconds, effects, empty, untested, notJudged, harmed, findings, hints } = result;
  return {
    ...{ run, good, noVerdict, seconds, empty, untested, notJudged, findings },
    effects: effects.map(({ doubled, lost, unfinished, parked, setAside, notOwed, uncounted, unjudged, ...own }) => ({
      ...own,
      ...{ doubled: doubled.length, lost: lost.length, unfinished: unfinished.length },
      ...{ parked: parked.length, setAside: setAside.length, notOwed: notOwed.length },
      ...{ uncounted: uncounted.length, unjudged: unjudged.length },
    })),
    harmed: harmed.map(({ effect, intent, problem, times, story }): HarmedView => {
      const told = running === undefined ? [] : storyOf(intent, running.journal, undefined, 'hidden');
      return { effect, intent, problem, times, story: [...told, ...story.slice(-1)] };
    }),
    hints: hints.map(({ text, intents }) => ({ text, intents })),
  };
}
