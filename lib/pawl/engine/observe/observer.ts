import { change } from '../../kernel/change.ts';
import { errorKind } from '../../kernel/error-kind.ts';
import { keptUntil } from '../../kernel/outliving.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import { answeredBy, NoAnswerError } from '../../kernel/request.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import { type Decision, isForgotten } from '../../rules/decide.ts';
import type { Identity } from '../../rules/identity.ts';
import { begun, type Delivered, ended, type RunRequest } from '../../rules/observe.ts';
import { isEnforcedToo, observedToken } from '../../rules/observed.ts';
import type { Outcome } from '../../rules/outcome.ts';
import { type Attributes, type ClaimRecord, understood } from '../../rules/record.ts';
import { completion } from '../../rules/result.ts';
import { outcomeOfError } from '../../rules/settle.ts';
import { isInShare } from '../../rules/share.ts';
import type { Claim } from '../claim.ts';
import { type Engine, effectOf, emit, requestMs } from '../engine.ts';
import { factsOf } from '../events.ts';
import { observedClaim } from './observed-claim.ts';

/*
 * Watches handlers, and changes nothing.
 *
 * Owns: when what was seen is written, how long an invocation waits for that, and what is reported. Does not own: what a run makes of a record (`rules/observe.ts`), how
 * enforcement reads it (`rules/observed.ts`), and calling the handler, which is the door's.
 *
 * 1. Nothing that is awaited before a handler, or while it runs, depends on the store. No function here throws.
 * 2. An invocation waits for its writes at its end alone, for `observeWaitMs` at most, and for half of the time that is left to it.
 * 3. What is not known to be written by then is reported as `unseen`, once for each run. A write that is under way may still arrive: it is as true then.
 */

/** What is known of an input before its handler runs. */
export interface Watched {
  readonly identity: Identity;
  readonly fingerprint?: string | undefined;
  readonly previousFingerprint?: string | undefined;
  readonly attributes?: Attributes | undefined;
  readonly fields?: RunRequest['fields'];
}

/** Where it comes from. */
export interface From {
  readonly delivered: Delivered;
  /** When the invocation ends, in epoch milliseconds. Unknown outside of Lambda. */
  readonly deadline: number | undefined;
}

/** Which attempt a delivery is, as SQS counts. */
const firstAttempt = 1;

/**
 * Whether a key is only observed at the moment. A missing one is, unless all keys are enforced; but not where none can be told, because the secret of `hideKeys` is
 * missing: the keys of the share would have no gate. @param idOf called only if it decides
 */
export function isObservedNow({ settings: { enforcedShare, host } }: Engine, idOf: () => string | undefined): boolean {
  const share = enforcedShare?.() ?? 1;
  if (share <= 0 || share >= 1) return share <= 0;
  try {
    host.sha256('');
  } catch {
    return false;
  }
  const id = idOf();
  return id === undefined || !isInShare(id, share);
}

/**
 * Reports an input that enforcement would not have run, or that cannot be told from others: its handler runs all the same.
 *
 * @param type what enforcement would have done at this door
 */
export function sayUnwatchable(
  engine: Engine,
  error: unknown,
  type: 'would-refuse' | 'would-dead-letter' = 'would-refuse',
): void {
  const { name } = recordedError(error);
  if (errorKind(error) === 'invalid-message') {
    emit(engine, undefined, { type, reason: String(propertyOf(error, 'problem')), error: recordedError(error) });
    return;
  }
  // The text of an error of the author's may quote the input.
  emit(engine, undefined, { type: 'unseen', error: { name, message: 'what it is known by could not be read' } });
}

/** How often one write is tried: an outage must not keep a sandbox busy. */
const tries = 3;

/** The writes of this process that are under way, by store and id: those of one key follow each other, and do not refuse each other. */
const lines = new WeakMap<object, Map<string, Promise<ClaimRecord | undefined>>>();

/** What enforcement would have done instead of running the handler. */
const wouldBe: Partial<Record<Decision['kind'], 'would-replay' | 'would-defer' | 'would-park'>> = {
  replayed: 'would-replay',
  'in-flight': 'would-defer',
  parked: 'would-park',
};

/** What one invocation watches. */
export class Watch {
  readonly #engine: Engine;
  readonly #pending = new Set<Run>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Watches one run, which begins now. */
  begin(watched: Watched | undefined, from: From): Run {
    const run = new Run(this.#engine, watched, from);
    this.#pending.add(run);
    return run;
  }

  /** At the end of the invocation. Never throws. @param deadline when it ends, in epoch milliseconds */
  async end(deadline?: number): Promise<void> {
    const { host, observeWaitMs } = this.#engine.settings;
    // The response needs time too: an invocation that is stopped here would run all of it again.
    const waitMs = Math.min(observeWaitMs, ((deadline ?? Infinity) - host.now()) / 2);
    const written = Promise.all(Array.from(this.#pending, (run) => run.written));
    if (waitMs > 0) await answeredBy(host, host.now() + waitMs, written).catch(() => undefined);
    for (const run of this.#pending) run.expectWritten(waitMs);
    this.#pending.clear();
  }
}

/** One run of a handler. */
export class Run {
  readonly #engine: Engine;
  readonly #watched: Watched | undefined;
  readonly #asked: RunRequest | undefined;
  readonly #observed: ReturnType<typeof observedClaim>;
  /** As this run has last written it. */
  #record: ClaimRecord | undefined;
  #ended: Outcome | undefined;
  #isWritten = false;
  #isReported = false;
  #written: Promise<void>;

  constructor(engine: Engine, watched: Watched | undefined, { delivered, deadline }: From) {
    this.#engine = engine;
    this.#watched = watched;
    const { settings, fallback } = engine;
    const { operation, host, marginMs } = settings;
    const now = host.now();
    const until = keptUntil(host, deadline) ?? deadline ?? now + (fallback?.leaseMs ?? 0);
    const attempt = delivered.receives ?? firstAttempt;
    this.#observed = observedClaim({ operation, identity: watched?.identity, attempt, host, until: until - marginMs });
    if (watched === undefined) {
      this.#isWritten = true;
      this.#written = Promise.resolve();
      return;
    }
    const { identity, ...rest } = watched;
    this.#asked = { ...rest, id: identity.id, run: host.randomId(), leaseUntil: until, delivered };
    this.#written = this.#write((asked, found, at) => {
      const began = begun(found, asked, settings, at);
      if (began === 'applied') return began;
      const isMixed = found !== undefined && isEnforcedToo(found) && !isForgotten(found, settings, at);
      return { next: began.next, said: () => this.#sayOf(began.decided, isMixed ? found : undefined) };
    });
  }

  /** What its handler is given in place of a claim. */
  get claim(): Claim {
    return this.#observed.claim;
  }

  /** Resolves when what was seen until now is written, or cannot be. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Its handler has returned this. @param value as it would be recorded */
  returned(value: unknown): void {
    const { maxResultBytes, recordResult } = this.#engine.settings;
    this.#end(completion(value, maxResultBytes, recordResult));
  }

  /** Its handler has thrown this. */
  threw(error: unknown): void {
    const { settings } = this.#engine;
    const known = effectOf(settings, error);
    const outcome = outcomeOfError(recordedError(error), known, this.#observed.phase(settings.marksEffect), settings);
    this.#end(outcome);
  }

  /** Reports a run that is not known to be written by the end of its invocation. */
  expectWritten(waitedMs: number): void {
    if (!this.#isWritten) this.#unseen(new NoAnswerError(`not written within ${Math.max(0, Math.ceil(waitedMs))} ms`));
  }

  #end(outcome: Outcome): void {
    if (this.#ended !== undefined || this.#asked === undefined) return;
    this.#ended = outcome;
    this.#isWritten = false;
    const { settings } = this.#engine;
    this.#written = this.#write((asked, found, now) => {
      const next = ended(found, asked, outcome, settings, now);
      return next === 'applied' ? next : { next, said: () => this.#sayOfEnd(outcome, next) };
    });
  }

  /** One write, after those before it. Never rejects. */
  async #write(
    transition: (asked: RunRequest, found: ClaimRecord | undefined, now: number) => Written | 'applied',
  ): Promise<void> {
    const asked = this.#asked;
    if (asked === undefined) return;
    try {
      const said = await this.#writeInLine(asked, transition);
      this.#isWritten = true;
      said?.();
    } catch (error) {
      this.#unseen(error);
    }
  }

  async #writeInLine(
    asked: RunRequest,
    transition: (asked: RunRequest, found: ClaimRecord | undefined, now: number) => Written | 'applied',
  ): Promise<(() => void) | undefined> {
    const { host, store } = this.#engine.settings;
    const ofStore = lines.get(store) ?? new Map<string, Promise<ClaimRecord | undefined>>();
    lines.set(store, ofStore);
    let said: (() => void) | undefined;
    const send = async (seen: ClaimRecord | undefined): Promise<ClaimRecord | undefined> => {
      const changed = await change<ClaimRecord>(host, {
        seen,
        write: (write) => store.write(write),
        transition(found, now) {
          const made = transition(asked, understood(found), now);
          // Of an earlier write whose answer was lost, the same is to be said.
          if (made === 'applied') return made;
          said = made.said;
          return made.next;
        },
        requestMs,
        until: host.now() + requestMs,
        tries,
      });
      if (changed.kind === 'applied') this.#record = changed.record;
      return this.#record;
    };
    const before = ofStore.get(asked.id);
    const alone = () => send(this.#record);
    const turn = before === undefined ? alone() : before.then(send, alone);
    ofStore.set(asked.id, turn);
    const leave = () => {
      if (ofStore.get(asked.id) === turn) ofStore.delete(asked.id);
    };
    turn.then(leave, leave);
    await turn;
    return said;
  }

  #unseen(error: unknown): void {
    if (this.#isReported) return;
    this.#isReported = true;
    emit(this.#engine, this.#watched?.identity, { type: 'unseen', error: recordedError(error) });
  }

  /** @param beside the claim of enforcement under the same key */
  #sayOf(decided: Decision, beside: ClaimRecord | undefined): void {
    const identity = this.#watched?.identity;
    const { record } = decided;
    if (beside !== undefined) emit(this.#engine, identity, { type: 'observed-beside', ...factsOf(beside) });
    const type = wouldBe[decided.kind];
    if (type !== undefined) emit(this.#engine, identity, { type, ...factsOf(record) });
    if (decided.kind !== 'key-reused') return;
    const error = { name: 'KeyReused', message: 'the key was used before with another payload' };
    emit(this.#engine, identity, { type: 'would-refuse', reason: 'key-reused', error });
  }

  #sayOfEnd(outcome: Outcome, record: ClaimRecord): void {
    const identity = this.#watched?.identity;
    if (record.claimId !== observedToken) emit(this.#engine, identity, { type: 'observed-beside', ...factsOf(record) });
    if (outcome.status === 'parked') emit(this.#engine, identity, { type: 'would-park', ...factsOf(record, outcome) });
    if (outcome.status === 'rejected' && this.#asked?.delivered.message !== undefined) {
      emit(this.#engine, identity, { type: 'would-dead-letter', reason: 'rejected', error: outcome.error });
    }
  }
}

/** A record as it is to stand, and what is reported once it does. */
interface Written {
  readonly next: ClaimRecord;
  readonly said: () => void;
}
