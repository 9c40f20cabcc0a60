import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../../lib/pawl/engine/run-result.ts';
import { InvalidMessageError } from '../../../lib/pawl/index.ts';
import type { ClaimStatus } from '../../../lib/pawl/rules/record.ts';
import {
  type Disposition,
  dispositionOfInvalid,
  dispositionOfRefused,
  dispositionOfRun,
  keyReused,
} from '../../../lib/pawl/sqs/disposition.ts';
import { record } from '../../support/records.ts';

const error = { name: 'Error', message: 'no' };
const dead = (reason: string) => ({ kind: 'dead-lettered', reason, error });
const returned: Disposition = { kind: 'returned' };

describe('what becomes of a message whose handler was called', () => {
  const cases: readonly (readonly [RunResult<unknown>, object])[] = [
    [{ kind: 'returned', value: 1, recorded: 'completed' }, { kind: 'acknowledged' }],
    // The effect has happened: whoever ran it again because nobody could write it down would double it.
    [{ kind: 'returned', value: 1, recorded: 'lost' }, { kind: 'acknowledged' }],
    [{ kind: 'returned', value: 1, recorded: 'stale' }, { kind: 'acknowledged' }],
    [{ kind: 'threw', applied: false, recorded: 'rejected', error, retryAfterMs: 0 }, dead('rejected')],
    [{ kind: 'threw', applied: false, recorded: 'parked', error, retryAfterMs: 0 }, dead('parked')],
    [{ kind: 'in-doubt', recorded: 'parked', error, retryAfterMs: 5000 }, dead('parked')],
    [
      { kind: 'threw', applied: false, recorded: 'released', error, retryAfterMs: 0 },
      { ...returned, atLeastMs: 0, error },
    ],
    [
      { kind: 'threw', applied: false, recorded: 'lost', error, retryAfterMs: 6000 },
      { ...returned, atLeastMs: 6000, error },
    ],
    // Nothing was started, because claiming took too long: through no fault of the message.
    [
      { kind: 'not-started', recorded: 'released', error },
      { ...returned, delayMs: 0, missedItsTurn: true },
    ],
    // Asked too early is no failure; inconclusive is one.
    [
      { kind: 'in-doubt', recorded: 'released', error, retryAfterMs: 5000 },
      { ...returned, delayMs: 5000 },
    ],
    [
      { kind: 'in-doubt', recorded: 'released', error, retryAfterMs: 0 },
      { ...returned, atLeastMs: 0, error },
    ],
  ];
  it.each(cases)('%j', (result, disposition) => {
    expect(dispositionOfRun(result)).toEqual(disposition);
  });
});

describe('what becomes of a message that was not granted its claim', () => {
  const replayed = (status: ClaimStatus) => ({ kind: 'replayed', record: record({ status, error }) }) as const;

  it('is done, or dead, as its claim is', () => {
    expect(dispositionOfRefused(replayed('completed'), 'defer', 0)).toEqual({ kind: 'acknowledged' });
    expect(dispositionOfRefused(replayed('rejected'), 'defer', 0)).toEqual(dead('rejected'));
    expect(dispositionOfRefused({ ...replayed('parked'), kind: 'parked' }, 'defer', 0)).toEqual(dead('parked'));
    expect(
      dispositionOfRefused({ ...replayed('completed'), kind: 'key-reused', ruleChanged: false }, 'defer', 0),
    ).toEqual(keyReused);
    expect(keyReused).toMatchObject({ reason: 'key-reused', error: { message: expect.stringContaining('payload') } });
  });

  it('comes again when the lease has ended and the provider has settled, or is discarded where the author chose that', () => {
    const inFlight = { kind: 'in-flight', retryAfterMs: 4000, record: record() } as const;
    expect(dispositionOfRefused(inFlight, 'defer', 1500)).toEqual({ ...returned, delayMs: 5500 });
    expect(dispositionOfRefused(inFlight, 'discard', 1500)).toEqual({ kind: 'acknowledged', discarded: true });
  });

  it('comes again when the store is down, and apart from others when it may have killed a worker', () => {
    expect(dispositionOfRefused({ kind: 'unavailable', cause: error }, 'discard', 0)).toEqual(returned);
    const takenOver = { kind: 'suspect', record: record({ abandoned: 2 }) } as const;
    expect(dispositionOfRefused(takenOver, 'defer', 0)).toEqual({ ...returned, delayMs: 0, suspect: 2 });
  });
});

it('says why a message can never run', () => {
  const disposition = dispositionOfInvalid(new InvalidMessageError('missing-key', 'no key'));
  expect(disposition).toMatchObject({ kind: 'dead-lettered', reason: 'missing-key' });
});
