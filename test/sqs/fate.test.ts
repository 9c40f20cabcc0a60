import { describe, expect, it } from 'vitest';
import type { ClaimStatus } from '../../lib/claims/record.ts';
import type { RunResult } from '../../lib/claims/run-result.ts';
import { InvalidMessageError } from '../../lib/index.ts';
import { type Fate, fateOfInvalid, fateOfRefused, fateOfRun, keyReused } from '../../lib/sqs/fate.ts';
import { record } from '../support/records.ts';

const error = { name: 'Error', message: 'no' };
const dead = (reason: string) => ({ fate: 'dead-letter', reason, error });
const again: Fate = { fate: 'again' };

describe('what becomes of a message whose handler was called', () => {
  const cases: readonly (readonly [RunResult<unknown>, object])[] = [
    [{ kind: 'returned', value: 1, recorded: 'completed' }, { fate: 'done' }],
    // The effect has happened: whoever ran it again because nobody could write it down would double it.
    [{ kind: 'returned', value: 1, recorded: 'lost' }, { fate: 'done' }],
    [{ kind: 'returned', value: 1, recorded: 'stale' }, { fate: 'done' }],
    [{ kind: 'threw', applied: false, recorded: 'rejected', error, retryAfterMs: 0 }, dead('rejected')],
    [{ kind: 'threw', applied: false, recorded: 'parked', error, retryAfterMs: 0 }, dead('parked')],
    [{ kind: 'in-doubt', recorded: 'parked', error, retryAfterMs: 5000 }, dead('parked')],
    [
      { kind: 'threw', applied: false, recorded: 'released', error, retryAfterMs: 0 },
      { ...again, atLeastMs: 0, error },
    ],
    [
      { kind: 'threw', applied: false, recorded: 'lost', error, retryAfterMs: 6000 },
      { ...again, atLeastMs: 6000, error },
    ],
    // Nothing was started, because claiming took too long: through no fault of the message.
    [
      { kind: 'not-started', recorded: 'released', error },
      { ...again, delayMs: 0 },
    ],
    // Asked too early is no failure; inconclusive is one.
    [
      { kind: 'in-doubt', recorded: 'released', error, retryAfterMs: 5000 },
      { ...again, delayMs: 5000 },
    ],
    [
      { kind: 'in-doubt', recorded: 'released', error, retryAfterMs: 0 },
      { ...again, atLeastMs: 0, error },
    ],
  ];
  it.each(cases)('%j', (ran, fate) => {
    expect(fateOfRun(ran)).toEqual(fate);
  });
});

describe('what becomes of a message that was not granted its claim', () => {
  const replayed = (status: ClaimStatus) => ({ kind: 'replayed', record: record({ status, error }) }) as const;

  it('is done, or dead, as its claim is', () => {
    expect(fateOfRefused(replayed('completed'), 'defer', 0)).toEqual({ fate: 'done' });
    expect(fateOfRefused(replayed('rejected'), 'defer', 0)).toEqual(dead('rejected'));
    expect(fateOfRefused({ ...replayed('parked'), kind: 'parked' }, 'defer', 0)).toEqual(dead('parked'));
    expect(fateOfRefused({ ...replayed('completed'), kind: 'key-reused', ruleChanged: false }, 'defer', 0)).toEqual(
      keyReused,
    );
    expect(keyReused).toMatchObject({ reason: 'key-reused', error: { message: expect.stringContaining('payload') } });
  });

  it('comes again when the lease has ended and the provider has settled, or is discarded where the author chose that', () => {
    const inFlight = { kind: 'in-flight', retryAfterMs: 4000, record: record() } as const;
    expect(fateOfRefused(inFlight, 'defer', 1500)).toEqual({ ...again, delayMs: 5500 });
    expect(fateOfRefused(inFlight, 'discard', 1500)).toEqual({ fate: 'done', discarded: true });
  });

  it('comes again when the store is down, and apart from others when it may have killed a worker', () => {
    expect(fateOfRefused({ kind: 'unavailable', cause: error }, 'discard', 0)).toEqual(again);
    const takenOver = { kind: 'suspect', record: record({ abandoned: 2 }) } as const;
    expect(fateOfRefused(takenOver, 'defer', 0)).toEqual({ ...again, delayMs: 0, suspect: 2 });
  });
});

it('says why a message can never run', () => {
  const fate = fateOfInvalid(new InvalidMessageError('missing-key', 'no key'));
  expect(fate).toMatchObject({ fate: 'dead-letter', reason: 'missing-key' });
});
