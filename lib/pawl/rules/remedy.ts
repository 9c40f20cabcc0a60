import type { RecordedError } from '../kernel/recorded-error.ts';

/**
 * What may become of the remedy of a finding. Pure.
 *
 * Owns: whether a remedy may be asked for, approved, begun or recorded, and what becomes of its reservation. Does not own: that its effect happens once
 * (its claim does, by `decide`), or what it may cost (`reservations.ts`).
 *
 * 1. A remedy begins on its finding, under one reservation, before its claim is asked for. From then on, the finding ends with the remedy alone.
 * 2. A reservation that its finding has not begun with is nobody's: no effect happens under it.
 * 3. Whoever asks for a remedy does not approve it. An approval is of one request, with its operation and its amount.
 */

/** A remedy that has begun: its effect may have happened, and its claim says so. */
export interface BegunRemedy {
  /** Of the remedy, such as `refund`. */
  readonly operation: string;
  /** The id of its claim. */
  readonly claimId: string;
  /** The reservation that it is counted under. */
  readonly reservation: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly by: string;
  readonly note: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** It failed for good, and nothing was applied: its claim is rejected. */
  readonly failed?: RecordedError | undefined;
}

/** That a remedy is asked for, and waits for a second person. */
export interface RemedyRequest {
  /** A random token, which an approval names. */
  readonly id: string;
  readonly operation: string;
  readonly amount: number;
  /** Who asks, as AWS knows the caller: an ARN. */
  readonly identity: string;
  readonly by: string;
  readonly note: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** That a second person approves a request. */
export interface RemedyApproval {
  /** The token of the request. */
  readonly of: string;
  /** Who approves, as AWS knows the caller: an ARN. */
  readonly identity: string;
  readonly by: string;
  readonly note: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** How a finding was settled: by its remedy, or by a person outside of pawl. */
export interface Remedied {
  readonly how: 'remedy' | 'by-hand';
  /** Of a remedy, its operation, its claim and its amount. */
  readonly operation?: string | undefined;
  readonly claimId?: string | undefined;
  readonly amount?: number | undefined;
  readonly by: string;
  readonly note: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What a finding says of its remedy. */
export interface RemedyState {
  readonly remedy?: BegunRemedy | undefined;
  readonly request?: RemedyRequest | undefined;
  readonly approval?: RemedyApproval | undefined;
  readonly remedied?: Remedied | undefined;
}

/** The remedy that is wanted. */
export interface WantedRemedy {
  readonly operation: string;
  readonly amount: number;
  readonly needsApproval: boolean;
}

/** Why a finding has no remedy now. */
export type NoRemedy = 'not-open' | 'rejected' | 'other-operation' | 'amount-changed' | 'waits-for-approval';

export type RemedyStep =
  /** Reserve, and begin. */
  | { readonly kind: 'begin' }
  /** It has begun: its claim says what is left to do. */
  | { readonly kind: 'go-on'; readonly remedy: BegunRemedy }
  | { readonly kind: 'ask' }
  | { readonly kind: 'stay'; readonly why: NoRemedy };

/** Whether a remedy has begun on a finding, and neither happened nor failed for good. */
export function isUnderRemedy({ remedy, remedied }: RemedyState): boolean {
  return remedy !== undefined && remedy.failed === undefined && remedied === undefined;
}

/** What comes next for the remedy of a finding. */
export function remedyStep(state: RemedyState, isOpen: boolean, wanted: WantedRemedy): RemedyStep {
  const { remedy, request, approval } = state;
  const stay = (why: NoRemedy): RemedyStep => ({ kind: 'stay', why });
  if (!isOpen) return stay('not-open');
  if (remedy !== undefined) {
    if (remedy.failed !== undefined) return stay('rejected');
    if (remedy.operation !== wanted.operation) return stay('other-operation');
    return remedy.amount === wanted.amount ? { kind: 'go-on', remedy } : stay('amount-changed');
  }
  if (!wanted.needsApproval) return { kind: 'begin' };
  // What was asked for is not what is wanted now: the request says another operation, or another amount.
  if (request?.operation !== wanted.operation || request.amount !== wanted.amount) return { kind: 'ask' };
  return approval?.of === request.id && approval.identity !== request.identity
    ? { kind: 'begin' }
    : stay('waits-for-approval');
}

/** An ARN, as `GetCallerIdentity` returns it. The name of the session of an assumed role is a part of it. */
const arn = /^arn:[\w-]+:(iam|sts)::\d{12}:\S+$/;

export function isIdentity(identity: unknown): identity is string {
  return typeof identity === 'string' && arn.test(identity);
}

/** Why a request is not approved. `another-request`: it was asked for anew since it was looked at, with another operation or amount. */
export type NoApproval =
  | 'not-open'
  | 'not-asked'
  | 'another-request'
  | 'no-identity'
  | 'own-request'
  | 'approved-before';

/** Why this identity may not approve what is asked for; nothing if it may. @param seen the token of the request that was looked at, if that is known */
export function approvalRefused(
  state: RemedyState,
  isOpen: boolean,
  identity: unknown,
  seen?: string,
): NoApproval | undefined {
  const { request, approval } = state;
  if (!isOpen) return 'not-open';
  if (request === undefined || state.remedy !== undefined) return 'not-asked';
  if (seen !== undefined && seen !== request.id) return 'another-request';
  if (!isIdentity(identity)) return 'no-identity';
  if (identity === request.identity) return 'own-request';
  return approval?.of === request.id ? 'approved-before' : undefined;
}

/** What becomes of a reservation, by what its finding says. `look`: the claim of the remedy decides. `keep`: the next run uses it. */
export function reservationFate(
  state: RemedyState | undefined,
  isOpen: boolean,
  reservation: string,
): 'confirm' | 'give-back' | 'look' | 'keep' {
  const { remedy, remedied } = state ?? {};
  if (remedy === undefined) return isOpen ? 'keep' : 'give-back';
  if (remedy.reservation !== reservation || remedy.failed !== undefined) return 'give-back';
  if (remedied === undefined) return 'look';
  return remedied.how === 'remedy' ? 'confirm' : 'give-back';
}
