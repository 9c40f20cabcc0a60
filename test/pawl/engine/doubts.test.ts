import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import {
  type Claim,
  type ClaimEvent,
  InDoubtError,
  memoryStore,
  OptionError,
  once,
  RejectedError,
  RetryableError,
  type StepOptions,
  step,
} from '../../../lib/pawl/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const maria = { by: 'maria', note: 'seen at the provider' };
const park: StepOptions = { onAbandoned: 'park' };
const retry: StepOptions = { onAbandoned: 'retry' };

/** Attempts of one payment, each by another worker, and operators whose clocks are their own. */
function setUp() {
  const host = virtualHost();
  const store = memoryStore();
  const events: ClaimEvent[] = [];
  const options = {
    operation: 'pay',
    store,
    key: () => 'p-1',
    onAbandoned: 'retry',
    onEvent: (event: ClaimEvent) => void events.push(event),
    host,
  } as const;
  return {
    host,
    store,
    events,
    record: () => store.records()[0],
    operator: (aheadMs = 0) =>
      resolverOf({ operation: 'pay', store, ...{ host: { ...host, now: () => host.now() + aheadMs } } }),
    attempt: (fn: (claim: Claim) => unknown) => once<string, unknown>(options, (_, claim) => fn(claim)).outcome('p-1'),
    /** A worker that dies where its handler waits for ever; its lease has ended when this has. */
    async dies(fn: (claim: Claim, death: Promise<never>) => unknown): Promise<void> {
      const dead = once<string, unknown>({ ...options, host: { ...host, after: () => () => undefined } }, (_, claim) =>
        fn(claim, new Promise<never>(() => undefined)),
      ).outcome;
      void dead('p-1');
      await host.advance(3_600_000);
    },
  };
}

describe('a resolution', () => {
  it('decides the doubt it was made for, and not one that comes later, however far ahead its clock was', async () => {
    const { dies, attempt, operator, host } = setUp();
    let applied = 0;
    const charge = (claim: Claim, death?: Promise<never>) => step(claim, 'charge', () => ++applied && death, park);
    await dies((claim, death) => step(claim, 'charge', () => death, park));
    await expect(attempt(charge)).rejects.toThrow(InDoubtError);
    await operator(900).resolve('p-1', 'not-applied', maria);
    await host.advance(500);
    // Redriven: it is applied, and the worker dies before it can say so.
    await dies(charge);
    expect(applied).toBe(1);
    await expect(attempt(charge)).rejects.toThrow('charge was started');
    expect(applied).toBe(1);
  });

  it('that speaks of the claim as a whole is refused while several steps are in doubt, and names them', async () => {
    const { dies, attempt, operator, record } = setUp();
    const ran: string[] = [];
    const both = (claim: Claim, death?: Promise<never>) =>
      Promise.all(
        ['charge', 'receipt'].map((name) => step(claim, name, () => ran.push(name) && (death ?? `${name} done`), park)),
      );
    await dies(both);
    await expect(attempt((claim) => both(claim))).rejects.toThrow(InDoubtError);
    const before = record();
    for (const verdict of ['not-applied', 'retry'] as const) {
      const refused = await operator().resolve('p-1', verdict, maria);
      expect(refused).toMatchObject({ outcome: 'steps-in-doubt', steps: ['charge', 'receipt'] });
    }
    expect(await operator().resolve('p-1', { charge: 'not-applied' }, maria)).toMatchObject({
      outcome: 'steps-in-doubt',
    });
    expect(record()).toEqual(before);

    const bySteps = { charge: { verdict: 'applied', result: 'ch_1' }, receipt: 'not-applied' } as const;
    expect(await operator().resolve('p-1', bySteps, maria)).toMatchObject({ outcome: 'resolved' });
    expect(record()).toMatchObject({
      status: 'released',
      resolution: { verdict: 'by-step', steps: { charge: 'applied', receipt: 'not-applied' }, ...maria },
    });
    expect(await attempt((claim) => both(claim))).toMatchObject({
      outcome: 'completed',
      result: ['ch_1', 'receipt done'],
    });
    expect(ran).toEqual(['charge', 'receipt', 'receipt']);
  });

  it('of the whole claim as applied ends all of its steps', async () => {
    const { dies, attempt, operator } = setUp();
    const ran: string[] = [];
    const both = (claim: Claim, death?: Promise<never>) =>
      Promise.all(['a', 'b'].map((name) => step(claim, name, () => ran.push(name) && death, park)));
    await dies(both);
    await expect(attempt(both)).rejects.toThrow(InDoubtError);
    expect(await operator().resolve('p-1', 'applied', maria)).toMatchObject({ outcome: 'resolved' });
    expect(await attempt(both)).toMatchObject({ outcome: 'completed', replayed: true });
    expect(ran).toEqual(['a', 'b']);
  });

  it('made with an older look is refused when the claim was granted since', async () => {
    const { dies, attempt, operator } = setUp();
    const charge = (claim: Claim, death?: Promise<never>) => step(claim, 'charge', () => death, park);
    await dies(charge);
    await expect(attempt(charge)).rejects.toThrow(InDoubtError);
    const seen = await operator().read('p-1');
    await operator().resolve('p-1', 'not-applied', maria);
    await dies(charge);
    await expect(attempt(charge)).rejects.toThrow(InDoubtError);
    const late = await operator().resolve('p-1', 'not-applied', { by: 'otto', note: '', fence: seen?.fence });
    expect(late).toMatchObject({ outcome: 'another-doubt', claim: { status: 'parked' } });
  });

  it('is refused when it is none, and when what it says cannot be kept', async () => {
    const { dies, attempt, operator } = setUp();
    const charge = (claim: Claim, death?: Promise<never>) => step(claim, 'charge', () => death, park);
    await dies(charge);
    await expect(attempt(charge)).rejects.toThrow(InDoubtError);
    const { resolve } = operator();
    await expect(resolve('p-1', { charge: 'perhaps' as never }, maria)).rejects.toThrow('verdict of step charge');
    await expect(resolve('p-1', null as never, maria)).rejects.toThrow(OptionError);
    await expect(resolve('p-1', 'retry', { by: 'maria', note: 'x'.repeat(2001) })).rejects.toThrow(/^note: expected/);
    const large = { charge: { verdict: 'applied', result: 'x'.repeat(200_001) } } as const;
    await expect(resolve('p-1', large, maria)).rejects.toThrow('too-large');
    expect(await resolve('p-1', {}, maria)).toMatchObject({ outcome: 'steps-in-doubt', steps: ['charge'] });
  });
});

describe('an effect beside other work', () => {
  /** A mail that is sent although its provider's answer fails, beside an audit that says that nothing was applied. */
  const audited = async (claim: Claim, sent: () => void, error: unknown) => {
    const sending = claim.effect(async () => {
      for (let turn = 0; turn < 5; turn++) await undefined;
      sent();
      throw error;
    });
    await Promise.reject(new RetryableError('the audit log is busy'));
    await sending;
  };

  it.each([
    ['an error', new Error('socket hang up')],
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['zero', 0],
  ])('that fails unknown with %s is in doubt, whatever the handler threw meanwhile', async (_, error) => {
    const host = virtualHost();
    const store = memoryStore();
    let sent = 0;
    const call = once<string, unknown>(
      { operation: 'mail', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host },
      (__, claim) => audited(claim, () => sent++, error),
    ).outcome;
    await call('m-1').catch(() => undefined);
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
    expect(await call('m-1')).toMatchObject({ outcome: 'parked' });
    expect(sent).toBe(1);
  });

  it('that failed before the handler threw something else is decided by its own error', async () => {
    const store = memoryStore();
    const call = once<string, unknown>(
      { operation: 'mail', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host: virtualHost() },
      async (_, claim) => {
        await claim.effect(() => Promise.reject(new Error('socket hang up'))).catch(() => undefined);
        throw new RetryableError('something else');
      },
    ).outcome;
    await expect(call('m-1')).rejects.toThrow('socket hang up');
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it.each([
    ['returns', () => 'the handler has ended'],
    ['says that nothing was applied', () => Promise.reject(new RetryableError('the audit log is busy'))],
    ['rejects', () => Promise.reject(new RejectedError('the address does not exist'))],
  ])(
    'that never ends is in doubt when the time is over, and is recorded as that, also where the handler %s',
    async (_, rest) => {
      const host = virtualHost();
      const store = memoryStore();
      const call = once<string, unknown>(
        { operation: 'mail', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host },
        async (__, claim) => {
          void claim.effect(() => new Promise(() => undefined));
          return rest();
        },
      ).outcome;
      const answer = call('m-1', { remainingMs: () => 30_000 }).catch((error: Error) => error.message);
      await host.advance(29_500);
      expect(await answer).toContain('had not ended when the time was over');
      expect(store.records()).toMatchObject([{ status: 'parked' }]);
    },
  );
});

describe.each(['park', 'retry'] as const)('an effect that could not start, under %s', (onAbandoned) => {
  it.each<[string, (claim: Claim, send: () => void) => unknown]>([
    [
      'catches that',
      (claim, send) =>
        Promise.resolve()
          .then(() => claim.effect(send))
          .catch(() => 'later'),
    ],
    [
      'starts it in a branch that nobody waits for',
      (claim, send) => {
        void Promise.resolve()
          .then(() => claim.effect(send))
          .catch(() => undefined);
      },
    ],
  ])('keeps its claim from completing, also where the handler %s', async (_, handle) => {
    const host = virtualHost();
    const store = memoryStore();
    let sent = 0;
    const call = once<string, unknown>(
      { operation: 'mail', store, key: (id) => id, onAbandoned, marksEffect: true, onEvent: () => undefined, host },
      async (__, claim) => {
        await new Promise<void>((resolve) => host.after(claim.remainingMs(), resolve));
        return handle(claim, () => sent++);
      },
    ).outcome;
    const late = call('m-1', { remainingMs: () => 10_000 }).catch((error: unknown) => error);
    await host.advance(10_000);
    await late;
    expect([store.records()[0]?.status, sent]).toEqual(['released', 0]);
  });
});

describe('a step that nobody waits for', () => {
  it('is waited for, and fails the claim when it fails after the handler has ended', async () => {
    const { attempt, record, host, events } = setUp();
    const answer = attempt(async (claim) => {
      void step(
        claim,
        'mail',
        () => new Promise((_, reject) => host.after(100, () => reject(new Error('refused')))),
        retry,
      );
      return 'done';
    }).catch((error: Error) => error.message);
    await host.advance(200);
    expect(await answer).toBe('refused');
    expect(record()).toMatchObject({ status: 'released' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'step-failed', step: 'mail', error: { name: 'Error', message: 'refused' } }),
    );
  });

  it('fails the claim also when it fails before the handler has ended', async () => {
    const { attempt, record, events } = setUp();
    const attempted = attempt(async (claim) => {
      void step(claim, 'mail', () => Promise.reject(new Error('refused')), retry);
      for (let turn = 0; turn < 20; turn++) await undefined;
    });
    await expect(attempted).rejects.toThrow('refused');
    expect(record()).toMatchObject({ status: 'released' });
    expect(events.map(({ type }) => type)).toEqual(['granted', 'step-failed', 'released']);
  });

  it('or whose error is caught, and that is left in doubt, never lets the claim complete', async () => {
    const { attempt, record } = setUp();
    const swallowing = async (claim: Claim) => {
      await step(claim, 'mail', () => Promise.reject(new Error('socket hang up')), park).catch(() => undefined);
      return 'all is well';
    };
    await expect(attempt(swallowing)).rejects.toThrow(InDoubtError);
    expect(record()).toMatchObject({ status: 'parked' });
  });

  it('does not start after its handler has thrown: the claim is rejected by then', async () => {
    const { attempt, record } = setUp();
    const ran: string[] = [];
    const gate = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    await expect(
      attempt(async (claim) => {
        late = gate.promise.then(() => step(claim, 'mail', () => ran.push('mail'), retry));
        late.catch(() => undefined);
        throw new RejectedError('no such customer');
      }),
    ).rejects.toThrow('no such customer');
    gate.resolve();
    await expect(late).rejects.toThrow('its handler has ended');
    expect(ran).toEqual([]);
    expect(record()).toMatchObject({ status: 'rejected' });
  });

  it('may begin the next one, which is waited for as well', async () => {
    const { attempt } = setUp();
    const ran: string[] = [];
    await attempt(async (claim) => {
      void step(claim, 'a', () => ran.push('a'), retry).then(() => step(claim, 'b', () => ran.push('b'), retry));
    });
    expect(ran).toEqual(['a', 'b']);
  });
});

describe('a step in doubt', () => {
  const asking = (verdict: 'applied' | 'not-applied' | 'inconclusive'): StepOptions => ({
    onAbandoned: reconcile({ ask: () => ({ verdict }), settleMs: 1000 }),
  });
  const hungUp = () => Promise.reject(new Error('socket hang up'));

  it('whose provider can be asked is not closed by a handler that makes a final word of its error', async () => {
    const { attempt, record, host } = setUp();
    const translating = async (claim: Claim) => {
      try {
        return await step(claim, 'charge', hungUp, asking('applied'));
      } catch {
        throw new RejectedError('the payment failed');
      }
    };
    await attempt(translating).catch(() => undefined);
    expect(record()).toMatchObject({ status: 'released' });
    await host.advance(10_000);
    expect(await attempt(translating)).toMatchObject({ outcome: 'completed' });
  });

  it('whose provider cannot say yet is not closed by a final word either', async () => {
    const { attempt, dies, record } = setUp();
    await dies((claim, death) => step(claim, 'charge', () => death, park));
    await attempt(async (claim) => {
      await step(claim, 'charge', () => 'ch_1', asking('inconclusive')).catch(() => undefined);
      throw new RejectedError('the payment failed');
    }).catch(() => undefined);
    expect(record()).toMatchObject({ status: 'released' });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'applied'],
    ['no verdict', {}],
    ['another verdict', { verdict: 'yes' }],
    ['a generator', (function* () {})()],
  ])('is as it was where its provider returns %s: that says nothing', async (_, said) => {
    const { attempt, dies, record } = setUp();
    let charged = 0;
    await dies((claim, death) => step(claim, 'charge', () => death, park));
    const options = { onAbandoned: reconcile({ ask: () => said as never, settleMs: 0 }) };
    const asked = attempt((claim) => step(claim, 'charge', () => ++charged, options));
    await expect(asked).rejects.toThrow('step charge may have been applied, and ask: expected { verdict:');
    expect([charged, record()?.status]).toEqual([0, 'released']);
  });

  it('keeps a claim from completing after its marked effect as well', async () => {
    for (const options of [park, asking('inconclusive')]) {
      const { attempt, record } = setUp();
      let sent = 0;
      await attempt(async (claim) => {
        await claim.effect(() => ++sent);
        await step(claim, 'receipt', hungUp, options);
      }).catch(() => undefined);
      expect(record()).toMatchObject({ status: 'parked', error: { message: expect.stringContaining('receipt') } });
      expect(await attempt(() => undefined)).toMatchObject({ outcome: 'parked' });
      expect(sent).toBe(1);
    }
  });

  it.each([
    ['that returns', () => 'nothing to charge'],
    ['that has a final word', () => Promise.reject(new RejectedError('the order was cancelled'))],
  ])('is not forgotten by a later attempt %s without calling it', async (_, later) => {
    const { attempt, dies, operator, record } = setUp();
    await dies((claim, death) => step(claim, 'charge', () => death, park));
    await expect(attempt(later)).rejects.toThrow('in doubt: charge');
    expect(record()).toMatchObject({ status: 'parked' });
    await operator().resolve('p-1', { charge: 'not-applied' }, maria);
    await attempt(later).catch(() => undefined);
    expect(record()?.status).toMatch(/completed|rejected/);
  });

  it('that is called by another name parks the claim, also when the handler catches that', async () => {
    const { attempt, dies, record } = setUp();
    await dies((claim, death) => step(claim, 'charge', () => death, park));
    await attempt(async (claim) => {
      try {
        await step(claim, 'charge-card', () => 'ch_2', park);
      } catch {
        // The rest of the handler goes on without it.
      }
    }).catch(() => undefined);
    expect(record()).toMatchObject({ status: 'parked' });
  });

  it('is not collected by the clock while its claim is released', async () => {
    const { attempt, record } = setUp();
    await attempt((claim) =>
      step(claim, 'charge', hungUp, asking('applied')).catch(() => Promise.reject(new RetryableError('later'))),
    ).catch(() => undefined);
    expect(record()).toMatchObject({ status: 'released', expiresAt: undefined });
  });
});

describe('an effect that says that it applied nothing', () => {
  const refused = () => Promise.reject(new RetryableError('the balance is too low'));
  const translated: readonly (readonly [string, unknown, string])[] = [
    ['a final word', new RejectedError('insufficient balance'), 'rejected'],
    ['another retryable one', new RetryableError('later'), 'released'],
    ['an error that does not say', new Error('wrapped'), 'released'],
    ['a doubt', new InDoubtError('who knows'), 'parked'],
  ];

  it.each(translated)('is what the handler makes of it: %s', async (_, error, status) => {
    const store = memoryStore();
    const call = once<string, unknown>(
      { operation: 'pay', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host: virtualHost() },
      async (__, claim) => {
        await claim.effect(refused).catch(() => undefined);
        throw error;
      },
    ).outcome;
    await call('p-1').catch(() => undefined);
    expect(store.records()).toMatchObject([{ status, unknownAt: status === 'parked' ? expect.anything() : undefined }]);
  });
});
