import { explained } from '../kernel/error-code.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { nearestOf } from '../kernel/unknown-option.ts';
import type { Verdict } from './claim.ts';

/** What `ask` returned, of a claim or of a step. */
export interface Said {
  readonly verdict: Verdict['verdict'];
  readonly result?: unknown;
  /** Why it is no verdict. What is none is inconclusive: it says nothing of the effect. */
  readonly mistake?: string;
}

const verdicts = ['applied', 'not-applied', 'inconclusive'] as const;

/** The verdict in what `ask` returned. What is none is not quoted: it may be the provider's response. */
export function verdictIn(returned: unknown): Said {
  const given = propertyOf(returned, 'verdict');
  const verdict = verdicts.find((one) => one === given);
  if (verdict !== undefined) return { verdict, result: propertyOf(returned, 'result') };
  const nearest = typeof given === 'string' ? nearestOf(given, verdicts) : undefined;
  const came = given === undefined ? 'a value without a verdict' : 'another verdict';
  const toDo = nearest === undefined ? '' : `. Did you mean '${nearest}'?`;
  const expected = `{ verdict: ${verdicts.map((one) => `'${one}'`).join(' | ')} }`;
  const mistake = explained(`ask: expected ${expected}; it returned ${came}${toDo}`, 'author-error');
  return { verdict: 'inconclusive', mistake };
}
