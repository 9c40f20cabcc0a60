import * as v from 'valibot';

/** A payment as the processor tells of it, and as it goes on to be posted. Amounts are whole cents. */
export const Payment = v.object({
  paymentId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  customerId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  amountCents: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
});

export type Payment = v.InferOutput<typeof Payment>;
