import type { OpenClaimView, Operator } from 'pawl/operate';
import type { ClaimsFilter, ClaimsGroup, OperationNow, Sort } from './api.ts';
import { snapshots } from './snapshots.ts';

/** The open claims, as they were at a moment. An index has no order and no groups, so the console reads all of it, and not at every click. */
export interface OpenSnapshot {
  readonly at: number;
  readonly claims: readonly OpenClaimView[];
  /** There are more: the console has stopped reading. */
  readonly truncated: boolean;
}

/** More than any operator looks at, and about 50 MB. */
const mostClaims = 50_000;
const pageSize = 1000;
/** The largest groups that the page shows. */
const mostGroups = 50;

/** Reads the open claims, once for all that ask at the same time. */
export function openList({ openClaims }: Pick<Operator, 'openClaims'>, now: () => number) {
  async function readAll(): Promise<OpenSnapshot> {
    const at = now();
    const claims: OpenClaimView[] = [];
    for await (const page of openClaims({ limit: pageSize })) {
      claims.push(...page.claims);
      if (claims.length >= mostClaims) return { at, claims, truncated: page.cursor !== undefined };
    }
    return { at, claims, truncated: false };
  }

  return snapshots(readAll, now);
}

export function matching(claims: readonly OpenClaimView[], filter: ClaimsFilter): readonly OpenClaimView[] {
  const { operation, state, reason, error } = filter;
  const q = filter.q?.toLowerCase();
  return claims.filter(
    (claim) =>
      (operation === undefined || claim.operation === operation) &&
      (state === undefined || claim.state === state) &&
      (reason === undefined || claim.reason === reason) &&
      (error === undefined || claim.error?.message === error) &&
      (q === undefined || textOf(claim).includes(q)),
  );
}

function textOf({ id, reason = '', error }: OpenClaimView): string {
  return `${id}\n${reason}\n${error?.message ?? ''}`.toLowerCase();
}

const orders: Readonly<Record<Sort, (a: OpenClaimView, b: OpenClaimView) => number>> = {
  age: (a, b) => a.firstSeenAt - b.firstSeenAt,
  attempts: (a, b) => b.attempts - a.attempts,
  key: (a, b) => compared(a.id, b.id),
  reason: (a, b) => compared(a.reason ?? '', b.reason ?? ''),
};

/** `order-2` before `order-10`. */
const collator = new Intl.Collator('en', { numeric: true });
const compared = collator.compare;

/** @param reverse the other way round. Claims that are equal stand by their ids, so that a page follows on the one before */
export function sorted(claims: readonly OpenClaimView[], sort: Sort, reverse: boolean): readonly OpenClaimView[] {
  const order = orders[sort];
  const sign = reverse ? -1 : 1;
  return claims.toSorted((a, b) => sign * order(a, b) || compared(a.id, b.id));
}

/** By operation, reason and error. */
export function grouped(claims: readonly OpenClaimView[]): readonly ClaimsGroup[] {
  const groups = Map.groupBy(claims, ({ operation, reason, error }) =>
    JSON.stringify([operation, reason, error?.message]),
  );
  return Array.from(groups.values(), groupOf)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostGroups);
}

function groupOf(claims: readonly OpenClaimView[]): ClaimsGroup {
  const [first] = claims;
  return {
    operation: first?.operation ?? '',
    reason: first?.reason,
    error: first?.error?.message,
    count: claims.length,
    oldestAt: oldest(claims),
  };
}

export function byOperation(claims: readonly OpenClaimView[]): readonly OperationNow[] {
  return Array.from(
    Map.groupBy(claims, ({ operation }) => operation),
    ([operation, own]) => ({
      operation,
      parked: own.filter(({ state }) => state === 'parked').length,
      'in-doubt': own.filter(({ state }) => state === 'in-doubt').length,
      waiting: own.filter(({ state }) => state === 'waiting').length,
      'in-flight': own.filter(({ state }) => state === 'in-flight').length,
      oldestAt: oldest(own),
    }),
  ).toSorted((a, b) => compared(a.operation, b.operation));
}

function oldest(claims: readonly OpenClaimView[]): number {
  return claims.reduce((at, { firstSeenAt }) => Math.min(at, firstSeenAt), Number.POSITIVE_INFINITY);
}

/** Each value once, in order. */
export function distinct(values: Iterable<string | undefined>): readonly string[] {
  return [...new Set(values)].filter((value) => value !== undefined).toSorted(compared);
}
