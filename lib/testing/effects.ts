import type { SweptMessage } from './traffic.ts';

/** How often an effect has happened; of several effects of one message, how often each. */
export type EffectCount = number | Readonly<Record<string, number>>;

/** How often it ought to have; or that the message belongs in the dead-letter queue. */
export type Expected = EffectCount | 'dead-letter';

/** Effects by their names. */
export type Counts = Readonly<Record<string, number>>;

/** How often each effect happened, as a count or as counts by name. @throws TypeError when it is neither */
export function countsOf(counted: EffectCount, message: SweptMessage): Counts {
  return checked('effects', counted, message);
}

/** How often each of these effects ought to have happened. @throws TypeError when it is no count */
export function wantedOf(expected: Expected, counts: Counts, message: SweptMessage): Counts {
  const all = (count: number) => Object.fromEntries(Object.keys(counts).map((name) => [name, count]));
  if (expected === 'dead-letter') return all(0);
  if (typeof expected === 'number') return all(checked('expected', expected, message)['effect'] ?? 1);
  return { ...all(1), ...checked('expected', expected, message) };
}

/** A count that is none, such as `NaN`, is neither too small nor too large: it would let every handler pass. */
function checked(option: 'effects' | 'expected', counted: unknown, message: SweptMessage): Counts {
  const named = typeof counted === 'number' ? { effect: counted } : counted;
  const entries: readonly [string, unknown][] = isRecord(named) ? Object.entries(named) : [];
  const wrong = entries.find(([, count]) => !isCount(count));
  const counts = entries.flatMap(([name, count]): readonly [string, number][] =>
    isCount(count) ? [[name, count]] : [],
  );
  if (counts.length > 0 && wrong === undefined) return Object.fromEntries(counts);
  const got = wrong ? `${wrong[0]}: ${String(wrong[1])}` : named instanceof Promise ? 'a promise' : 'no count';
  throw new TypeError(
    `${option}: expected a whole number, 0 or more, or one for each effect by its name, e.g. { mail: 1, points: 1 }; ` +
      `got ${got}, for the message ${JSON.stringify(message.body)?.slice(0, 100)}`,
  );
}

const isCount = (count: unknown): count is number =>
  typeof count === 'number' && Number.isSafeInteger(count) && count >= 0;

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;
