import type { Problem } from '../wiring-problem.ts';

export type Level = 'ok' | 'problem' | 'warning' | 'unknown';

/** What a finding is about, as the report has it in a column. */
export type About =
  | 'wiring'
  | 'event source'
  | 'dead letters'
  | 'claims table'
  | 'permissions'
  | 'schedule'
  | 'silence'
  | 'operations'
  | 'outbox table'
  | 'ends';

/** One thing that was looked at. */
export interface Finding {
  readonly level: Level;
  /** The rule that is broken, as `docs/reference/wiring.md` names it. */
  readonly rule?: Problem['rule'];
  readonly about: About;
  /** Of level `ok`, what was seen. Otherwise what is wrong, with the numbers and the fix. */
  readonly text: string;
}

export function found(about: About, problems: readonly Problem[]): readonly Finding[] {
  return problems.map(({ rule, level, text }) => ({ level, rule, about, text }));
}

/** A fact that pawl could not read is neither good nor bad. */
export function unknown(about: About, text: string): Finding {
  return { level: 'unknown', about, text };
}

export function orOk(about: About, findings: readonly Finding[], seen: string): readonly Finding[] {
  return findings.length > 0 ? findings : [{ level: 'ok', about, text: seen }];
}
