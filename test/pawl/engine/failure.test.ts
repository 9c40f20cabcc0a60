import { describe, expect, it } from 'vitest';
import { doubtLeft, failureOf, run } from '../../../lib/pawl/engine/run.ts';
import { InDoubtError, RejectedError, RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { Checkpoint } from '../../../lib/pawl/rules/checkpoints.ts';
import { engineAtWork } from '../../support/engines.ts';
import { record } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

const identity = { key: 'r-1', id: 'refund#r-1', effectKey: 'refund#r-1' };
const grantOf = (...steps: readonly Checkpoint[]) => ({
  identity,
  record: record({ checkpoints: JSON.stringify(steps) }),
  deadline: undefined,
});
const step = (name: string, state: Checkpoint['state']): Checkpoint => ({ name, state, at: someDay, fence: 1 });
const none = { kind: 'none' } as const;
const applied = { kind: 'applied' } as const;
const rested = { inDoubt: [], late: [] };

describe('a claim that is about to end', () => {
  it('ends where no step of it is in doubt', () => {
    expect(doubtLeft(grantOf(step('a', 'done'), step('b', 'open')), none, rested)).toBeUndefined();
  });

  it('does not end with steps in doubt, and names them', () => {
    const doubt = doubtLeft(grantOf(step('a', 'started'), step('b', 'done'), step('c', 'started')), none, rested);
    expect(doubt).toBeInstanceOf(InDoubtError);
    expect(doubt?.message).toBe(
      'a step of the handler may or may not have been applied: in doubt: a, c. See node_modules/pawl/docs/errors.md#step-in-doubt',
    );
    expect(doubt?.cause).toBeUndefined();
  });

  it('does not end with a step that was left in doubt, and says what that threw', () => {
    const cause = new Error('socket hang up');
    const doubt = doubtLeft(grantOf(), none, { inDoubt: [{ error: cause }], late: [] });
    expect(doubt?.message).toBe(
      'a step of the handler may or may not have been applied: socket hang up. See node_modules/pawl/docs/errors.md#step-in-doubt',
    );
    expect(doubt?.cause).toBe(cause);
  });

  it('says that the effect beside the step was applied, and would run again', () => {
    expect(doubtLeft(grantOf(step('a', 'started')), applied, rested)?.message).toBe(
      'a step of the handler may or may not have been applied: in doubt: a; ' +
        'the effect beside it was applied, and would run again with the handler. See node_modules/pawl/docs/errors.md#step-in-doubt',
    );
  });

  it('has ended already where a commit has completed it', () => {
    const grant = grantOf(step('a', 'started'));
    grant.record = { ...grant.record, status: 'completed' };
    expect(doubtLeft(grant, applied, rested)).toBeUndefined();
  });
});

describe('the error that decides', () => {
  const knownOf = ({ error }: { readonly error: unknown }) =>
    error instanceof RetryableError
      ? 'retryable'
      : error instanceof RejectedError
        ? 'rejected'
        : error instanceof InDoubtError
          ? 'in-doubt'
          : ('unknown' as const);
  const returned = { kind: 'returned', value: undefined } as const;
  const threw = (error: unknown) => ({ kind: 'threw', error }) as const;
  const [hungUp, later, refused] = [new Error('hung up'), new RetryableError('later'), new RejectedError('refused')];

  it('is none where nothing failed', () => {
    expect(failureOf(none, returned, rested, knownOf)).toBeUndefined();
    expect(failureOf(applied, returned, rested, knownOf)).toBeUndefined();
  });

  it('is what the effect threw, whatever the handler made of it', () => {
    const failed = { kind: 'failed', error: hungUp } as const;
    expect(failureOf(failed, returned, rested, knownOf)).toMatchObject({ error: hungUp });
    expect(failureOf(failed, threw(later), rested, knownOf)).toMatchObject({ error: hungUp });
  });

  it('is what the handler says, where the effect says that it applied nothing', () => {
    const failed = { kind: 'failed', error: later } as const;
    expect(failureOf(failed, threw(refused), rested, knownOf)).toMatchObject({ error: refused });
    expect(failureOf(failed, threw(hungUp), rested, knownOf)).toMatchObject({ error: later });
  });

  it('is a doubt, wherever that was thrown', () => {
    const doubt = new InDoubtError('perhaps');
    const late = [{ error: later }, { error: doubt }];
    expect(failureOf(none, threw(later), { inDoubt: [], late }, knownOf)).toEqual({ error: doubt });
  });
});

describe('a run', () => {
  it('that could not start its effect says that the time was over, also to the handler', async () => {
    const { engine, grant, host } = engineAtWork({ marginMs: 1000 });
    const heard: unknown[] = [];
    const ran = run(
      engine,
      await grant(),
      async (_, claim) => {
        await new Promise<void>((resolve) => host.after(29_000, resolve));
        try {
          return claim.effect(() => 'applied');
        } catch (error) {
          heard.push(error);
          return undefined;
        }
      },
      'r-1',
    );
    await host.advance(29_000);
    expect(await ran).toMatchObject({ kind: 'threw', applied: false });
    expect(heard).toMatchObject([
      {
        name: 'LeaseError',
        message: 'the effect was not started: the time is over. See node_modules/pawl/docs/errors.md#lease-over',
      },
    ]);
  });

  it('has applied its effect where the handler threw after it', async () => {
    const { engine, grant } = engineAtWork();
    const failing = new Error('metrics');
    const ran = await run(
      engine,
      await grant(),
      async (_, claim) => {
        await claim.effect(() => 'applied');
        throw failing;
      },
      'r-1',
    );
    expect(ran).toMatchObject({ kind: 'threw', error: failing, applied: true, recorded: 'completed' });
  });

  it('has not applied its effect where that threw', async () => {
    const { engine, grant } = engineAtWork();
    const ran = await run(
      engine,
      await grant(),
      (_, claim) => claim.effect(() => Promise.reject(new Error('503'))),
      'r-1',
    );
    expect(ran).toMatchObject({ kind: 'threw', applied: false, recorded: 'parked' });
  });
});
