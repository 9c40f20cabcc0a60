import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import { openShard, openShards, shardName } from '../../../lib/pawl/rules/open.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { renew, setAside, settle } from '../../../lib/pawl/rules/settle.ts';
import { checkpointed } from '../../../lib/pawl/rules/steps.ts';
import { record, request, rules } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

const shard = openShard(record().id);
const over = someDay + 60_000;
const error = { name: 'Error', message: 'no answer' };
const started = { name: 'charge', state: 'started', at: someDay, fence: 1 } as const;

function granted(watched: boolean, found?: ClaimRecord, now = someDay): ClaimRecord {
  return decide(found, request('w-1'), { ...rules, watched }, now).record;
}

function next(transition: ReturnType<typeof settle>): ClaimRecord {
  if (typeof transition === 'string') throw new Error(transition);
  return transition;
}

describe('a claim is open', () => {
  it.each([
    ['park', 'abandoned'],
    ['retry', 'attempts-used-up'],
  ] as const)('when decide parks it: %s', (onAbandoned, reason) => {
    const found = onAbandoned === 'park' ? record() : record({ status: 'released', attempts: 20 });
    const parked = decide(found, request('w-2'), { ...rules, onAbandoned }, over).record;
    expect(parked).toMatchObject({ status: 'parked', error: { name: reason }, open: shard });
  });

  it('when its outcome parks it, and when its message is set aside', () => {
    const found = granted(false);
    expect(settle('w-1', found, { status: 'parked', error }, rules, someDay)).toMatchObject({ open: shard });
    expect(setAside('first', record({ status: 'released' }), error)).toMatchObject({ open: shard });
  });

  it('while it is in doubt, from its release through its next grants to its outcome', () => {
    const released = next(settle('w-1', granted(false), { status: 'released', error, unknown: true }, rules, someDay));
    expect(released.open).toBe(shard);
    const again = decide(released, request('w-2'), rules, over).record;
    expect(again).toMatchObject({ status: 'in-flight', open: shard });
    expect(settle('w-2', again, { status: 'released', error }, rules, over)).toMatchObject({ open: shard });
    expect(settle('w-2', again, { status: 'completed' }, rules, over)).toMatchObject({ open: undefined });
  });

  it('while it is taken over, and when it is released with a step in doubt', () => {
    expect(granted(false, record(), over)).toMatchObject({ abandoned: 1, open: shard });
    const stepped = next(checkpointed('w-1', granted(false), 0, started));
    expect(stepped.open).toBeUndefined();
    expect(settle('w-1', stepped, { status: 'released', error }, rules, someDay)).toMatchObject({ open: shard });
    const done = next(checkpointed('w-1', stepped, 0, { ...started, state: 'done' }));
    expect(settle('w-1', done, { status: 'released', error }, rules, someDay)).toMatchObject({ open: undefined });
  });

  it('while it is in flight and watched, through renewals and checkpoints, until it ends in whatever way', () => {
    const watched = granted(true);
    expect(watched.open).toBe(shard);
    const renewed = next(renew('w-1', watched, someDay + 90_000, rules));
    const stepped = next(checkpointed('w-1', renewed, 0, { ...started, state: 'done' }));
    expect([renewed.open, stepped.open]).toEqual([shard, shard]);
    for (const outcome of [
      { status: 'completed' },
      { status: 'rejected', error },
      { status: 'released', error },
    ] as const) {
      expect(settle('w-1', stepped, outcome, rules, someDay)).toMatchObject({ open: undefined });
    }
  });

  it('not while it is in flight and not watched, whatever the record before it said', () => {
    const released = record({ status: 'released', open: shard });
    for (const found of [undefined, released]) {
      const claim = granted(false, found);
      expect(claim.open).toBeUndefined();
      expect(renew('w-1', claim, someDay + 90_000, rules)).toMatchObject({ open: undefined });
      expect(checkpointed('w-1', claim, 0, started)).toMatchObject({ open: undefined });
    }
  });
});

describe('a shard', () => {
  it('is one of 32, the same in every version', () => {
    expect(openShards).toBe(32);
    expect([shardName(0), shardName(31)]).toEqual(['00', '31']);
    expect(['charge#order-1', 'charge#order-2', 'mail#ümlaut'].map(openShard)).toEqual(['03', '10', '29']);
  });
});
