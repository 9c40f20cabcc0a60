import { isPromise } from './callable.ts';
import { type OptionRows, queueOptions, requestOptions } from './door-options.ts';
import { pageAt } from './error-code.ts';
import { OptionError } from './errors.ts';
import { type Names, type TakenOptions, unknownOptions } from './unknown-option.ts';

/** The options that other doors take and this one does not, and why it has no use for each. */
export function ofOtherDoors(known: Names): Readonly<Record<string, string>> {
  const of = (rows: OptionRows, who: string) =>
    Object.entries(rows)
      .filter(([name]) => !Object.hasOwn(known, name))
      .map(([name, row]) => [name, 'elsewhere' in row ? row.elsewhere : `it is an option of ${who}; leave it out`]);
  return Object.fromEntries([...of(queueOptions, 'consumers of SQS'), ...of(requestOptions, 'HTTP')]);
}

/** Options of what can only be watched where pawl itself writes or sends nothing. */
const notOnlyWatched = 'pawl itself writes or sends what the author asks for, and cannot only watch that; leave it out';
export const ofObserve = { mode: notOnlyWatched, enforce: notOnlyWatched, observeWaitMs: notOnlyWatched };

export interface Taken extends TakenOptions {
  /** Options of other doors, and why this one has no use for each. Given as `undefined`, they are ignored. */
  readonly refused?: Readonly<Record<string, string>>;
  /**
   * Whether an option may stand on the prototype. A message or a call may be an instance of the author's own class, with getters; it is read where it
   * is used. Options of a set-up are copied, and a copy has own properties only.
   * @default 'refused'
   */
  readonly inherited?: 'refused' | 'taken';
}

/**
 * Refuses the options that a door does not take. Ignored, a misspelt lease or policy would be a promise that nothing keeps.
 *
 * @param options as the caller gave them, nested ones by themselves
 * @throws OptionError that names the option, and the reason or the nearest known name
 */
export function expectOptions(options: object, { refused = {}, inherited = 'refused', ...taken }: Taken): void {
  const { door, within = 'options' } = taken;
  const given: object = options;
  const came = otherThanOptions(given);
  if (came !== undefined) {
    throw new OptionError(`${door}: expected ${within} to be an object; got ${came}. See ${pageAt(taken.docs)}.`);
  }
  for (const [name, why] of Object.entries(refused)) {
    if (Object.hasOwn(given, name) && isGiven(given, name)) {
      throw new OptionError(`${name}: ${door} does not take it: ${why}`, 'other-door');
    }
  }
  const foreign = Object.keys(taken.known).find((name) => !Object.hasOwn(given, name) && isGiven(given, name));
  if (inherited === 'refused' && foreign !== undefined) {
    throw new OptionError(
      `${foreign}: ${door} found it on the prototype of ${within}; expected a property of the ${within} themselves. See ${pageAt(taken.docs)}.`,
    );
  }
  const ours = Object.entries(given).filter(([name]) => !Object.hasOwn(refused, name));
  // What is refused is no advice.
  const known = Object.fromEntries(Object.entries(taken.known).filter(([name]) => !Object.hasOwn(refused, name)));
  const problems = unknownOptions(Object.fromEntries(ours), { ...taken, known });
  if (problems.length > 0) throw new OptionError(problems.join(' '), 'unknown-option');
}

/** What came in place of options, if anything did. A list or a promise has no name that a door knows, so each option would have its default. */
function otherThanOptions(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return given === null ? 'null' : typeof given;
  if (Array.isArray(given)) return 'a list';
  return isPromise(given) ? 'a promise; await it first' : undefined;
}

function isGiven(options: object, name: string): boolean {
  return name in options && Reflect.get(options, name) !== undefined;
}
