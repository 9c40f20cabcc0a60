import * as v from 'valibot';

/** A change of a customer's points: earned when positive, spent when negative. The changes of one account come in order. */
export const AccountChange = v.object({
  changeId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  accountId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  points: v.pipe(v.number(), v.safeInteger()),
});

export type AccountChange = v.InferOutput<typeof AccountChange>;
