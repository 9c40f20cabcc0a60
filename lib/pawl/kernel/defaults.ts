/*
 * What pawl assumes where an author says nothing, each value once: handlers, locks, constructs, doctor, templates and the tests of the pages read it
 * here. It imports nothing. Each group is a constant of its own, so that a bundle carries those of its own doors.
 */

const DAY_SECONDS = 24 * 3600;

/** Of the rules of a claim, at every door. */
export const claimDefaults = {
  skewMs: 1000,
  timeoutMs: 0,
  marginMs: 1000,
  retentionSeconds: 30 * DAY_SECONDS,
  maxAttempts: 20,
  retryWindowSeconds: 14 * DAY_SECONDS,
  maxAbandoned: 3,
  maxResultBytes: 16_384,
  observeWaitMs: 25,
};

/** Of a consumer: how many messages of a batch are worked on at once. 25 claims share one request. */
export const batchConcurrency = 25;

export const lockDefaults = { leaseMs: 60_000, keepMs: 900_000, skewMs: claimDefaults.skewMs };

/** How many beats a renewed lease lasts. */
export const beatsPerLease = 3;

/** How long after the end of its invocation a worker keeps what it holds, where its code runs on, in milliseconds. */
export const graceMs = 60_000;

/** Where metrics are kept. */
export const metricNamespace = 'pawl';
