import type { Sent } from './sending.ts';

/** What became of one effect, over all intents. Each intent is in one list only. */
export interface EffectVerdict {
  readonly effect: string;
  /** How many intents are to have it. */
  readonly intents: number;
  /** As often as it was to happen. */
  readonly done: number;
  /** Those of the done that have not had it, and need not: `at-most-once`. */
  readonly absent: number;
  /** Happened more often than it was to. */
  readonly doubled: readonly string[];
  /** Has not happened, and nothing is left that would make it happen. */
  readonly lost: readonly string[];
  /** Not seen, and a call for it may have named no intent: whether it has happened cannot be said. */
  readonly uncounted: readonly string[];
  /** Has not happened yet, and its message was still on a queue when the time was up. */
  readonly unfinished: readonly string[];
  /** Waits for an operator, in a claim. */
  readonly parked: readonly string[];
  /** Has not happened, and its message is in a dead-letter queue. */
  readonly setAside: readonly string[];
  /** Has not happened, and the client knows that, or knows that it does not know: it was refused, or gave up. */
  readonly notOwed: readonly string[];
  /** Came to harm, and nobody can say by whom: the machine had not given a function its time, or the rehearsal had shortened it. */
  readonly unjudged: readonly string[];
}

/** How often an effect is to happen for an intent. */
export type Expected = number | 'at-most-once' | 'at-least-once';

export interface Evidence {
  /** All sends. The effect is owed if one of those that are to have it was accepted. */
  readonly sent: Iterable<Sent>;
  /** How often the effect happened, by intent. */
  readonly counts: ReadonlyMap<string, number>;
  readonly expected: ((intent: string) => Expected) | undefined;
  readonly parked: ReadonlySet<string>;
  readonly deadLettered: ReadonlySet<string>;
  /** Intents of which a message is still on a queue. */
  readonly waiting: ReadonlySet<string>;
  /** Intents of which the machine did not give a function its time. */
  readonly starved: ReadonlySet<string>;
  /** Intents of which a function had a good part less of its time. */
  readonly slowed: ReadonlySet<string>;
  /** Intents of which an invocation ended at a timeout that the rehearsal had made shorter. */
  readonly cutShort: ReadonlySet<string>;
  /** Whether the rehearsal has waited for the queues in vain, since the machine did not give it the time. */
  readonly hasRunOut: boolean;
  /** Whether the machine was too slow to go on: what has not happened shows nothing. */
  readonly isCutOff: boolean;
}

type Fate = 'done' | 'absent' | 'doubled' | 'lost' | 'unfinished' | 'parked' | 'setAside' | 'notOwed' | 'unjudged';

/** Compares how often an effect happened with how often it was to happen. */
export function judge(effect: string, evidence: Evidence): EffectVerdict {
  const fates = new Map<Fate, string[]>();
  let intents = 0;
  const known = Map.groupBy(evidence.sent, ({ intent }) => intent);
  for (const [intent, sends] of known) {
    const fate = excused(fateOf(effect, intent, sends, evidence), intent, evidence);
    if (fate === undefined) continue;
    intents += 1;
    const found = fates.get(fate);
    if (found === undefined) fates.set(fate, [intent]);
    else found.push(intent);
  }
  // What was never asked for has happened.
  const strangers = [...evidence.counts].filter(([intent, count]) => count > 0 && !known.has(intent));
  const list = (fate: Fate) => fates.get(fate) ?? [];
  return {
    effect,
    intents,
    done: list('done').length + list('absent').length,
    absent: list('absent').length,
    doubled: [...list('doubled'), ...strangers.map(([intent]) => intent)],
    lost: list('lost'),
    uncounted: [],
    unfinished: list('unfinished'),
    parked: list('parked'),
    setAside: list('setAside'),
    notOwed: list('notOwed'),
    unjudged: list('unjudged'),
  };
}

/** `undefined`: the intent is not to have this effect, and does not. */
function fateOf(effect: string, intent: string, sends: readonly Sent[], evidence: Evidence): Fate | undefined {
  const asking = sends.filter(({ effects }) => effects === undefined || effects.includes(effect));
  const wanted = asking.length > 0 ? (evidence.expected?.(intent) ?? 1) : 0;
  const times = evidence.counts.get(intent) ?? 0;
  if (wanted === 'at-least-once' && times > 0) return 'done';
  if (wanted !== 'at-least-once' && times > (wanted === 'at-most-once' ? 1 : wanted)) return 'doubled';
  if (wanted === 'at-most-once') return times === 0 ? 'absent' : 'done';
  if (times === wanted) return wanted === 0 ? undefined : 'done';
  if (evidence.parked.has(intent)) return 'parked';
  if (evidence.deadLettered.has(intent)) return 'setAside';
  if (evidence.waiting.has(intent)) return 'unfinished';
  return asking.some(({ ended }) => ended === 'sent') ? 'lost' : 'notOwed';
}

/** What the machine may have done, or a shortened timeout, is not held against the app. */
function excused(fate: Fate | undefined, intent: string, evidence: Evidence): Fate | undefined {
  const { starved, slowed, cutShort, hasRunOut, isCutOff } = evidence;
  const isMissing = fate === 'lost' || fate === 'unfinished';
  const isHarm = isMissing || fate === 'doubled';
  const hadNoTime = (fate === 'unfinished' && (hasRunOut || slowed.has(intent))) || (isMissing && isCutOff);
  return (isHarm && (starved.has(intent) || cutShort.has(intent))) || hadNoTime ? 'unjudged' : fate;
}

/** Whether nothing doubled, nothing was lost, nothing is unfinished, and all could be counted. */
export function isClean({ doubled, lost, unfinished, uncounted }: EffectVerdict): boolean {
  return doubled.length + lost.length + unfinished.length + uncounted.length === 0;
}

/**
 * Why a run shows nothing, although nothing in it went wrong. A traffic that sends nothing, a function that always fails, or an address that no
 * route has would otherwise pass.
 */
export function emptiness(
  verdicts: readonly EffectVerdict[],
  { sent, expectsSome }: { readonly sent: number; readonly expectsSome: boolean },
): readonly string[] {
  if (sent === 0) return ['The traffic has sent nothing.'];
  if (expectsSome && verdicts.every((verdict) => verdict.intents === 0 && isClean(verdict))) {
    return ['No intent of the traffic is to have an effect.'];
  }
  return verdicts
    .filter((verdict) => verdict.intents > 0 && verdict.done === verdict.absent && isClean(verdict))
    .filter(({ unjudged }) => unjudged.length === 0)
    .map(({ effect, intents, notOwed, setAside, parked }) => {
      const none =
        intents === 1
          ? `The one intent that is to have the effect ${effect} has not had it.`
          : `Of ${intents} intents that are to have the effect ${effect}, none has had it.`;
      const [first] = [...notOwed, ...setAside, ...parked];
      return first === undefined ? none : `${none} What became of one: --story ${first}`;
    });
}
