import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { settleDoubt } from '../../../lib/pawl/engine/settle-doubt.ts';
import { afterVerdict } from '../../../lib/pawl/rules/doubt.ts';
import type { Verdict } from '../../../lib/pawl/rules/verdict.ts';
import { engineAtWork } from '../../support/engines.ts';
import { someDay } from '../../support/virtual-host.ts';

const error = { name: 'Error', message: 'cannot say' };
const rules = { settleMs: 2000, skewMs: 1000, maxAbandoned: 3 };
const inDoubt = { unknownAt: someDay, abandoned: 0 };

describe('what follows from a verdict', () => {
  it('is that the claim completes where the effect was applied, however early', () => {
    expect(afterVerdict('applied', inDoubt, rules, error, someDay)).toEqual({ kind: 'applied' });
  });

  it('is that the handler runs where nothing was applied, once that has settled', () => {
    expect(afterVerdict('not-applied', inDoubt, rules, error, someDay + 3000)).toEqual({ kind: 'run' });
  });

  it('is another question where that has not settled yet, and no failure of the provider’s', () => {
    expect(afterVerdict('not-applied', inDoubt, rules, error, someDay + 2999)).toEqual({
      kind: 'ask-later',
      outcome: { status: 'released', error, inconclusive: false },
      retryAfterMs: 1,
    });
  });

  it('is another question where the provider cannot say, and never less than no time later', () => {
    expect(afterVerdict('inconclusive', inDoubt, rules, error, someDay + 99_000)).toEqual({
      kind: 'ask-later',
      outcome: { status: 'released', error, inconclusive: true },
      retryAfterMs: 0,
    });
  });

  it('is an operator’s decision where the provider could not say once too often', () => {
    const twice = { unknownAt: someDay, abandoned: 2 };
    expect(afterVerdict('inconclusive', twice, rules, error, someDay)).toMatchObject({
      outcome: { status: 'parked', error },
    });
    expect(afterVerdict('not-applied', twice, rules, error, someDay)).toMatchObject({
      outcome: { status: 'released' },
    });
  });
});

/** An engine with a claim in doubt since now, and a provider that says this. */
async function doubtful(ask: () => Promise<Verdict> | Verdict) {
  const atWork = engineAtWork({ onAbandoned: reconcile<string>({ ask, settleMs: 2000 }) });
  const granted = await atWork.grant();
  granted.record = { ...granted.record, unknownAt: someDay };
  atWork.events.length = 0;
  return { ...atWork, granted };
}

describe('a doubt about an earlier attempt', () => {
  it('is none where nothing is in doubt, and nobody is asked', async () => {
    let asked = 0;
    const ask = () => {
      asked++;
      return { verdict: 'inconclusive' } as const;
    };
    const { engine, grant } = engineAtWork({ onAbandoned: reconcile<string>({ ask, settleMs: 2000 }) });
    expect(await settleDoubt(engine, await grant(), 'r-1')).toBeUndefined();
    expect(asked).toBe(0);
  });

  it('is left to the handler where no provider can be asked', async () => {
    const { engine, grant } = engineAtWork();
    const granted = await grant();
    granted.record = { ...granted.record, unknownAt: someDay };
    expect(await settleDoubt(engine, granted, 'r-1')).toBeUndefined();
  });

  it.each([
    [2999, false],
    [3000, true],
  ])(
    'is reported with the verdict, and whether it was late enough to be believed: after %i ms, %s',
    async (ms, settled) => {
      const { engine, granted, events, host } = await doubtful(() => ({ verdict: 'not-applied' }));
      await host.advance(ms);
      await settleDoubt(engine, granted, 'r-1');
      expect(events[0]).toMatchObject({ type: 'reconciled', verdict: 'not-applied', settled });
    },
  );

  it('is settled by the clock as it was before the question: what the provider has seen is no newer', async () => {
    const atWork = await doubtful(async () => {
      await new Promise<void>((resolve) => atWork.host.after(5000, resolve));
      return { verdict: 'not-applied' };
    });
    const settled = settleDoubt(atWork.engine, atWork.granted, 'r-1');
    await atWork.host.advance(5000);
    expect(await settled).toMatchObject({ kind: 'in-doubt', retryAfterMs: 3000, recorded: 'released' });
    expect(atWork.events[0]).toMatchObject({ type: 'reconciled', settled: false });
  });

  it('ends with the provider’s result where the effect was applied', async () => {
    const { engine, granted, records } = await doubtful(() => ({ verdict: 'applied', result: 'card-1' }));
    expect(await settleDoubt(engine, granted, 'r-1')).toEqual({
      kind: 'reconciled',
      value: 'card-1',
      recorded: 'completed',
    });
    expect(records()).toMatchObject([{ status: 'completed', result: '"card-1"' }]);
  });

  it('keeps the provider’s error, where it threw one', async () => {
    const ask = () => {
      throw new TypeError('503');
    };
    const { engine, granted, records, events } = await doubtful(ask);
    const thrown = { name: 'TypeError', message: '503' };
    expect(await settleDoubt(engine, granted, 'r-1')).toMatchObject({ kind: 'in-doubt', error: thrown });
    expect(events[0]).toMatchObject({ type: 'reconciled', verdict: 'inconclusive' });
    expect(records()).toMatchObject([{ status: 'released', error: thrown, abandoned: 1 }]);
  });

  it.each([
    [undefined, 'a value without a verdict'],
    [null, 'a value without a verdict'],
    ['applied', 'a value without a verdict'],
    [{}, 'a value without a verdict'],
    [{ verdict: true }, 'another verdict'],
    [{ verdict: 'card 4111' }, 'another verdict'],
    [{ verdict: 'aplied' }, "another verdict. Did you mean 'applied'?"],
  ])('stays where ask returns what is no verdict, and says that it is at fault: %s', async (said, came) => {
    const { engine, granted, events, records } = await doubtful(() => said as never);
    const expected = "{ verdict: 'applied' | 'not-applied' | 'inconclusive' }";
    const message = `ask: expected ${expected}; it returned ${came}`;
    const error = { name: 'Error', message: expect.stringContaining(message) };
    expect(await settleDoubt(engine, granted, 'r-1')).toMatchObject({
      kind: 'in-doubt',
      error,
      recorded: 'released',
    });
    expect(events[0]).toMatchObject({ verdict: 'inconclusive' });
    expect(records()).toMatchObject([{ abandoned: 1 }]);
  });

  it('leaves no timer behind: neither a heartbeat, nor a watch over the lease', async () => {
    const { engine, granted, host } = await doubtful(() => ({ verdict: 'applied' }));
    let timers = 0;
    const after: typeof host.after = (ms, callback) => {
      timers++;
      const cancel = host.after(ms, () => {
        timers--;
        callback();
      });
      let cancelled = false;
      return () => {
        if (!cancelled) timers--;
        cancelled = true;
        cancel();
      };
    };
    const settings = { ...engine.settings, host: { ...host, after } };
    await settleDoubt({ ...engine, settings }, granted, 'r-1');
    expect(timers).toBe(0);
  });
});

describe('the policy to ask', () => {
  it('needs a function, and a whole number of milliseconds', () => {
    const ask = () => ({ verdict: 'inconclusive' }) as const;
    expect(reconcile({ ask, settleMs: 0 })).toMatchObject({ kind: 'reconcile', ask, settleMs: 0 });
    expect(() => reconcile({ ask: 'applied' as never, settleMs: 0 })).toThrow(
      'reconcile.ask: expected a function; got "applied"',
    );
    expect(() => reconcile({ ask, settleMs: -1 })).toThrow('reconcile.settleMs: expected a whole number');
  });
});
