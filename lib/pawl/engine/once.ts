import { synchronous } from '../kernel/callable.ts';
import { expect, expectFunction, remainingTime } from '../kernel/check.ts';
import { type ExactRows, keyOptions } from '../kernel/door-options.ts';
import { explained } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { OptionError, RetryableError } from '../kernel/errors.ts';
import { Asked } from '../kernel/heard.ts';
import type { Host } from '../kernel/host.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofOtherDoors } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { canonicalValue } from '../payload/fingerprint.ts';
import { type Compared, type FingerprintOption, printsOf, ruleOf } from '../payload/fingerprint-rule.ts';
import { missingIn } from '../payload/missing-key.ts';
import { recordsIn } from '../payload/records-in.ts';
import { checkedAttributes } from '../rules/attributes.ts';
import { identify, type KeyValue } from '../rules/identity.ts';
import { acquire } from './acquire.ts';
import { warnOfChanged } from './changed-result.ts';
import type { Claim } from './claim.ts';
import type { Engine } from './engine.ts';
import { warnOfGap } from './gap-in-key.ts';
import { useOf } from './handlers.ts';
import { expectCalls, handlersAround, handlersOfCall, isLeftBehind } from './inside-step.ts';
import { expectDone, markNotDone } from './not-done.ts';
import { fieldsOf } from './observe/fields.ts';
import { isObservedNow, sayUnwatchable, Watch, type Watched } from './observe/observer.ts';
import { type Called, outcomeOf } from './once-called.ts';
import { notStarted, type OnceOutcome, resultOf } from './once-result.ts';
import { type ClaimOptions, claimRows, settingsOf } from './options.ts';
import { fallbackLease } from './renewed-lease.ts';
import { run } from './run.ts';

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
export interface OnceOptions<Input, Kept extends boolean = true> extends ClaimOptions<Input> {
  /** The stable identity of the intended effect, taken from the input. */
  readonly key: (input: Input) => KeyValue;
  /**
   * What of the input is its intent, as a text, e.g. `canonicalValue`. A second call with the same key and another intent never runs.
   * `{ ignore }`: the canonical text of the input, but for these paths. `previous`: with the rule that was in force before, for a deployment that changes it.
   * @default nothing is compared
   */
  readonly fingerprint?: FingerprintOption<Input>;
  /**
   * Whether the handler's result is kept, as JSON, and given to duplicates. `false` for a function whose result no caller reads: it then returns nothing,
   * and a duplicate of a call that is done never fails for a result that was not kept.
   * @default true
   */
  readonly recordResult?: Kept;
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
  /** Milliseconds until the caller is stopped, e.g. `context.getRemainingTimeInMillis`; at most 366 days. The lease ends then. Leave it out where nothing stops the caller. */
  readonly remainingMs?: () => number;
  /** The caller knows that this was tried before: a read is made first, which is cheaper than a write that fails. */
  readonly redelivered?: boolean;
}

export type { OnceOutcome };

const docs = 'docs/reference/options.md';
const rows = { ...claimRows, ...keyOptions };
const known = rows satisfies ExactRows<OnceOptions<unknown>, typeof rows>;
const knownOfCall = { remainingMs: true, redelivered: true } as const satisfies NamesOf<OnceCall>;

/**
 * The function that `once` returns. A call returns what the handler returned, now or earlier. Whatever else became of the call is an error, so that a
 * caller which only awaits it never takes for done what is not:
 *
 * | thrown | when |
 * |---|---|
 * | `RetryableError`, with `retryAfterMs` | another worker runs it, or it is not known yet whether an earlier attempt applied it |
 * | `RetryableError` | too little time was left to start, or it has the key and the operation of the handler that it is made in |
 * | `InDoubtError` | it is parked: an operator has to decide |
 * | `RejectedError` | it failed for good, or its key was used before with another payload |
 * | `ResultNotKeptError` | it is done, and its result was not kept; never with `recordResult: false` |
 * | `StoreUnavailableError` | no claim could be had, and nothing was run |
 * | `InvalidMessageError` | the input has no key |
 * | the handler's own error | once that is recorded |
 *
 * @example
 * declare const notify: OnceFunction<Order, { readonly messageId: string }>;
 * const { messageId } = await notify(order); // done, now or earlier; else it throws
 * const { outcome } = await notify.outcome(order); // 'completed', 'in-flight', 'parked', …
 */
export interface OnceFunction<Input, R, Kept extends boolean = true> {
  (input: Input, call?: OnceCall): Promise<Kept extends true ? R : void>;
  /**
   * The same call, for a caller that asks what became of it: only the handler's own error, `StoreUnavailableError`, `InvalidMessageError`, `LeaseError`
   * where too little time was left to start, and the `RetryableError` of a call with the key and the operation of the handler that it is made in, are thrown.
   */
  outcome(input: Input, call?: OnceCall): Promise<OnceOutcome<R>>;
}

/**
 * Wraps an async function so that its effect happens once per key.
 *
 * @param defaultHost for options without one
 * @throws OptionError at once when an option is missing or out of range, or when `fn` is no function, or a generator
 */
export function once<Input, R, Kept extends boolean = true>(
  options: OnceOptions<Input, Kept>,
  fn: (input: Input, claim: Claim) => Promise<R> | R,
  defaultHost?: Host,
): OnceFunction<Input, R, Kept> {
  expectOptions(options, { door: 'once', known, refused: ofOtherDoors(known), docs });
  const settings = settingsOf<Input>(options, { host: (options.host ?? defaultHost) as Host, watched: true });
  const { key } = options;
  const named = typeof key === 'string' && /^\w+$/.test(key) ? key : 'orderId';
  const example = `(input) => input.${named}`;
  expectFunction('key', `a function from the input to its key: ${example}`, key, 'wrong-key-option');
  expectFunction('the function that once wraps', 'a function, after the options', fn, 'wrong-handler');
  const rule = options.fingerprint === undefined ? undefined : ruleOf<Input>(options.fingerprint);
  // Middy may give up on a handler that is a call of `once`, and still runs.
  const mayStillRun = (error: unknown) => errorKind(error) === 'still-running';
  const engine: Engine<Input> = { settings, fallback: fallbackLease(settings), mayStillRun };
  const use = useOf(settings.store, settings.operation, fn);

  /** What a call needs before it asks for its claim. */
  function prepare(input: Input, call: OnceCall) {
    // Its names are none of these options: the error says what to make of it.
    const isContext = propertyOf(call, 'getRemainingTimeInMillis') !== undefined;
    expect(
      !isContext,
      'the second argument of a call',
      '{ remainingMs: () => context.getRemainingTimeInMillis() }',
      call,
    );
    expectOptions(call, { door: 'a call of once', known: knownOfCall, inherited: 'taken', docs });
    expectOneIntent(input);
    const known = identityOf(input);
    expectNotAround(settings, known.identity.id);
    return { ...known, deadline: deadlineOf(call, settings.host), redelivered: call.redelivered };
  }

  /** What an input is known by. @param onIntent hears the text of its intent */
  function identityOf(input: Input, onIntent?: (text: string) => void) {
    const identity = identify(settings.operation, options.key(input), settings.host, () => missingIn(key, input));
    warnOfGap(settings.operation, identity.key);
    const textOf = (by: Compared<Input>) => {
      const text = 'of' in by ? synchronous('fingerprint', by.of(input)) : canonicalValue(input, by.ignore);
      if (by === rule) onIntent?.(text);
      return text;
    };
    const prints = printsOf(rule, textOf, settings.host);
    const attributes = options.attributes && checkedAttributes(options.attributes(input));
    return { identity, ...prints, attributes };
  }

  async function callOnce(input: Input, call: OnceCall): Promise<Called<R>> {
    const acquired = await acquire(engine, prepared(input, call));
    if (acquired.kind === 'replayed') use.foundDone();
    if (acquired.grant === undefined) return acquired;
    use.hasRun();
    const ended = await run(engine, acquired.grant, fn, input);
    const hasResult = settings.recordResult && (ended.kind === 'returned' || ended.kind === 'reconciled');
    if (hasResult) warnOfChanged(settings.operation, 'the function', ended.value);
    return ended;
  }

  /** No event tells of a call that never had an identity, and the caller may be a batch processor that swallows its error. */
  function prepared(input: Input, call: OnceCall) {
    try {
      return prepare(input, call);
    } catch (error) {
      if (errorKind(error) !== 'retryable') warnOfRefused(settings.operation, error);
      throw error;
    }
  }

  /** Calls the function as it would be called without pawl, and watches it. */
  async function callObserved(input: Input, call: OnceCall): Promise<R> {
    const watch = new Watch(engine);
    const from = { delivered: {}, deadline: unlessThrows(() => deadlineOf(call, settings.host)) };
    const run = watch.begin(identityToObserve(input), from);
    try {
      const value = await fn(input, run.claim);
      run.returned(value);
      return value;
    } catch (error) {
      run.threw(error);
      throw error;
    } finally {
      await watch.end(from.deadline);
    }
  }

  /** What an input is known by; nothing if it cannot be told, which is reported. */
  function identityToObserve(input: Input): Watched | undefined {
    let intent: string | undefined;
    try {
      const { identity, ...known } = identityOf(input, (text) => {
        intent = text;
      });
      const fields = intent === undefined ? undefined : fieldsOf(intent, identity.id, settings.host);
      return { identity, ...known, fields };
    } catch (error) {
      sayUnwatchable(engine, error);
      return undefined;
    }
  }

  /** Whether the call is only watched. */
  function isObserved(input: Input): boolean {
    const idOf = () => identify(settings.operation, options.key(input), settings.host).id;
    return settings.enforcedShare !== undefined && isObservedNow(engine, () => unlessThrows(idOf));
  }

  async function callAndReturn(input: Input, call: OnceCall = {}): Promise<R | undefined> {
    if (isObserved(input)) return callObserved(input, call);
    const called = await callOnce(input, call);
    if (called.kind === 'not-started') throw notStarted(called.error);
    const outcome = outcomeOf(called);
    // Not of the first call either: a caller that finds a result there would count on it.
    if (outcome.outcome === 'completed' && !settings.recordResult) return undefined;
    return resultOf(outcome);
  }

  async function callForOutcome(input: Input, call: OnceCall = {}): Promise<OnceOutcome<R>> {
    if (isObserved(input)) return { outcome: 'completed', replayed: false, result: await callObserved(input, call) };
    const outcome = outcomeOf(await callOnce(input, call));
    if (outcome.outcome !== 'completed') markNotDone(outcome, () => resultOf(outcome));
    return outcome;
  }

  // A handler that does not await the call would complete without it, and Lambda would freeze it with its sandbox. Outside, the promise is the caller's own.
  const followed = <T>(started: Promise<T>): Promise<T> => {
    const around = handlersOfCall();
    if (around.length === 0) {
      if (isLeftBehind()) warnOfLateCall(settings.operation);
      return started;
    }
    const asked = Asked.of(started);
    const isOwn = handlersAround().length > 0;
    // An outcome that nobody looks at is done, or it counts.
    const done = started.then(expectDone);
    for (const { work } of around)
      work.followCall(`call of once with operation '${settings.operation}'`, done, asked, isOwn);
    return asked;
  };
  const onceFunction = (...args: Parameters<typeof callAndReturn>) => followed(callAndReturn(...args));
  const outcome = (...args: Parameters<typeof callForOutcome>) => followed(callForOutcome(...args));
  expectCalls();
  return Object.assign(onceFunction as OnceFunction<Input, R, Kept>, { outcome });
}

function unlessThrows<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function warnOfLateCall(operation: string): void {
  const said = `a call of once with operation '${operation}' began when its handler had ended: nothing waits for it`;
  warnOnce('not-awaited', `${operation} late`, `${said}. Await what makes the call, in the handler`);
}

/** Once for each reason: the first mistake would hide the next one. What the author's own code throws is one reason. */
function warnOfRefused(operation: string, error: unknown): void {
  const reason = errorKind(error) === undefined ? 'author-error' : String(propertyOf(error, 'code'));
  warnOnce(
    'author-error',
    `${operation} call ${reason}`,
    `a call of once with operation '${operation}' was refused: ${recordedError(error).message}`,
  );
}

/** @throws OptionError for an event of several records: one claim for all of them would pass by what comes in another company */
function expectOneIntent(input: unknown): void {
  const count = recordsIn(input);
  if (count < 2) return;
  const said = `a call of once: expected what one record is about; got an event of ${count} records. Call it for each of its records`;
  throw new OptionError(said, 'wrong-event');
}

/**
 * A call whose claim is that of a handler around it: it would wait for that claim, and the handler for it. Where the handler has no claim yet, as at the
 * first try of `eachTransaction`, the call would complete what the handler has not done.
 *
 * @throws RetryableError: nothing was applied by the call
 */
function expectNotAround({ store, operation }: Pick<ClaimOptions<never>, 'store' | 'operation'>, id: string): void {
  if (!handlersAround().some((around) => around.id === id && around.store === store)) return;
  const said = `nothing was run: this call has the key and the operation '${operation}' of the handler that it is made in`;
  throw new RetryableError(explained(`${said}. Give it an operation of its own`, 'same-operation'));
}

/** When the caller is stopped, in epoch milliseconds. @throws OptionError unless `remainingMs` returns a time */
function deadlineOf({ remainingMs }: OnceCall, host: Host): number | undefined {
  if (remainingMs === undefined) return undefined;
  const expected = 'a function that returns milliseconds, or no such option where nothing stops the caller';
  expect(typeof remainingMs === 'function', 'remainingMs', expected, remainingMs, 'wrong-time');
  return host.now() + remainingTime('remainingMs', remainingMs());
}
