import * as v from 'valibot';

/** A customer's wish to repay these debts, whichever of them are still open when its turn comes. */
export const Repayment = v.object({
  requestId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  customerId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  debts: v.pipe(
    v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(64))),
    v.minLength(1),
    v.maxLength(20_000),
    // A database refuses a request that names a key twice, at every attempt.
    v.transform((debts) => [...new Set(debts)]),
  ),
});
