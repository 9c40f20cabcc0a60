import { explained } from '../kernel/error-code.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { nearestOf } from '../kernel/unknown-option.ts';

/** What a provider says about an effect in doubt. */
export type Verdict =
  /** It happened. `result` is what the handler would have returned: the same type, which the compiler does not compare. Without it, a call of `once` throws `ResultNotKeptError`, unless its options have `recordResult: false`. */
  | { readonly verdict: 'applied'; readonly result?: unknown }
  /** It did not. Believed once `settleMs` have passed; then the handler runs. */
  | { readonly verdict: 'not-applied' }
  /** It cannot be said now. Asked again later; after `maxAbandoned` of these the claim is parked. */
  | { readonly verdict: 'inconclusive' };

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
