import { httpProvider, rehearsal, times } from '@pawl/rehearsal';

const mails = httpProvider({ intent: ({ body }) => body.orderId, idempotencyKey: 'idempotency-key' });

/** Thirty orders. The default faults kill workers, deliver twice, lose responses and throttle the table. */
export default rehearsal({
  providers: { MAILER_URL: mails },
  traffic: ({ queue }) => times(30, (n) => queue('Orders').send({ orderId: `order-${n}` }, { intent: `order-${n}` })),
  effects: { mail: mails },
  functionTimeoutSeconds: 3,
});
