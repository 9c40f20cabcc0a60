import { type Counted, isCountedLive } from './effects.ts';
import { consumersOf, type Running, streamConsumersOf, tablesOf } from './running.ts';

/*
 * What a run shows nothing about. A fault that was planned and has never struck has shown nothing, and a run without findings would pass for more than
 * it is.
 */

export interface Untested {
  /** Why the run is not good: an effect was called for, and no fault could strike there. */
  readonly reasons: readonly string[];
  /** What else it shows nothing about. */
  readonly notes: readonly string[];
}

export function untestedBy(
  run: Pick<Running, 'options' | 'plan' | 'carried' | 'journal' | 'providers' | 'engine'>,
  effects: Readonly<Record<string, Counted>>,
): Untested {
  return { reasons: unknownCallers(run, effects), notes: [...neverStruck(run), ...elsewhere(run, effects)] };
}

/** The calls of an effect that came from no sandbox: none of them could be killed. */
export function unknownCallers(
  { plan, journal, providers }: Pick<Running, 'plan' | 'journal' | 'providers'>,
  effects: Readonly<Record<string, Counted>>,
): readonly string[] {
  if (plan.faults.kill + plan.faults.freeze === 0) return [];
  return providers.flatMap(({ name, provider }) => {
    const calls = journal.entries.filter((entry) => entry.kind === 'called' && entry.provider === name);
    const isKnown = calls.some((entry) => entry.kind === 'called' && entry.sandbox !== undefined);
    if (calls.length === 0 || isKnown || !Object.values(effects).includes(provider)) return [];
    return [
      `No kill could strike at the calls of ${name}: they came to an address that is not in the environment of the functions, so that the rehearsal does not know which sandbox called. Let the functions read the address from ${name}.`,
    ];
  });
}

const said = {
  kill: 'no moment that was drawn has come',
  freeze: 'no moment that was drawn has come',
  redeliver: 'no message was handled for which it was drawn',
  loseAnswer: 'no function wrote to DynamoDB as often as was drawn',
  throttle: 'no function asked DynamoDB as often as was drawn',
  provider: 'no provider was called for an intent for which it was drawn',
  ttl: 'no message was handled for which it was drawn',
  indexLag: 'no function read in an index what it was drawn for',
} as const;

/** Faults that were due and have not struck, in an app that has the place for them. */
function neverStruck({
  options,
  carried,
  engine,
  providers,
}: Pick<Running, 'options' | 'carried' | 'engine' | 'providers'>) {
  const hasQueue = consumersOf(engine).length > 0;
  const hasRecords = hasQueue || streamConsumersOf(engine).length > 0;
  const hasTable = tablesOf(engine).length > 0;
  const hasPlace = {
    ...{ kill: true, freeze: true, redeliver: hasRecords, loseAnswer: hasTable, throttle: hasTable },
    ...{ provider: providers.length > 0, ttl: hasQueue, indexLag: carried.readsIndex() },
  };
  return Object.entries(said).flatMap(([name, why]) => {
    const fault = name as keyof typeof said;
    // What the author has asked for by name is told in any case.
    const isAsked = options.faults !== undefined;
    if (carried.stats[fault] > 0 || carried.planned[fault] === 0 || !(hasPlace[fault] || isAsked)) return [];
    return [
      `${fault}: ${carried.planned[fault]} planned, none has struck: ${hasPlace[fault] ? why : 'the app has no place for it'}.`,
    ];
  });
}

/** Effects that no provider of the rehearsal has. */
function elsewhere({ plan }: Pick<Running, 'plan'>, effects: Readonly<Record<string, Counted>>): readonly string[] {
  if (plan.faults.kill + plan.faults.provider === 0) return [];
  return Object.entries(effects)
    .filter(([, counted]) => !isCountedLive(counted))
    .map(
      ([effect]) =>
        `${effect}: a function of the file counts it. If a server of your own has the effect, no kill strikes at a call of it, and no fault of \`provider\` happens there: httpProvider has both.`,
    );
}
