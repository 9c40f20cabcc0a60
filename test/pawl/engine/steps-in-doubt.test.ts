import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { openClaim } from '../../../lib/pawl/engine/open-claim.ts';
import { type ReconcileOptions, reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { run } from '../../../lib/pawl/engine/run.ts';
import { type StepOptions, step } from '../../../lib/pawl/engine/step.ts';
import { Work } from '../../../lib/pawl/engine/work.ts';
import { InDoubtError, RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import { type Checkpoint, checkpointsOf } from '../../../lib/pawl/rules/checkpoints.ts';
import { engineAtWork } from '../../support/engines.ts';
import { someDay } from '../../support/virtual-host.ts';

/** A claim that a handler was given, with these checkpoints of earlier attempts on its record. */
async function handling(checkpoints: readonly Checkpoint[] = [], more: { readonly unknownAt?: number } = {}) {
  const atWork = engineAtWork({ onAbandoned: 'retry', marginMs: 1000 });
  const granted = await atWork.grant();
  const { record } = granted;
  const earlier = { ...record, ...more, checkpoints: JSON.stringify(checkpoints), rev: 2 };
  await atWork.store.write({ next: earlier, seen: record });
  granted.record = earlier;
  const work = new Work();
  const { claim } = openClaim(atWork.engine, granted, Number.POSITIVE_INFINITY, work);
  const steps = () => checkpointsOf(atWork.records()[0] ?? {});
  atWork.events.length = 0;
  return { ...atWork, granted, work, claim: claim as Claim, steps };
}

const started = (at = someDay): Checkpoint => ({ name: 'charge', state: 'started', at, fence: 1 });
const asking = (ask: ReconcileOptions['ask']): StepOptions => ({
  onAbandoned: reconcile({ ask, settleMs: 2000 }),
});
const park: StepOptions = { onAbandoned: 'park' };
const retry: StepOptions = { onAbandoned: 'retry' };
const never = () => {
  throw new Error('it ran');
};

describe('a step that an earlier attempt left in doubt', () => {
  it('runs again under retry, whatever the policy was then', async () => {
    const { claim, work, steps } = await handling([started()]);
    expect(await step(claim, 'charge', () => 'ch_1', retry)).toBe('ch_1');
    expect(steps()).toMatchObject([{ name: 'charge', state: 'done', result: '"ch_1"' }]);
    expect(work.inDoubt).toEqual([]);
  });

  it('does not run under park', async () => {
    const { claim, work, steps } = await handling([started()]);
    await expect(step(claim, 'charge', never, park)).rejects.toThrow(
      'step charge was started, and did not say how it ended',
    );
    expect(work.inDoubt).toMatchObject([{ error: { name: 'InDoubtError' } }]);
    expect(steps()).toEqual([started()]);
  });

  it('is done, with the result that its provider tells, where it was applied', async () => {
    const { claim, steps } = await handling([started()]);
    const asked: string[] = [];
    const options = asking(({ effectKey }) => {
      asked.push(effectKey);
      return { verdict: 'applied', result: 'ch_0' };
    });
    expect(await step(claim, 'charge', never, options)).toBe('ch_0');
    expect(asked).toEqual(['refund#r-1#charge']);
    expect(steps()).toEqual([{ name: 'charge', state: 'done', at: someDay, fence: 1, result: '"ch_0"' }]);
  });

  it.each([
    ['the checkpoint', someDay, undefined, 3000],
    ['the doubt on the claim, where that is later', someDay, someDay + 500, 3500],
    ['the checkpoint, where that is later', someDay + 700, someDay + 500, 3700],
  ])('runs where it was not applied, once that has settled since %s', async (_, at, unknownAt, settledMs) => {
    for (const early of [1, 0]) {
      const { claim, host, work } = await handling([started(at)], unknownAt === undefined ? {} : { unknownAt });
      await host.advance(settledMs - early);
      const result = step(
        claim,
        'charge',
        () => 'ch_1',
        asking(() => ({ verdict: 'not-applied' })),
      );
      if (early === 0) {
        expect(await result).toBe('ch_1');
        expect(work.inDoubt).toEqual([]);
        continue;
      }
      await expect(result).rejects.toThrow(RetryableError);
      await expect(result).rejects.toThrow('step charge may have been applied, and its provider cannot say yet');
      expect(work.inDoubt).toHaveLength(1);
    }
  });

  it('does not run where it was asked about too early, however late the verdict comes: the effect may be applied meanwhile', async () => {
    const { claim, host, work, steps } = await handling([started()]);
    await host.advance(2999);
    const slow = asking(async () => {
      await host.advance(5000);
      return { verdict: 'not-applied' };
    });
    await expect(step(claim, 'charge', never, slow)).rejects.toThrow('its provider cannot say yet');
    expect(work.inDoubt).toHaveLength(1);
    expect(steps()).toEqual([started()]);
  });

  it.each([
    ['cannot say', () => ({ verdict: 'inconclusive' }) as const],
    [
      'throws',
      () => {
        throw new Error('503');
      },
    ],
    ['fails later', () => Promise.reject(new Error('503'))],
  ])('stays in doubt where its provider %s, however late', async (_, ask) => {
    const { claim, host, work, steps } = await handling([started()]);
    await host.advance(20_000);
    await expect(step(claim, 'charge', never, asking(ask))).rejects.toThrow('its provider cannot say yet');
    expect(work.inDoubt).toHaveLength(1);
    expect(steps()).toEqual([started()]);
  });

  it('that is done has its result, or says that it was not kept', async () => {
    const done = { ...started(), state: 'done' } as const;
    const { claim } = await handling([{ ...done, result: '{"id":5}' }]);
    expect(await step(claim, 'charge', never, park)).toEqual({ id: 5 });
    const without = await handling([done]);
    expect(await step(without.claim, 'charge', never, park)).toBeUndefined();
    const omitted = await handling([{ ...done, omitted: 'too-large' }]);
    await expect(step(omitted.claim, 'charge', never, park)).rejects.toThrow(
      'step charge is done, and its result was not kept: it was too-large',
    );
  });
});

describe('a step that throws', () => {
  const hungUp = new Error('socket hang up');

  it('without saying is in doubt under park: its error has the cause, and it is reported', async () => {
    const { claim, work, steps, events } = await handling();
    const failed = step(claim, 'charge', () => Promise.reject(hungUp), park).catch((error: unknown) => error);
    const error = await failed;
    expect(error).toBeInstanceOf(InDoubtError);
    expect(error).toMatchObject({
      message: 'step charge: socket hang up. See node_modules/pawl/docs/errors.md#step-in-doubt',
      cause: hungUp,
    });
    expect(steps()).toMatchObject([{ name: 'charge', state: 'started' }]);
    expect(work.inDoubt).toEqual([{ error }]);
    expect(events).toMatchObject([
      { type: 'step-failed', step: 'charge', error: { name: 'Error', message: 'socket hang up' } },
    ]);
  });

  it('without saying keeps its error where its provider can be asked', async () => {
    const { claim, work } = await handling();
    const ask = asking(() => ({ verdict: 'inconclusive' }));
    await expect(step(claim, 'charge', () => Promise.reject(hungUp), ask)).rejects.toBe(hungUp);
    expect(work.inDoubt).toEqual([{ error: hungUp }]);
  });

  it('and says that nothing was applied is open, and not in doubt', async () => {
    const { claim, work, steps } = await handling();
    const error = new RetryableError('slow down');
    await expect(step(claim, 'charge', () => Promise.reject(error), park)).rejects.toBe(error);
    expect(steps()).toMatchObject([{ name: 'charge', state: 'open' }]);
    expect(work.inDoubt).toEqual([]);
  });

  it('and cannot write that down is in doubt, whatever it says: its record says that it began', async () => {
    const { claim, work, steps, troubles, host } = await handling();
    const error = new RetryableError('slow down');
    const failed = step(
      claim,
      'charge',
      () => {
        troubles.push(...Array<'down'>(100).fill('down'));
        return Promise.reject(error);
      },
      park,
    ).catch((thrown: unknown) => thrown);
    await host.advance(30_000);
    expect(await failed).toBe(error);
    expect(work.inDoubt).toEqual([{ error }]);
    expect(steps()).toMatchObject([{ state: 'started' }]);
  });

  it('under retry says nothing of its own', async () => {
    const { claim, work, steps } = await handling();
    await expect(step(claim, 'charge', () => Promise.reject(hungUp), retry)).rejects.toBe(hungUp);
    expect([steps(), work.inDoubt]).toEqual([[], []]);
  });
});

describe('a step that its handler does not await', () => {
  const fails = (error: Error) => async () => {
    await Promise.resolve();
    throw error;
  };

  /** The step fails while the handler is at work with another one. */
  async function handled(
    error: Error,
    follow: (failing: Promise<unknown>) => unknown,
    onAbandoned: 'retry' | 'park' = 'retry',
  ) {
    const { engine, grant, records } = engineAtWork({ onAbandoned, marginMs: 1000 });
    const granted = await grant();
    const outcome = await run(
      engine,
      granted,
      async (_, claim: Claim) => {
        follow(step(claim, 'mail', fails(error), retry));
        await step(claim, 'charge', () => 'ch_1', retry);
        await step(claim, 'book', () => 'b_1', retry);
      },
      'input',
    );
    return { kind: outcome.kind, status: records()[0]?.status };
  }

  it.each([new RetryableError('no connection'), new Error('no word')])(
    'and that fails while it is at work is not missing from a claim that completes: %s',
    async (error) => {
      expect(await handled(error, () => undefined)).toEqual({ kind: 'threw', status: 'released' });
    },
  );

  it('says nothing of what the handler has done beside it: under park, nothing of that is repeated', async () => {
    const outcome = await handled(new RetryableError('no connection'), () => undefined, 'park');
    expect(outcome).toEqual({ kind: 'threw', status: 'parked' });
  });

  it('and whose error it has asked for is its own matter', async () => {
    const heard = (failing: Promise<unknown>) => failing.catch(() => 'no mail today');
    expect(await handled(new RetryableError('no connection'), heard)).toEqual({
      kind: 'returned',
      status: 'completed',
    });
  });
});

describe('a step that cannot start', () => {
  it('says that the time is over, or that its handler has ended', async () => {
    const late = await handling();
    await late.host.advance(29_000);
    await expect(step(late.claim, 'charge', never, park)).rejects.toThrow(
      'step charge was not started: the time is over',
    );
    const ended = await handling();
    ended.work.end('threw');
    await expect(step(ended.claim, 'charge', never, park)).rejects.toThrow(
      'step charge was not started: its handler has ended',
    );
    const { late: unstarted } = await ended.work.rest(ended.host, () => 1000);
    expect(unstarted[0]).toMatchObject({ error: { name: 'LeaseError' } });
  });

  it('is another worker’s by now', async () => {
    const { claim, granted, store } = await handling();
    await store.write({ next: { ...granted.record, claimId: 'another', rev: 3 }, seen: granted.record });
    await expect(step(claim, 'charge', never, park)).rejects.toThrow(
      'another worker has the claim: step charge is not started in its record',
    );
  });
});

describe('the name of a step', () => {
  const run = (claim: Claim, name: string) => step(claim, name, () => name, retry);

  it('is 1 to 64 characters of ASCII without spaces, once in a handler', async () => {
    const { claim } = await handling();
    expect(await run(claim, 'x'.repeat(64))).toBe('x'.repeat(64));
    for (const name of ['', 'x'.repeat(65), 'a b', 'é']) {
      expect(() => run(claim, name)).toThrow(
        `the name of a step: expected up to 64 characters of ASCII, without spaces; got ${JSON.stringify(name)}`,
      );
    }
    expect(() => run(claim, 'x'.repeat(64))).toThrow(
      'the name of a step: expected one that no other step of the handler has',
    );
  });

  it('is one of at most 100', async () => {
    const { claim } = await handling();
    for (let index = 1; index <= 100; index++) await run(claim, `s-${index}`);
    expect(() => run(claim, 's-101')).toThrow('the number of steps: expected at most 100; got 101');
  });

  it('stays in its place: a step that is called another way now is in doubt, whoever catches that', async () => {
    const { claim, work } = await handling([{ ...started(), state: 'done' }]);
    const moved = 'step 1 was called charge when it ran, and is called receipt now: the order of steps has changed';
    expect(() => run(claim, 'receipt')).toThrow(moved);
    expect(work.inDoubt).toMatchObject([
      { error: { name: 'InDoubtError', message: `${moved}. See node_modules/pawl/docs/errors.md#step-in-doubt` } },
    ]);
  });

  it('is part of its effect key, which is hashed where it would be longer than 255 characters', async () => {
    const { claim } = await handling();
    const keys: string[] = [];
    const withKey = (name: string) => step(claim, name, ({ effectKey }) => keys.push(effectKey) && effectKey, retry);
    Object.assign(claim, { effectKey: `pay#${'k'.repeat(255 - 7)}` });
    await withKey('ab');
    await withKey('abc');
    expect(keys[0]).toBe(`pay#${'k'.repeat(248)}#ab`);
    expect(keys[1]).toMatch(/^pay#sha256:[0-9a-f]{64}$/);
  });
});

describe('a step that is wired wrongly', () => {
  const wired = async (options: object) => {
    const { claim } = await handling();
    return () => step(claim, 'charge', () => 1, options as StepOptions);
  };

  it('is refused, and says what was expected', async () => {
    const ask = () => ({ verdict: 'inconclusive' }) as const;
    const policies = "onAbandoned of step charge: expected 'retry', 'park' or reconcile({ ask, settleMs }); got";
    expect(await wired({})).toThrow(`${policies} undefined`);
    expect(await wired({ onAbandoned: 'reconcile' })).toThrow(`${policies} "reconcile"`);
    expect(await wired({ onAbandoned: { ask, settleMs: 5 } })).toThrow(policies);
    const policy = reconcile({ ask, settleMs: 5 });
    expect(await wired({ onAbandoned: { ...policy, settleMs: 0.5 } })).toThrow('reconcile.settleMs: expected a whole');
    expect(await wired({ onAbandoned: { ...policy, settlesMs: 5 } })).toThrow(
      "reconcile: there is no option 'settlesMs'. Did you mean 'settleMs'?",
    );
    expect(await wired({ onAbandonned: 'retry' })).toThrow("step: there is no option 'onAbandonned'");
  });
});
