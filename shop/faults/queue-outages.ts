import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { TapCall, TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import type { PlannedPayment } from '../plan/plan.ts';

/** Makes the queue fail when a payment is sent to it, as often as planned: before it has taken the message, or after. */
export function createQueueOutages(payments: readonly PlannedPayment[]): TapHooks {
  const outages = new Map<string, { left: number; readonly taken: boolean }>();
  for (const { payment, outage } of payments) {
    if (outage) outages.set(payment.paymentId, { left: outage.calls, taken: outage.taken });
  }
  const fails = ({ operation, body }: TapCall, taken: boolean): boolean => {
    if (operation !== 'SendMessage') return false;
    const { MessageBody, MessageAttributes } = record(JSON.parse(body));
    // What follows from a payment has a key as its attribute, and comes from the outbox.
    if (MessageAttributes !== undefined) return false;
    const { paymentId } = record(JSON.parse(String(MessageBody)));
    const outage = outages.get(String(paymentId));
    if (outage === undefined || outage.taken !== taken || outage.left === 0) return false;
    outage.left -= 1;
    return true;
  };
  return {
    onRequest: (call) => (fails(call, false) ? 'drop' : 'pass'),
    onResponse: (call) => (fails(call, true) ? 'drop' : 'pass'),
  };
}
