import type { Misstatements } from '../providers/processor.ts';
import type { PlannedPayment } from './plan.ts';

/** What the processor's statements are to say that is not so, and what has to be found of it. */
export interface PlannedMisstatements extends Misstatements {
  /** Each as the app's own report names it: its kind, and the payment. */
  readonly toBeFound: readonly string[];
}

/** Fewer payments leave nothing to compare. */
const leastPayments = 3;

/** One refund that is due, one payment that is missing, one wrong amount. Of fewer than three payments, nothing. */
export function planMisstatements(planned: readonly PlannedPayment[]): PlannedMisstatements {
  // Calm ones, so that the payment that is missing there is posted for sure, and early.
  const calm = planned.filter(({ kill, outage, flawedCalls }) => !kill && !outage && flawedCalls === 0);
  const [omitted, wrong] = calm.map(({ payment }) => payment);
  if (planned.length < leastPayments || omitted === undefined || wrong === undefined) {
    return { unreported: [], omitted: [], wrong: [], toBeFound: [] };
  }
  const unreported = { ...wrong, paymentId: `${wrong.paymentId}-again` };
  return {
    unreported: [unreported],
    omitted: [omitted.paymentId],
    wrong: [wrong.paymentId],
    toBeFound: [
      `missing-here ${unreported.paymentId}`,
      `missing-there ${omitted.paymentId}`,
      `differs ${wrong.paymentId}`,
    ],
  };
}
