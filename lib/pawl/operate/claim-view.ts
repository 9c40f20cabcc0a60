import { expect } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { type HidingHost, withoutSecret } from '../kernel/key-hash.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { checkpointsOf, stepsInDoubt } from '../rules/checkpoints.ts';
import { identify, identityOf, type KeyValue, namesIn } from '../rules/identity.ts';
import { withObserved } from '../rules/observed.ts';
import type { OpenClaim } from '../rules/open-claims.ts';
import type { Attributes, ClaimRecord, ClaimStatus, Discarded, Forgotten, Resolution } from '../rules/record.ts';
import { type ExecutionView, executionOf, isWaiting } from './execution-view.ts';

/**
 * A claim's name: the id of its record, or its operation and key.
 *
 * @example
 * const name: ClaimName = { operation: 'send-email', key: 'order-17' };
 * const claim = await operate.readClaim(name);
 */
export type ClaimName = { readonly id: string } | { readonly operation: string; readonly key: KeyValue };

export const openStates = ['parked', 'in-doubt', 'waiting', 'in-flight'] as const;

/**
 * Why a claim is open. `parked`: it waits for an operator. `in-doubt`: an attempt may have applied the effect, and the next request
 * decides by the policy. `waiting`: it waits for the end of an execution, and no worker holds it. `in-flight`: a worker holds it, or held it when it ended.
 */
export type OpenState = (typeof openStates)[number];

/** One step of a handler. */
export interface StepView {
  readonly name: string;
  /** `started`: it is in doubt. `open`: it applied nothing. `done`: it is not repeated. */
  readonly state: 'started' | 'open' | 'done';
  /** When it got there, in epoch milliseconds. */
  readonly at: number;
  /** The fence of the attempt that brought it there. */
  readonly fence?: number | undefined;
  readonly hasResult: boolean;
  /** JSON text. Only where results were asked for. */
  readonly result?: string | undefined;
}

/** What an operator sees of an open claim in a list. */
export interface OpenClaimView {
  /** The id of its record, and its name in every log: `operation#key`. */
  readonly id: string;
  readonly operation: string;
  /** `undefined` where the id has only the hash of a key that is too long. */
  readonly key: string | undefined;
  readonly state: OpenState;
  readonly status: ClaimStatus;
  /** Why it is parked, or what the last attempt failed with: `error.name`. */
  readonly reason: string | undefined;
  readonly error: RecordedError | undefined;
  readonly fence: number;
  readonly attempts: number;
  readonly abandoned: number;
  /** Epoch milliseconds. */
  readonly firstSeenAt: number;
  /** Epoch milliseconds. */
  readonly leaseUntil: number;
  /** Until when an earlier attempt may have applied the effect, in epoch milliseconds. `undefined` if nothing is in doubt. */
  readonly inDoubtSince: number | undefined;
  readonly attributes: Attributes | undefined;
  /** What the claim waits for, or has waited for. `undefined` if it is no claim of `waitForEnd`, or the start is not known to be certain. */
  readonly execution?: ExecutionView | undefined;
}

/** All that is known of one claim. Never a result, unless it was asked for. */
export interface ClaimView extends Omit<OpenClaimView, 'state'> {
  /** `undefined` if the claim is not open. */
  readonly state: OpenState | undefined;
  /** The key to search the provider for. */
  readonly effectKey: string;
  readonly fingerprint: string | undefined;
  /** The last resolution. */
  readonly resolution: Resolution | undefined;
  /** The last dead letter of the claim that an operator has deleted for good. */
  readonly discarded: Discarded | undefined;
  /** That an operator has erased what the claim kept. */
  readonly forgotten: Forgotten | undefined;
  readonly steps: readonly StepView[];
  /** The names of the steps in doubt: a resolution names each of them. */
  readonly stepsInDoubt: readonly string[];
  readonly hasResult: boolean;
  /** JSON text. Only where it was asked for. */
  readonly result?: string | undefined;
  /** SQS's id of the message that the claim was granted for, where the record has it. */
  readonly source: string | undefined;
  /** When the record may be deleted, in epoch milliseconds. `undefined`: it is kept. */
  readonly expiresAt: number | undefined;
  readonly revision: number | undefined;
}

/** The id of the record. @throws OptionError, or InvalidMessageError when the key is none */
export function idOf(name: ClaimName, host: Pick<Host, 'sha256'>): string {
  expect(typeof name === 'object' && name !== null, 'name', '{ id }, or { operation, key }', name);
  if (!('id' in name)) {
    const { operation, key } = name;
    expect(typeof operation === 'string' && operation !== '', 'operation', 'the name of an operation', operation);
    return identify(operation, key, host).id;
  }
  const { id } = name;
  expect(typeof id === 'string' && id.indexOf('#') > 0, 'id', "a claim's id, as in 'send-email#order-17'", id);
  return id;
}

/** What the list says of a claim. */
export function openClaimView(claim: OpenClaim): OpenClaimView {
  const { id, status, fence, attempts, abandoned, firstSeenAt, leaseUntil, unknownAt, error, attributes } = claim;
  const execution = executionOf(claim);
  return {
    id,
    ...namesIn(id),
    state: openStateOf(claim) ?? 'in-doubt',
    status,
    reason: error?.name,
    error,
    fence,
    attempts,
    abandoned,
    firstSeenAt,
    leaseUntil,
    inDoubtSince: unknownAt,
    attributes,
    ...(execution && { execution }),
  };
}

/** @param results whether to show what the handler and its steps returned */
export function claimView(record: ClaimRecord, host: Pick<HidingHost, 'sha256' | 'hide'>, results = false): ClaimView {
  const inDoubt = record.status === 'in-flight' ? [] : stepsInDoubt(record).map(({ name }) => name);
  const { result, expiresAt } = record;
  // What was observed beside a claim counts once that is free.
  const seen = record.status === 'released' ? withObserved(record) : record;
  return {
    ...openClaimView(record),
    inDoubtSince: seen.unknownAt,
    state: openStateOf(seen) ?? (inDoubt.length > 0 ? 'in-doubt' : undefined),
    // The operator may know the secret of another operation: that of a hidden key is in its id already.
    effectKey: identityOf(record.id, withoutSecret(host)).effectKey,
    fingerprint: record.fingerprint,
    resolution: record.resolution,
    discarded: record.discarded,
    forgotten: record.forgotten,
    steps: checkpointsOf(record)
      .filter((one) => one !== null)
      .map(({ name, state, at, fence, result: returned }) => ({
        name,
        state,
        at,
        fence,
        hasResult: returned !== undefined,
        ...(results && returned !== undefined && { result: returned }),
      })),
    stepsInDoubt: inDoubt,
    hasResult: result !== undefined,
    ...(results && result !== undefined && { result }),
    source: record.source,
    expiresAt: expiresAt === undefined ? undefined : expiresAt * 1000,
    revision: record.rev,
  };
}

function openStateOf(claim: Pick<OpenClaim, 'id' | 'status' | 'unknownAt'>): OpenState | undefined {
  const { status, unknownAt } = claim;
  if (status === 'parked') return 'parked';
  if (unknownAt !== undefined && status !== 'completed') return 'in-doubt';
  if (isWaiting(claim)) return 'waiting';
  return status === 'in-flight' ? 'in-flight' : undefined;
}
