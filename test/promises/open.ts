import { describe, expect } from 'vitest';
import { type ClaimRecord, once } from '../../lib/index.ts';
import { promise, surroundings, thrownBy } from './kit.ts';

// Promises that do not hold yet. Not collected: each moves into a test file when it does.

const protocol = 'protocol';
const payment = { id: 'p-1' };

describe('records', () => {
  promise(
    `${protocol}, invariant 18`,
    'a record that a version does not know is left alone, with an error',
    'a record of a schema to come does not run, and stays as it is',
    async () => {
      const all = surroundings();
      const foreign = {
        id: 'pay#p-1',
        status: 'suspended',
        claimId: 'x',
        fence: 4,
        leaseUntil: 1,
        firstSeenAt: 1,
        attempts: 1,
        abandoned: 0,
        rev: 9,
        v: 3,
      } as unknown as ClaimRecord;
      all.claims.put(foreign);
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs);
      const end = all.time.now() + 30_000;
      const answer = await thrownBy(async () => {
        const outcome = await all.time.until(pay(payment, { remainingMs: () => end - all.time.now() }));
        expect(outcome).not.toMatchObject({ outcome: 'completed' });
      });
      expect(runs).toBe(0);
      expect(all.claims.get('pay#p-1')).toEqual(foreign);
      expect(answer).toBeInstanceOf(Error);
    },
  );
});
