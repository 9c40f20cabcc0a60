import { keptUntil } from '../kernel/outliving.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import { Retry } from '../kernel/retry.ts';
import { letFail } from '../kernel/unknown.ts';
import { type Decision, decide } from '../rules/decide.ts';
import type { Grant } from '../rules/grant.ts';
import type { Identity } from '../rules/identity.ts';
import { type Attributes, type ClaimRecord, understood } from '../rules/record.ts';
import { settle } from '../rules/settle.ts';
import type { ClaimWrite, WriteResult } from '../rules/store.ts';
import { changeClaim, type Engine, emit, leaseEnd } from './engine.ts';
import { factsOf } from './events.ts';

export interface AcquireRequest {
  readonly identity: Identity;
  readonly fingerprint?: string | undefined;
  readonly previousFingerprint?: string | undefined;
  readonly attributes?: Attributes | undefined;
  readonly source?: string | undefined;
  /** The message was delivered before: a record is probably there, and a read is cheaper than a write that fails. */
  readonly redelivered?: boolean | undefined;
  /** What the store was seen to hold. It replaces that read while it is fresh. */
  readonly look?: Look | undefined;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline?: number | undefined;
  /**
   * Until when the store is waited for, in epoch milliseconds, for whatever reason it does not answer.
   * @default as late as a handler could still start
   */
  readonly claimsUntil?: number;
  /**
   * Until when a store that throttles is waited for, in epoch milliseconds: a message that comes back has used up a receive.
   * @default the store decides
   */
  readonly waitsUntil?: number;
  /**
   * If not, the claim of a worker that died is left as it is, and the request is a `suspect`: what killed that worker may kill the next.
   * @default true
   */
  readonly mayTakeOver?: boolean | undefined;
}

/** What the store held at a time; or that it failed then. `at`: before it was read, in epoch milliseconds. */
export type Look =
  | { readonly kind: 'seen'; readonly found: ClaimRecord | undefined; readonly at: number }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly at: number };

/**
 * How long a look is decided upon, in milliseconds. What it says to write is refused if the record has changed since. But a claim that an operator has
 * released since would be dead-lettered as parked, and one that has completed since would be waited for.
 */
export const freshMs = 1000;

/** Looks at what the store holds for a claim. Never throws: the request for the claim reports that the store has failed, and does not ask it again. */
export async function lookAt({ settings: { host, store } }: Engine, id: string, until: number): Promise<Look> {
  const at = host.now();
  try {
    return { kind: 'seen', found: await answeredBy(host, until, store.read(id, until - at), { now: at }), at };
  } catch (cause) {
    return { kind: 'failed', cause, at };
  }
}

/** What came of asking for a claim: the decision, in force. Only with a `grant` may anything run. */
export type Acquired =
  | { readonly kind: 'granted' | 'taken-over'; readonly record: ClaimRecord; readonly grant: Grant }
  /** Its claim is there to be taken over, and this request may not. `record` as it would stand. */
  | { readonly kind: 'suspect'; readonly record: ClaimRecord; readonly grant?: undefined }
  | (Refused & { readonly grant?: undefined })
  /** The store failed. Treat the claim as not granted. */
  | { readonly kind: 'unavailable'; readonly cause: unknown; readonly record?: undefined; readonly grant?: undefined };

/** The decisions under which nothing may run. */
type Refused = Exclude<Decision, { readonly kind: 'granted' | 'taken-over' }>;

/** Asks for a claim. Nothing may run before this has returned a `grant`. Never throws. */
export async function acquire(engine: Engine, asked: AcquireRequest): Promise<Acquired> {
  const { settings } = engine;
  const { host, store } = settings;
  const { identity, deadline, mayTakeOver = true } = asked;
  const { id } = identity;
  const claimId = host.randomId();
  // Not beyond the time in which a handler could still start: a store that hangs must not hang the batch.
  const bounds = { deadline, keptUntil: keptUntil(host, deadline) };
  let now = host.now();
  const startsBy = Math.min(leaseEnd(engine, bounds, now), deadline ?? Infinity) - settings.marginMs;
  const until = Math.min(startsBy, asked.claimsUntil ?? Infinity);
  const retry = new Retry(host, { until, requestMs: Infinity });
  const waitsMs = () => asked.waitsUntil && Math.min(asked.waitsUntil, until) - now;
  try {
    let found: ClaimRecord | undefined;
    const look = asked.look !== undefined && now - asked.look.at < freshMs ? asked.look : undefined;
    if (look?.kind === 'failed') throw look.cause;
    if (look !== undefined) found = understood(look.found);
    else if (asked.redelivered) {
      found = understood(await answeredBy(host, until, store.read(id, waitsMs()), { now }));
      now = host.now();
    }
    // Each further round means that another worker changed the record between our look and our write.
    for (;;) {
      const { fingerprint, previousFingerprint, attributes, source } = asked;
      const leaseUntil = leaseEnd(engine, bounds, now);
      const request = { id, claimId, fingerprint, previousFingerprint, attributes, source, leaseUntil };
      const decided = decide(found, request, settings, now);
      if (decided.kind === 'taken-over' && !mayTakeOver) return { kind: 'suspect', record: decided.record };
      if (decided.write === undefined) return inForce(engine, identity, bounds, decided);
      const write = { ...decided.write, waitsMs: waitsMs() };
      const written = await writeGrant(engine, { until, now }, identity, write);
      if (written.applied) return inForce(engine, identity, bounds, decided);
      await retry.pauseAfterRefusal();
      found = understood(written.found);
      now = host.now();
    }
  } catch (cause) {
    emit(engine, identity, { type: 'store-unavailable', error: recordedError(cause) });
    return { kind: 'unavailable', cause };
  }
}

/** Reports a decision that is in force. */
function inForce(
  engine: Engine,
  identity: Identity,
  bounds: Pick<Grant, 'deadline' | 'keptUntil'>,
  decided: Decision,
): Acquired {
  const { record } = decided;
  const facts = factsOf(record);
  switch (decided.kind) {
    case 'granted':
    case 'taken-over':
      emit(engine, identity, { type: decided.kind, ...facts });
      return { kind: decided.kind, record, grant: { identity, record, ...bounds } };
    case 'key-reused':
      emit(engine, identity, { type: decided.kind, ...facts, ruleChanged: decided.ruleChanged });
      return decided;
    case 'parked':
      emit(engine, identity, { type: decided.write ? 'parked' : 'still-parked', ...facts });
      return decided;
    default:
      emit(engine, identity, { type: decided.kind, ...facts });
      return decided;
  }
}

/** Writes a grant. One whose answer comes too late for its handler to start is given back: nothing runs under it, and nothing is in doubt. */
function writeGrant(
  engine: Engine,
  { until, now }: { readonly until: number; readonly now: number },
  identity: Identity,
  write: ClaimWrite,
): Promise<WriteResult> {
  const { host, store } = engine.settings;
  const late = (result: WriteResult) => {
    // A client that sent it twice, because the first answer was lost, is refused by its own first write.
    const isOurs = result.applied || result.found?.claimId === write.next.claimId;
    if (isOurs) letFail(giveBack(engine, identity, write.next));
  };
  return answeredBy(host, until, store.write(write), { now, late });
}

async function giveBack(engine: Engine, identity: Identity, record: ClaimRecord): Promise<void> {
  if (record.status !== 'in-flight') return;
  const { settings } = engine;
  const { host, marginMs } = settings;
  const error = { name: 'LeaseError', message: 'the claim was granted too late for anything to start' };
  const released = (found: ClaimRecord | undefined, now: number) =>
    settle(record.claimId, found, { status: 'released', error, unstarted: true }, settings, now);
  const grant = { identity, record, deadline: undefined };
  await changeClaim(engine, grant, released, { until: host.now() + marginMs, tries: 1 });
}
