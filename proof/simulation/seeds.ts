/** Seeds under which something was once wrong, in the library or in the oracle, with what it was. Each runs with every test run. */
export const regressions: readonly { readonly seed: number; readonly was: string }[] = [
  {
    seed: 1613,
    was: "'discard' acknowledged a first delivery that was slow, because a second one of the same message held the claim",
  },
  {
    seed: 5674,
    was: 'a first try at the same acknowledged a second delivery, by a clock that was further off than the allowance',
  },
  {
    seed: 21093,
    was: "the next try counted from the time of an operator's decision, which is older than the claim that was granted after it",
  },
  {
    seed: 72616,
    was: 'the oracle blamed a provider for the effect of a worker that had stood still past its lease, and was not taken over yet',
  },
  { seed: 78890, was: 'the oracle believed a read that was answered after the write that followed it' },
  {
    seed: 79518,
    was: 'the oracle held workers to what they were told while a clock was further off than the allowance',
  },
  { seed: 90226, was: 'the oracle forgot that a duplicate was discarded as soon as its first copy had failed' },
  {
    seed: 392135,
    was: 'the oracle demanded of an operator to foresee what a worker was going to do that stood still past its lease',
  },
  { seed: 966541, was: 'the same' },
  {
    seed: 611045,
    was: 'the oracle took a message for unfinished whose effect the provider had confirmed, and whose completion could not be written',
  },
  {
    seed: 793801,
    was: "an operator redrove a message while its dead worker's claim was in flight, which 'discard' took for a duplicate: the runbook says to wait",
  },
  {
    seed: 2007243,
    was: "'discard' told a duplicate in flight by two clocks, and a slow first delivery acknowledged the only copy",
  },
  {
    seed: 58635,
    was: "'discard' acknowledged the first copy for a duplicate that took over from it, and that another worker was discarding at the time",
  },
  {
    seed: 145325,
    was: 'the oracle held a worker that stood still to a takeover by a clock that was wrong beyond the allowance',
  },
];

/** The same for `--locks`. */
export const lockRegressions: typeof regressions = [
  { seed: 3790, was: 'of two that were taken over one after the other, at one resource, only the last was told of' },
  {
    seed: 75110,
    was: 'the oracle took an attempt for a second one at work whose answer came when a later one of its holder had come and gone',
  },
  { seed: 26259, was: 'the oracle held a worker to a clock that was set while its write was on its way' },
  { seed: 2, was: 'a worker that stood still after its lock was granted began its work under a lease that was over' },
  {
    seed: 1812,
    was: 'an attempt that met another holder freed what an earlier one had, because the lock of that one had been taken over',
  },
];

/** The same for the world of doors. */
export const doorRegressions: typeof regressions = [
  { seed: 825706, was: 'the oracle held a worker to a clock that was set while its effect was under way' },
  { seed: 61014, was: 'a clock that was set forward beyond the lease ended the waiting for every renewal after it' },
  {
    seed: 113035,
    was: 'the oracle took a handler for recorded whose worker stood still right after it had returned',
  },
  { seed: 193, was: 'a batch handler that is not given its claims was asked about by a hashed key' },
  {
    seed: 430832,
    was: 'a step was asked about too early, its verdict came late, and "not applied" was believed by the clock at which it came',
  },
];
