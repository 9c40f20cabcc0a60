import type { Poller } from '../rehearsal.ts';
import type { Entry, Journal, StoreWrite } from './journal.ts';
import type { EffectVerdict } from './judge.ts';
import type { Harmed, Hint } from './result.ts';
import type { Shortened } from './shorten.ts';

/** What the rules look at. */
export interface Facts {
  readonly harmed: readonly Harmed[];
  readonly verdicts: readonly EffectVerdict[];
  readonly journal: Journal;
  readonly consumers: readonly Poller[];
  /** Whether the app has a claims table of pawl. */
  readonly hasClaims: boolean;
  readonly shortened: readonly Shortened[];
  /** Whether a function has read a table, by its name. */
  readonly hasRead: (construct: string, table: string) => boolean;
  /** Whether a function may remember where no record is, such as in S3, or at the provider. */
  readonly mayRemember: (construct: string) => boolean;
  /** The table of which an effect counts the items; `undefined` if it is counted otherwise. */
  readonly tableOf: (effect: string) => string | undefined;
  /** The name of the provider that counts an effect, if nothing has called it at all. */
  readonly uncalledOf: (effect: string) => string | undefined;
}

/** An intent that came to harm, with what happened to it. */
export interface Case extends Harmed {
  readonly entries: readonly Entry[];
}

/** Whether a function looks at what it writes: at the write, or by a read of the table. What nothing looks at is a log, and remembers nothing. */
export function isLookedAt(
  { table, looks = false }: StoreWrite,
  construct: string,
  { hasRead }: Pick<Facts, 'hasRead'>,
): boolean {
  return looks || hasRead(construct, table);
}

/** One cause, and those that came to harm by it. If it is not sure, it returns nothing. */
export type Rule = (facts: Facts, cases: readonly Case[]) => readonly Hint[];

export const intentsOf = (cases: readonly Case[]) => [...new Set(cases.map(({ intent }) => intent))];

/** One hint about these cases, if there are any. */
export function about(name: string, cases: readonly Case[], text: string): readonly Hint[] {
  return cases.length === 0 ? [] : [{ name, text, intents: intentsOf(cases) }];
}
