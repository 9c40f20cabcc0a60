import { openStates } from 'pawl/internal';
import { propertyOf } from 'pawl/kernel';
import { keyAt, keyForms } from '../letter-key.ts';
import { type ClaimsFilter, findingActs, type PlanWanted, type SeenClaim, type Sort, sorts } from './api.ts';
import type { LetterFinder } from './letters.ts';

/** What a request asks for does not fit. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

/** @throws BadRequest */
export function textOf(body: unknown, name: string): string {
  const value = propertyOf(body, name);
  if (typeof value !== 'string' || value === '') throw new BadRequest(`${name} is missing.`);
  return value;
}

/** @throws BadRequest */
function textsOf(body: unknown, name: string): readonly string[] {
  const value = propertyOf(body, name);
  if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string')) return value;
  throw new BadRequest(`${name}: expected a list of texts.`);
}

/** The filter in the query of a URL, or in a body. @param read the value of a name */
export function filterOf(read: (name: string) => unknown): ClaimsFilter {
  const text = (name: string) => {
    const value = read(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    operation: text('operation'),
    state: openStates.find((state) => state === text('state')),
    reason: text('reason'),
    error: text('error'),
    q: text('q'),
  };
}

export function sortOf(text: string | null): Sort {
  return sorts.find((sort) => sort === text) ?? 'age';
}

/** How the claims of messages are found that do not name theirs. @throws BadRequest */
export function finderOf(body: unknown): LetterFinder | undefined {
  if (propertyOf(body, 'key') === undefined) return undefined;
  const key = keyAt(textOf(body, 'key'));
  if (key === undefined) throw new BadRequest(`key: expected ${keyForms}.`);
  return { operation: textOf(body, 'operation'), key };
}

/** A whole number within limits; else the first of them. */
export function countOf(
  text: string | null,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const value = Number(text ?? Number.NaN);
  return Number.isSafeInteger(value) ? Math.min(most, Math.max(least, value)) : least;
}

/** @throws BadRequest */
export function fenceOf(value: unknown): number {
  const fence = propertyOf(value, 'fence');
  if (typeof fence !== 'number') throw new BadRequest('fence is missing.');
  return fence;
}

/** @throws BadRequest */
function seenOf(name: string, listed: unknown): readonly SeenClaim[] {
  if (!Array.isArray(listed)) throw new BadRequest(`${name}: expected a list.`);
  return listed.map((one: unknown) => ({ id: textOf(one, 'id'), fence: fenceOf(one) }));
}

/** @throws BadRequest */
export function planWantedOf(body: unknown): PlanWanted {
  const kind = textOf(body, 'kind');
  if (kind === 'redrive') {
    const to = propertyOf(body, 'to') === undefined ? undefined : textOf(body, 'to');
    return { kind, queueUrl: textOf(body, 'queueUrl'), messageIds: textsOf(body, 'messageIds'), to };
  }
  if (kind === 'discard') {
    const evenInDoubt = propertyOf(body, 'evenInDoubt') === true;
    return { kind, queueUrl: textOf(body, 'queueUrl'), messageIds: textsOf(body, 'messageIds'), evenInDoubt };
  }
  if (kind === 'release') return { kind, locks: seenOf('locks', propertyOf(body, 'locks')) };
  const ofFindings = ['settle' as const, ...findingActs];
  const act = ofFindings.find((one) => one === kind);
  if (act !== undefined) return { kind: act, ids: textsOf(body, 'ids') };
  if (kind !== 'resolve')
    throw new BadRequest(`kind: expected resolve, redrive, discard, release, ${ofFindings.join(', ')}.`);
  const verdict = textOf(body, 'verdict');
  const claims = propertyOf(body, 'claims');
  if (claims !== undefined) return { kind, verdict, claims: seenOf('claims', claims) };
  const filter = propertyOf(body, 'filter');
  if (filter === undefined) throw new BadRequest('claims or filter is missing.');
  return { kind, verdict, filter: filterOf((name) => propertyOf(filter, name)) };
}
