import { claimOptions, defaultsOf } from './door-options.ts';

/*
 * What pawl assumes where an author says nothing, each value once: handlers, locks, constructs, doctor, templates and the tests of the pages read it
 * here. The options of a door have theirs in `door-options.ts`. Each group is a constant of its own, so that a bundle carries those of its own doors.
 */

/** Of the options of every door. */
export const claimDefaults = /* @__PURE__ */ defaultsOf(claimOptions);

export const lockDefaults = /* @__PURE__ */ (() => ({
  leaseMs: 60_000,
  keepMs: 900_000,
  skewMs: claimDefaults.skewMs,
}))();

/** How many beats a renewed lease lasts. */
export const beatsPerLease = 3;

/** How long after the end of its invocation a worker keeps what it holds, where its code runs on, in milliseconds. */
export const graceMs = 60_000;

/** Where metrics are kept. */
export const metricNamespace = 'pawl';
