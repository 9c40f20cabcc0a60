import type { RuleName, wiringRules } from './wiring-rules.ts';

/** A broken rule. */
export interface Problem {
  readonly rule: RuleName;
  /** A problem is refused. A warning is for what may be intended. */
  readonly level: 'problem' | 'warning';
  /** What is wrong, with the numbers; what was expected; what to do. */
  readonly text: string;
}

type Level<Name extends RuleName> = (typeof wiringRules)[Name]['level'];
type NamesAt<Wanted extends Problem['level']> = {
  [Name in RuleName]: Level<Name> extends Wanted ? Name : never;
}[RuleName];

export function refusal(rule: NamesAt<'problem'>, text: string): Problem {
  return { rule, level: 'problem', text };
}

export function warned(rule: NamesAt<'warning'>, text: string): Problem {
  return { rule, level: 'warning', text };
}

/** Seconds as people read them: whole days as days. */
export function span(seconds: number): string {
  const days = seconds / 86_400;
  if (!Number.isInteger(days)) return `${seconds} s`;
  return days === 1 ? '1 day' : `${days} days`;
}
