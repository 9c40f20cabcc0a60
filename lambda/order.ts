import * as v from 'valibot';

/** The order as the shop sends it to both queues. Amounts are whole cents: money never goes through a float. */
export const Order = v.object({
  orderId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(64)),
  customer: v.object({ email: v.pipe(v.string(), v.email()), name: v.string() }),
  amountCents: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  placedAt: v.string(),
});

export type Order = v.InferOutput<typeof Order>;
