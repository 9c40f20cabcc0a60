import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type ClaimStore,
  InDoubtError,
  memoryStore,
  type OnceFunction,
  type OnceOptions,
  once,
  RejectedError,
  ResultNotKeptError,
  RetryableError,
  reconcile,
  StoreUnavailableError,
} from '../../../lib/pawl/index.ts';
import { errorKind } from '../../../lib/pawl/kernel/error-kind.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Refund {
  readonly id: string;
  readonly cents: number;
}
const payment: Refund = { id: 'payment-17', cents: 1250 };
const receipt = { refund: 're_17' };

function setUp<R, Kept extends boolean = true>(
  fn: (payment: Refund) => Promise<R> | R,
  more: Partial<OnceOptions<Refund, Kept>> = {},
) {
  const host = virtualHost();
  const store = memoryStore();
  const base: OnceOptions<Refund, Kept> = {
    operation: 'refund',
    store,
    key: ({ id }: Refund) => id,
    fingerprint: ({ cents }) => String(cents),
    onAbandoned: 'park',
    onEvent: () => undefined,
    host,
    ...more,
  };
  return { host, store, base, refund: once<Refund, R, Kept>(base, fn) };
}

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => expect.unreachable(`it returned ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );

/** Leaves the claim of the payment to a worker that is at work and does not end. */
async function leaveInFlight({ base, host }: ReturnType<typeof setUp<unknown>>) {
  const other = once({ ...base, recordResult: true }, () => new Promise<never>(() => undefined));
  void other(payment).catch(() => undefined);
  await host.advance(1);
}

describe('a call of a once-function', () => {
  it('returns what the handler returned: now, and to a duplicate', async () => {
    let runs = 0;
    const { refund } = setUp(() => ({ ...receipt, run: ++runs }));
    expect(await refund(payment)).toEqual({ ...receipt, run: 1 });
    expect(await refund(payment)).toEqual({ ...receipt, run: 1 });
    expect(await refund.outcome(payment)).toEqual({
      outcome: 'completed',
      replayed: true,
      recorded: true,
      result: { ...receipt, run: 1 },
    });
  });

  it('returns nothing to a duplicate of a handler that returned nothing', async () => {
    const { refund } = setUp(async () => undefined);
    expect(await refund(payment)).toBeUndefined();
    expect(await refund(payment)).toBeUndefined();
  });

  it('throws while another worker runs it, and says when to call again', async () => {
    const made = setUp(() => receipt);
    await leaveInFlight(made);
    const error = await thrownBy(made.refund(payment));
    expect(error).toBeInstanceOf(RetryableError);
    const { retryAfterMs, message } = error as RetryableError;
    expect(await made.refund.outcome(payment)).toEqual({ outcome: 'in-flight', retryAfterMs });
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(message).toContain('nothing was run: another worker runs this call');
  });

  it('throws while its outcome is in doubt, and says when to call again', async () => {
    const ask = () => ({ verdict: 'not-applied' }) as const;
    const { refund } = setUp<never>(() => Promise.reject(new Error('reset')), {
      onAbandoned: reconcile({ ask, settleMs: 5000 }),
    });
    await expect(refund(payment)).rejects.toThrow('reset');
    const error = await thrownBy(refund(payment));
    expect(error).toBeInstanceOf(RetryableError);
    expect((error as RetryableError).retryAfterMs).toBe(6000);
  });

  it('throws InDoubtError once it is parked, until an operator decides', async () => {
    let fails = true;
    const { refund, store } = setUp(() => {
      if (fails) throw new Error('the connection was reset');
      return receipt;
    });
    await expect(refund(payment)).rejects.toThrow('the connection was reset');
    fails = false;
    const error = await thrownBy(refund(payment));
    expect(error).toBeInstanceOf(InDoubtError);
    expect((error as Error).message).toContain('the connection was reset');
    const parked = resolverOf({ operation: 'refund', store });
    await parked.resolve(payment.id, 'not-applied', { by: 'maria', note: 'not at the bank' });
    expect(await refund(payment)).toEqual(receipt);
  });

  it('throws RejectedError to a duplicate of what failed for good, and to a key with another payload', async () => {
    const { refund } = setUp<never>(() => Promise.reject(new RejectedError('the account is closed')));
    await expect(refund(payment)).rejects.toThrow('the account is closed');
    const rejected = await thrownBy(refund(payment));
    expect(rejected).toBeInstanceOf(RejectedError);
    expect((rejected as Error).message).toContain('it failed for good, earlier: RejectedError: the account is closed');
    const reused = await thrownBy(refund({ ...payment, cents: 9 }));
    expect(reused).toBeInstanceOf(RejectedError);
    expect((reused as Error).message).toContain('docs/errors.md#key-reused');
  });

  it.each([
    ['too large', { maxResultBytes: 3 }, () => receipt],
    ['no JSON', {}, () => ({ cents: 1250n })],
  ] as const)('throws to a duplicate whose result was not kept: %s', async (_, more, fn) => {
    const { refund } = setUp<unknown>(fn, more);
    expect(await refund(payment)).toEqual(fn());
    expect(await thrownBy(refund(payment))).toBeInstanceOf(ResultNotKeptError);
    expect(await refund.outcome(payment)).toMatchObject({ outcome: 'completed', recorded: false });
  });

  it('throws so to a duplicate of a handler that failed after its effect: nobody has said what the result is', async () => {
    const host = virtualHost();
    const charge = once(
      { operation: 'charge', store: memoryStore(), key: (id: string) => id, onAbandoned: 'park', onEvent() {}, host },
      async (_, claim): Promise<{ readonly id: string }> => {
        await claim.effect(() => 'applied');
        throw new Error('the order could not be saved');
      },
    );
    await expect(charge('o-1')).rejects.toThrow('could not be saved');
    expect(await thrownBy(charge('o-1'))).toBeInstanceOf(ResultNotKeptError);
  });

  it('throws so to a duplicate of what an operator found applied', async () => {
    const { refund, store } = setUp<never>(() => Promise.reject(new Error('reset')));
    await expect(refund(payment)).rejects.toThrow('reset');
    const parked = resolverOf({ operation: 'refund', store });
    await parked.resolve(payment.id, 'applied', { by: 'maria', note: 'it is at the bank' });
    expect(await thrownBy(refund(payment))).toBeInstanceOf(ResultNotKeptError);
  });

  it('throws so where its provider says that it was applied, and not what it returned', async () => {
    const ask = () => ({ verdict: 'applied' }) as const;
    const onAbandoned = reconcile({ ask, settleMs: 0 });
    const { refund, base } = setUp<typeof receipt>(() => Promise.reject(new Error('reset')), { onAbandoned });
    await expect(refund(payment)).rejects.toThrow('reset');
    // The call that has asked, and every later one.
    expect(await thrownBy(refund(payment))).toBeInstanceOf(ResultNotKeptError);
    expect(await thrownBy(refund(payment))).toBeInstanceOf(ResultNotKeptError);
    const unknown = { outcome: 'completed', replayed: true, result: undefined, recorded: false };
    expect(await refund.outcome(payment)).toEqual(unknown);
    const failing = once({ ...base, operation: 'none', recordResult: false }, () => Promise.reject(new Error('reset')));
    await expect(failing(payment)).rejects.toThrow('reset');
    expect(await failing(payment)).toBeUndefined();
    expect(await failing(payment)).toBeUndefined();
  });

  it('returns nothing under recordResult: false, now and to a duplicate, whatever became of the result', async () => {
    const { refund, store, base } = setUp(() => receipt, { recordResult: false });
    expect(await refund(payment)).toBeUndefined();
    expect(await refund(payment)).toBeUndefined();
    const failing = once({ ...base, operation: 'other' }, () => Promise.reject(new Error('reset')));
    await expect(failing(payment)).rejects.toThrow('reset');
    await resolverOf({ operation: 'other', store }).resolve(payment.id, 'applied', { by: 'maria', note: 'seen' });
    expect(await failing(payment)).toBeUndefined();
  });

  it('throws StoreUnavailableError where the store fails: nothing was run', async () => {
    const broken: ClaimStore = {
      read: () => Promise.reject(new Error('down')),
      write: () => Promise.reject(new Error('down')),
    };
    let runs = 0;
    const { refund, host } = setUp(() => ++runs, { store: broken });
    const call = thrownBy(refund(payment, { remainingMs: () => 5000 }));
    await host.advance(20_000);
    expect(await call).toBeInstanceOf(StoreUnavailableError);
    expect(runs).toBe(0);
  });

  it('throws RetryableError where too little time is left to start', async () => {
    const { refund } = setUp(() => receipt, { timeoutMs: 10_000 });
    expect(await thrownBy(refund(payment, { remainingMs: () => 5000 }))).toBeInstanceOf(RetryableError);
    expect(await refund(payment, { remainingMs: () => 30_000 })).toEqual(receipt);
  });

  it("refuses Lambda's context as its second argument, and runs nothing: it would not know what time is left", async () => {
    let runs = 0;
    const { refund } = setUp(() => ++runs);
    const context = { getRemainingTimeInMillis: () => 30_000 } as never;
    expect(await thrownBy(refund(payment, context))).toMatchObject({
      message: expect.stringContaining('expected { remainingMs: () => context.getRemainingTimeInMillis() }'),
    });
    expect(runs).toBe(0);
  });

  it('has an outcome that needs no this, and functions that every batch processor can call', async () => {
    const { refund } = setUp(() => receipt);
    const { outcome } = refund;
    expect(await outcome(payment)).toMatchObject({ outcome: 'completed', replayed: false });
    // What `map` hands over besides the record is no set of options.
    const [wrong] = [payment].map(refund as never) as Promise<unknown>[];
    await expect(wrong).rejects.toThrow('a call of once: expected options to be an object; got number');
  });

  it('throws errors that another copy of pawl recognises', async () => {
    const { refund } = setUp(() => receipt, { maxResultBytes: 3 });
    await refund(payment);
    const error = await thrownBy(refund(payment));
    expect(errorKind({ 'pawl.error': (error as Record<string, unknown>)['pawl.error'] })).toBe('rejected');
    expect((error as ResultNotKeptError).code).toBe('result-not-kept');
  });
});

it('has the types of what it returns', () => {
  const options = {
    operation: 'refund',
    store: memoryStore(),
    key: ({ id }: Refund) => id,
    onAbandoned: 'park',
  } as const;
  const find = async (_: Refund) => receipt;
  const kept = once(options, find);
  expectTypeOf(kept).toEqualTypeOf<OnceFunction<Refund, typeof receipt, true>>();
  expectTypeOf(kept).returns.toEqualTypeOf<Promise<typeof receipt>>();
  expectTypeOf(once({ ...options, recordResult: true }, find)).returns.toEqualTypeOf<Promise<typeof receipt>>();
  const unkept = once({ ...options, recordResult: false }, find);
  expectTypeOf(unkept).returns.toEqualTypeOf<Promise<void>>();
  const either = once({ ...options, recordResult: Math.random() > 2 } as OnceOptions<Refund, boolean>, find);
  // biome-ignore lint/suspicious/noConfusingVoidType: where it is not kept, nothing is returned.
  expectTypeOf(either).returns.toEqualTypeOf<Promise<typeof receipt | void>>();
  const wrong = () => [
    // @ts-expect-error a result that is not kept cannot be read
    unkept(payment).then(({ refund }) => refund),
    // @ts-expect-error what is kept is the handler's result, and no outcome
    kept(payment).then(({ outcome }) => outcome),
    // @ts-expect-error an option that says otherwise belongs into the type
    { ...options, recordResult: false } satisfies OnceOptions<Refund>,
    // @ts-expect-error what `map` hands over besides the record is no set of options
    [payment].map(kept),
  ];
  expect(wrong).toBeTypeOf('function');
});
