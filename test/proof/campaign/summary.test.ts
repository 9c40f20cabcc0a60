import { expect, test } from 'vitest';
import { type SeedResult, summaryOf } from '../../../proof/campaign/summary.ts';

const good: SeedResult = {
  seed: 1,
  code: 0,
  killed: 90,
  deliveries: 900,
  emails: 290,
  giftCards: 300,
  payments: 100,
  ledgerEntries: 200,
  drift: 0,
  parked: 10,
  setAside: 0,
  neverRun: 0,
  unfinished: 0,
  lost: 0,
  doubled: 0,
  repeated: 0,
  seconds: 60.4,
};

test('a campaign adds its seeds up, and names those that ended badly', () => {
  expect(summaryOf([])).toMatchObject({ seeds: 0, killed: 0, failed: [] });
  const bad = { ...good, seed: 2, code: 1, doubled: 1, neverRun: 3 };
  expect(summaryOf([good, bad])).toMatchObject({
    seeds: 2,
    killed: 180,
    doubled: 1,
    neverRun: 3,
    seconds: 121,
    failed: [2],
  });
});
