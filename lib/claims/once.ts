import { expect } from '../kernel/check.ts';
import { StoreUnavailableError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofHttp, ofQueues, ofWorlds } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { canonicalValue } from '../payload/fingerprint.ts';
import { type FingerprintOption, printsOf, ruleOf } from '../payload/fingerprint-rule.ts';
import { missingIn } from '../payload/missing-key.ts';
import { type Acquired, acquire } from './acquire.ts';
import { checkedAttributes } from './attributes.ts';
import type { Claim } from './claim.ts';
import type { Engine } from './engine.ts';
import { identify, type KeyValue } from './identity.ts';
import { type ClaimOptions, claimOptionNames, settingsOf } from './options.ts';
import { fallbackLease } from './renewed-lease.ts';
import { run } from './run.ts';
import type { RunResult } from './run-result.ts';

/**
 * The options of `once`: those of every door, and the key of an input.
 *
 * @example
 * const options: OnceOptions<Payment> = {
 *   operation: 'refund',
 *   store,
 *   key: (payment) => payment.id,
 *   fingerprint: (payment) => canonicalValue(payment),
 *   onAbandoned: 'park',
 * };
 */
export interface OnceOptions<Input> extends ClaimOptions<Input> {
  /** The stable identity of the intended effect, taken from the input. */
  readonly key: (input: Input) => KeyValue;
  /**
   * What of the input is its intent, as a text, e.g. `canonicalValue`. A second call with the same key and another intent never runs.
   * `{ ignore }`: the canonical text of the input, but for these paths. `previous`: with the rule that was in force before, for a deployment that changes it.
   * @default nothing is compared
   */
  readonly fingerprint?: FingerprintOption<Input>;
}

/**
 * What a call of a once-function is given besides its input.
 *
 * @example
 * import type { Context } from 'aws-lambda';
 *
 * export const handler = (payment: Payment, context: Context) =>
 *   refund(payment, { remainingMs: () => context.getRemainingTimeInMillis() });
 */
export interface OnceCall {
  /** Milliseconds until the caller is stopped, e.g. `context.getRemainingTimeInMillis`. The lease ends then. */
  readonly remainingMs?: () => number;
  /** The caller knows that this was tried before: a read is made first, which is cheaper than a write that fails. */
  readonly redelivered?: boolean;
}

const docs = 'docs/reference/options.md';
const known = { ...claimOptionNames, key: true, fingerprint: true } as const satisfies NamesOf<OnceOptions<unknown>>;
const knownOfCall = { remainingMs: true, redelivered: true } as const satisfies NamesOf<OnceCall>;

/** What became of a call. Only `completed` means that the effect has happened. */
export type OnceOutcome<R> =
  /** The effect happened: now (`replayed: false`), or before (`replayed: true`, with the recorded result if there is one). */
  | { readonly outcome: 'completed'; readonly replayed: false; readonly result: R }
  | {
      readonly outcome: 'completed';
      readonly replayed: true;
      readonly result: R | undefined;
      readonly recorded: boolean;
    }
  /** It is not known yet whether an earlier attempt applied it. Call again after `retryAfterMs`. */
  | { readonly outcome: 'in-doubt'; readonly retryAfterMs: number }
  /** It failed for good, earlier. */
  | { readonly outcome: 'rejected'; readonly error: RecordedError }
  /** Another worker runs it. Call again after `retryAfterMs`. */
  | { readonly outcome: 'in-flight'; readonly retryAfterMs: number }
  /** Its outcome is in doubt, and an operator has to decide. It does not run until then. */
  | { readonly outcome: 'parked'; readonly error: RecordedError }
  /** The key was used before with another payload. Nothing was run. */
  | { readonly outcome: 'key-reused' };

/**
 * Wraps an async function so that its effect happens once per key.
 *
 * The returned function returns the outcome of the call. It rejects with what `fn` threw, once that is recorded; with
 * `StoreUnavailableError` when no claim could be had; with `InvalidMessageError` when the key is missing.
 *
 * @param defaultHost for options without one
 * @throws OptionError at once when an option is missing or out of range
 */
export function once<Input, R>(
  options: OnceOptions<Input>,
  fn: (input: Input, claim: Claim) => Promise<R> | R,
  defaultHost?: Host,
): (input: Input, call?: OnceCall) => Promise<OnceOutcome<R>> {
  expectOptions(options, { door: 'once', known: { ...known, ...ofWorlds }, refused: { ...ofQueues, ...ofHttp }, docs });
  const settings = settingsOf(options, { host: (options.host ?? defaultHost) as Host, watched: true });
  const { key } = options;
  const named = typeof key === 'string' && /^\w+$/.test(key) ? key : 'orderId';
  const example = `(input) => input.${named}`;
  expect(typeof key === 'function', 'key', `a function from the input to its key: ${example}`, key, 'wrong-key-option');
  expect(
    typeof fn === 'function',
    'the function that once wraps',
    'a function, after the options',
    fn,
    'wrong-handler',
  );
  const rule = options.fingerprint === undefined ? undefined : ruleOf<Input>(options.fingerprint);
  const engine: Engine<Input> = { settings, fallback: fallbackLease(settings) };

  return async function callOnce(input, call = {}) {
    expectOptions(call, { door: 'a call of once', known: knownOfCall, others: 'ignored', inherited: 'taken', docs });
    const identity = identify(settings.operation, options.key(input), settings.host, () => missingIn(key, input));
    const deadline = call.remainingMs && settings.host.now() + call.remainingMs();
    const prints = printsOf(
      rule,
      (by) => ('of' in by ? by.of(input) : canonicalValue(input, by.ignore)),
      settings.host,
    );
    const attributes = options.attributes && checkedAttributes(options.attributes(input));
    const { redelivered } = call;
    const acquired = await acquire(engine, { identity, ...prints, attributes, deadline, redelivered });
    if (acquired.grant === undefined) return outcomeOfRefused(acquired);
    return outcomeOfRun(await run(engine, acquired.grant, fn, input));
  };
}

/** @throws StoreUnavailableError when no claim could be had */
function outcomeOfRefused<R>(refused: Extract<Acquired, { readonly grant?: undefined }>): OnceOutcome<R> {
  if (refused.kind === 'unavailable') {
    const { cause } = refused;
    // Without the key: such a message ends in logs, and keys can be personal.
    throw new StoreUnavailableError(`nothing was run: the claims store failed: ${recordedError(cause).message}`, {
      cause,
    });
  }
  const { record } = refused;
  const error = record.error ?? { name: 'Error', message: '' };
  switch (refused.kind) {
    case 'in-flight':
      return { outcome: 'in-flight', retryAfterMs: refused.retryAfterMs };
    case 'suspect':
      return { outcome: 'in-flight', retryAfterMs: 0 };
    case 'parked':
      return { outcome: 'parked', error };
    case 'key-reused':
      return { outcome: 'key-reused' };
    case 'replayed': {
      if (record.status === 'rejected') return { outcome: 'rejected', error };
      // Parsed anew for each caller: a shared object that one of them changes would be another answer for the next.
      const result = record.result === undefined ? undefined : (JSON.parse(record.result) as R);
      return { outcome: 'completed', replayed: true, result, recorded: record.resultOmitted === undefined };
    }
  }
}

/** @throws what the handler threw */
function outcomeOfRun<R>(ran: RunResult<R>): OnceOutcome<R> {
  switch (ran.kind) {
    case 'returned':
      return { outcome: 'completed', replayed: false, result: ran.value };
    case 'reconciled':
      return { outcome: 'completed', replayed: true, result: ran.value, recorded: true };
    case 'in-doubt':
      if (ran.recorded === 'parked') return { outcome: 'parked', error: ran.error };
      return { outcome: 'in-doubt', retryAfterMs: ran.retryAfterMs };
    case 'threw':
    case 'not-started':
      throw ran.error;
  }
}
