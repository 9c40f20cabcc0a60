import { someDay } from '../../test/support/virtual-host.ts';

/**
 * Time passes in whole units. Everything that is compared with a time ends at a whole one, so the moment itself, the one
 * before and the one after are all met, which is where `<` and `<=` differ.
 */
export const unitMs = 10_000;

/** In units. */
export const times = {
  /** How long an invocation lasts, and with it the lease that ends with it. */
  invocation: 3,
  /** Of an invocation whose lease is renewed; the lease itself is as long as an invocation of the others. */
  longInvocation: 5,
  beat: 1,
  visibility: 4,
  longVisibility: 6,
  skew: 1,
  margin: 1,
  /** How long a provider's reads lag, and how long a request that was given up may still be on its way. */
  settle: 1,
  backoff: 1,
  /** How long the second copy of a write may be on its way: longer than it takes to take a claim over. */
  network: 5,
} as const;

/** Epoch milliseconds of a unit. */
export function ms(unit: number): number {
  return someDay + unit * unitMs;
}

/** The unit of epoch milliseconds. */
export function unit(epochMs: number): number {
  return (epochMs - someDay) / unitMs;
}

/** How many units from one time until another, rounded up: what waits so long has waited long enough. */
export function units(durationMs: number): number {
  return Math.ceil(durationMs / unitMs);
}
