import { describe, expect, it } from 'vitest';
import { OptionError } from '../../../lib/pawl/kernel/errors.ts';
import {
  type Checkpoint,
  checkpointsOf,
  kept,
  resolvedCheckpoints,
  stepsInDoubt,
  withCheckpoint,
} from '../../../lib/pawl/rules/checkpoints.ts';
import type { StepResolution } from '../../../lib/pawl/rules/record.ts';
import { checkpointed } from '../../../lib/pawl/rules/steps.ts';
import { record } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

const checkpoint = (name: string, state: Checkpoint['state'], more: Partial<Checkpoint> = {}): Checkpoint => ({
  name,
  state,
  at: someDay,
  fence: 1,
  ...more,
});
const mostBytes = 200_000;
const withSteps = (...steps: readonly (Checkpoint | null)[]) => record({ checkpoints: JSON.stringify(steps) });

describe('checkpoints', () => {
  it('are none where the record has none', () => {
    expect(checkpointsOf(record())).toEqual([]);
    expect(stepsInDoubt(record())).toEqual([]);
  });

  it('are in doubt while they are started, in their order, also where others are missing', () => {
    const steps = [checkpoint('a', 'done'), null, checkpoint('b', 'started'), checkpoint('c', 'open')];
    const found = withSteps(...steps, checkpoint('d', 'started'));
    expect(stepsInDoubt(found).map(({ name }) => name)).toEqual(['b', 'd']);
  });

  it('keep their places: those before one that got somewhere first stay empty', () => {
    expect(JSON.parse(withCheckpoint([], 2, checkpoint('c', 'started')))).toEqual([
      null,
      null,
      checkpoint('c', 'started'),
    ]);
    const before = [checkpoint('a', 'done'), checkpoint('b', 'started')];
    expect(JSON.parse(withCheckpoint(before, 1, checkpoint('b', 'done')))).toEqual([
      checkpoint('a', 'done'),
      checkpoint('b', 'done'),
    ]);
    expect(before[1]?.state).toBe('started');
  });

  it('fit into their room to the byte; beyond it, that a step is done is kept, and not its result', () => {
    const bytesOf = (text: string) => new TextEncoder().encode(text).length;
    const empty = bytesOf(withCheckpoint([], 0, checkpoint('a', 'done', { result: '' })));
    const fits = checkpoint('a', 'done', { result: 'x'.repeat(mostBytes - empty) });
    expect(JSON.parse(withCheckpoint([], 0, fits))).toEqual([fits]);
    const large = checkpoint('a', 'done', { result: 'x'.repeat(mostBytes - empty + 1) });
    expect(JSON.parse(withCheckpoint([], 0, large))).toEqual([checkpoint('a', 'done', { omitted: 'too-large' })]);
  });

  it('keep a result as JSON, or why it is not there, or neither where there is none', () => {
    expect(kept({ id: 5 }, 100)).toEqual({ result: '{"id":5}' });
    expect(kept(undefined, 100)).toEqual({});
    expect(kept('x'.repeat(100), 100)).toEqual({ omitted: 'too-large' });
    expect(kept(5n, 100)).toEqual({ omitted: 'not-serialisable' });
  });
});

describe('a checkpoint that is written', () => {
  const started = checkpoint('a', 'started');

  it('moves the record on', () => {
    expect(checkpointed('first', record({ rev: 4 }), 0, started)).toMatchObject({
      checkpoints: JSON.stringify([started]),
      rev: 5,
      status: 'in-flight',
    });
  });

  it('is known again where its answer was lost', () => {
    expect(checkpointed('first', withSteps(started), 0, started)).toBe('applied');
  });

  it.each([
    ['of another worker', record({ claimId: 'another' })],
    ['that has ended', record({ status: 'released' })],
    ['that is gone', undefined],
  ])('does not change a claim %s', (_, found) => {
    expect(checkpointed('first', found, 0, started)).toBe('stale');
  });
});

describe('a resolution of steps in doubt', () => {
  const later = someDay + 60_000;
  const resolved = (found: ReturnType<typeof record>, said: Readonly<Record<string, StepResolution>>) =>
    JSON.parse(resolvedCheckpoints(found, new Map(Object.entries(said)), later) ?? 'null');

  it('changes nothing where it says nothing', () => {
    const found = withSteps(checkpoint('a', 'started'));
    expect(resolvedCheckpoints(found, new Map(), later)).toBe(found.checkpoints);
    expect(resolvedCheckpoints(record(), new Map(), later)).toBeUndefined();
  });

  it('opens what was not applied or is to be retried, and ends what was applied, with its result', () => {
    const found = withSteps(checkpoint('a', 'started'), checkpoint('b', 'started'), checkpoint('c', 'started'));
    const said = { a: 'not-applied', b: 'retry', c: { verdict: 'applied', result: { id: 5 } } } as const;
    expect(resolved(found, said)).toEqual([
      { name: 'a', state: 'open', at: later, fence: 1 },
      { name: 'b', state: 'open', at: later, fence: 1 },
      { name: 'c', state: 'done', at: later, fence: 1, result: '{"id":5}' },
    ]);
  });

  it('ends what was applied without a result, where none is given', () => {
    expect(resolved(withSteps(checkpoint('a', 'started')), { a: 'applied' })).toEqual([
      { name: 'a', state: 'done', at: later, fence: 1 },
    ]);
  });

  it('leaves alone what is not in doubt, and what it does not name', () => {
    const steps = [checkpoint('a', 'done'), null, checkpoint('b', 'open'), checkpoint('c', 'started')];
    expect(resolved(withSteps(...steps), { a: 'retry', b: 'applied', d: 'retry' })).toEqual(steps);
  });

  it('is refused where a result cannot be kept: an operator’s word must not be lost on the way', () => {
    const found = withSteps(checkpoint('a', 'started'));
    const applied = (result: unknown) => () => resolved(found, { a: { verdict: 'applied', result } });
    expect(applied(5n)).toThrow(OptionError);
    expect(applied(5n)).toThrow('result of step a: expected JSON that fits; it is not-serialisable');
    expect(applied('x'.repeat(mostBytes))).toThrow('it is too-large');
    expect(applied('x'.repeat(mostBytes - 10))).toThrow(
      /^results of steps: expected at most 200000 bytes with those that are kept; got 2000\d\d\. See node_modules\/pawl\/docs\/errors\.md#wrong-option$/,
    );
  });
});
