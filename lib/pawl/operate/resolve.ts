import { resolveParked } from '../engine/resolve-parked.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { decide, doubtOf } from '../rules/decide.ts';
import { type ClaimRecord, type ResolutionVerdict, understood } from '../rules/record.ts';
import { expectActedBy, expectVerdicts, type StepResolutions, saidOf } from '../rules/resolve.ts';
import type { ClaimWrite } from '../rules/store.ts';
import { type ClaimName, type ClaimView, claimView, idOf } from './claim-view.ts';
import type { Desk } from './desk.ts';
import { executionOf, isWaiting } from './execution-view.ts';
import type { ActedBy } from './options.ts';
import { docs, skewMs } from './words.ts';

/**
 * Who resolves a claim, and which doubt of it.
 *
 * @example
 * const resolved: ResolvedByOperator = { by: 'maria', note: 'the bank shows the charge', fence: 3 };
 * await operate.resolve({ operation: 'charge-order', key: 'order-17' }, 'applied', resolved);
 */
export interface ResolvedByOperator extends ActedBy {
  /**
   * The `fence` of the claim that the operator looked at. If the claim has been granted since, this is another doubt, and nothing changes.
   * @default that of the claim when `resolve` first reads it
   */
  readonly fence?: number | undefined;
}

/** What became of one resolution. Only `resolved` changed the claim's outcome. */
export type ResolveResult = { readonly id: string } & (
  | { readonly outcome: 'resolved'; readonly claim: ClaimView }
  /** The claim is decided, or nothing of it is in doubt. */
  | { readonly outcome: 'not-in-doubt'; readonly claim: ClaimView }
  /** A worker holds the claim. Its lease ends after so many milliseconds. */
  | { readonly outcome: 'in-flight'; readonly claim: ClaimView; readonly retryAfterMs: number }
  /** The claim has been granted since the one with that `fence`: the doubt is another one. */
  | { readonly outcome: 'another-doubt'; readonly claim: ClaimView }
  /** These steps are in doubt, and the resolution has to name each of them, and no other. */
  | { readonly outcome: 'steps-in-doubt'; readonly claim: ClaimView; readonly steps: readonly string[] }
  /** Nothing is known of this key. */
  | { readonly outcome: 'unknown-key' }
  /** The store failed. It is not known whether the resolution is stored: read the claim. Only in a bulk act. */
  | { readonly outcome: 'failed'; readonly error: RecordedError }
);

/** Why a claim stays as it is. */
export type Unresolved = Exclude<ResolveResult['outcome'], 'resolved' | 'failed'>;

const known = { by: true, note: true, fence: true } as const satisfies NamesOf<ResolvedByOperator>;

/** What a resolution comes to, by the record alone. Pure, like `decide`. */
type Assessed =
  | { readonly kind: 'parked'; readonly record: ClaimRecord }
  /** In doubt and held by no worker: it is parked first. */
  | { readonly kind: 'to-be-parked'; readonly record: ClaimRecord; readonly write: ClaimWrite }
  | {
      readonly kind: 'stays';
      readonly why: Exclude<Unresolved, 'another-doubt'>;
      readonly retryAfterMs: number;
      readonly steps: readonly string[];
    };

/**
 * Whether an operator may decide this claim.
 *
 * A claim that is parked may be decided. So may a claim in doubt that no worker holds: what parks it is `decide` itself, as a worker under `'park'`
 * would. A claim whose lease still runs is its worker's.
 */
export function assess(
  found: ClaimRecord | undefined,
  verdict: ResolutionVerdict | StepResolutions,
  { host, rules }: Pick<Desk, 'host' | 'rules'>,
  doubtedAt?: number,
): Assessed {
  type Stays = Extract<Assessed, { readonly kind: 'stays' }>;
  const stays = (why: Stays['why'], retryAfterMs = 0, steps: readonly string[] = []): Assessed => ({
    kind: 'stays',
    why,
    retryAfterMs,
    steps,
  });
  if (found === undefined) return stays('unknown-key');
  const now = host.now();
  const request = { id: found.id, claimId: host.randomId(), leaseUntil: now };
  // The limits are the consumer's, which an operator does not know. They would park the claim under another name.
  const none = Infinity;
  const limits = { maxAbandoned: none, maxAttempts: none, retryWindowSeconds: none };
  // No worker holds a claim whose execution is certain to be started: there is no lease to wait for.
  const waits = isWaiting(found) && executionOf(found) !== undefined;
  const seen = waits ? { ...found, leaseUntil: Math.min(found.leaseUntil, now - skewMs) } : found;
  const doubt = inDoubt(seen, doubtedAt);
  const decided = decide(doubt, request, { ...rules, ...limits, onAbandoned: 'park', skewMs }, now);
  if (decided.kind === 'in-flight') return stays('in-flight', decided.retryAfterMs);
  if (decided.kind !== 'parked') return stays('not-in-doubt');
  const said = saidOf(found, verdict);
  if (said.kind === 'incomplete') return stays('steps-in-doubt', 0, said.inDoubt);
  const { record, write } = decided;
  return write === undefined
    ? { kind: 'parked', record }
    : { kind: 'to-be-parked', record, write: { ...write, seen: found } };
}

/** The claim with the doubt that it has in an operator's eyes; or with the one that a statement gives it. */
function inDoubt(found: ClaimRecord, doubtedAt: number | undefined): ClaimRecord {
  if (doubtedAt === undefined) return doubtOf(found);
  // The provider has the effect, whatever the attempts were to leave behind, and whatever was observed beside them.
  const doubt = { ...doubtOf(found), observed: undefined };
  return doubt.status === 'released'
    ? { ...doubt, unknownAt: doubt.unknownAt ?? doubtedAt }
    : { ...doubt, atomic: undefined };
}

/** What a resolution needs of a desk. */
export type ResolvingDesk = Pick<Desk, 'host' | 'store' | 'rules' | 'emit'>;

/**
 * @param doubtedAt of a claim of which nothing is in doubt, since when it is in doubt all the same: the provider says that it has the effect
 * @throws OptionError; InvalidMessageError when the key is none; the store's error
 */
export async function resolve(
  desk: ResolvingDesk,
  name: ClaimName,
  verdict: ResolutionVerdict | StepResolutions,
  resolved: ResolvedByOperator,
  doubtedAt?: number,
): Promise<ResolveResult> {
  expectOptions(resolved, { door: 'resolve', known, docs });
  const { by, note } = resolved;
  expectActedBy(by, note);
  expectVerdicts(verdict);
  const { host, store } = desk;
  const id = idOf(name, host);
  let found = understood(await store.read(id));
  // A doubt that begins while this runs is another one: the operator cannot have looked at it.
  let fence = resolved.fence ?? found?.fence;
  for (;;) {
    const view = found && claimView(found, host);
    if (view !== undefined && fence !== undefined && fence !== view.fence) {
      return { id, outcome: 'another-doubt', claim: view };
    }
    const assessed = assess(found, verdict, desk, doubtedAt);
    if (assessed.kind === 'parked') {
      // If it is resolved now, and parked again by a worker, that is another doubt.
      fence = assessed.record.fence;
      break;
    }
    if (assessed.kind === 'stays') return resultOf(id, view, assessed);
    const { next } = assessed.write;
    const written = await store.write(assessed.write);
    found = written.applied ? next : understood(written.found);
    // Parked meanwhile: by this write, whose answer was lost, or by a worker. It is the doubt that was looked at.
    const parked = found?.status === 'parked' && found.claimId === next.claimId && found.fence === next.fence;
    if (parked && written.applied)
      desk.emit({ type: 'parked-by-operator', id, fence: next.fence, at: host.now(), by, note });
    if (parked) fence = next.fence;
  }
  const done = await resolveParked(desk, id, verdict, { by, note, fence });
  if (done.outcome === 'unknown-key') return { id, outcome: 'unknown-key' };
  const claim = claimView(done.record, host);
  switch (done.outcome) {
    case 'resolved': {
      const { verdict: stored = 'retry', steps } = done.record.resolution ?? {};
      desk.emit({ type: 'resolved', id, fence: claim.fence, verdict: stored, steps, at: host.now(), by, note });
      return { id, outcome: 'resolved', claim };
    }
    case 'not-parked':
      return { id, outcome: 'not-in-doubt', claim };
    case 'another-doubt':
      return { id, outcome: 'another-doubt', claim };
    case 'steps-in-doubt':
      return { id, outcome: 'steps-in-doubt', claim, steps: done.steps };
  }
}

function resultOf(
  id: string,
  claim: ClaimView | undefined,
  { why, retryAfterMs, steps }: Extract<Assessed, { readonly kind: 'stays' }>,
): ResolveResult {
  if (claim === undefined || why === 'unknown-key') return { id, outcome: 'unknown-key' };
  if (why === 'in-flight') return { id, outcome: why, claim, retryAfterMs };
  if (why === 'steps-in-doubt') return { id, outcome: why, claim, steps };
  return { id, outcome: why, claim };
}
