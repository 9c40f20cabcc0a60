import {
  createPlan,
  type PlannedOrder,
  type PlannedPayment,
  type PlannedRepayment,
  planPayments,
  planRepayments,
} from '../plan/plan.ts';
import { planIncident } from './incident-plan.ts';

/** What is sent to the stacks, a third of it before their update, a third during it, and a third after it. */
export interface DeployPlan {
  readonly orders: readonly PlannedOrder[];
  readonly payments: readonly PlannedPayment[];
  readonly repayments: readonly PlannedRepayment[];
  /** What is sent when all of that is done, for an operator to settle. */
  readonly incident: readonly PlannedOrder[];
}

export interface DeployPlanOptions {
  readonly orders: number;
  readonly payments: number;
  readonly repayments: number;
  readonly seed: number;
}

/** How many debts the largest request of each third has at most: several transactions, and few enough for an emulator. */
const mostDebts = 60;
/** The share of payments that cost the functions their lives. */
const paymentKills = 0.15;

export function planDeployment({ orders, payments, repayments, seed }: DeployPlanOptions): DeployPlan {
  return {
    // The host failures of `withHostFailures` come on top.
    orders: createPlan({ orders, killShare: 0, seed }),
    payments: relayed(planPayments({ orders: payments, killShare: paymentKills, seed })),
    repayments: repaymentsInThirds(repayments, seed),
    incident: planIncident(seed),
  };
}

/** The worker of the first payment dies right after its commit: only the relay can send the messages of that. */
function relayed([first, ...others]: readonly PlannedPayment[]): readonly PlannedPayment[] {
  const kill = { operation: 'post-payment', point: 'completion-written' } as const;
  return first === undefined ? [] : [{ ...first, kill }, ...others];
}

/** Each third has debts of its own, or the last one would find nothing left to repay; and is killed in its largest request. */
function repaymentsInThirds(requests: number, seed: number): readonly PlannedRepayment[] {
  const size = Math.ceil(requests / 3);
  return [0, 1, 2].flatMap((third) => {
    const count = Math.max(0, Math.min(size, requests - third * size));
    return planRepayments(count, seed + third).map(({ request }, index) => ({
      request: {
        ...request,
        requestId: `request-${String(third * size + index + 1).padStart(5, '0')}`,
        debts: request.debts.slice(0, mostDebts).map((debt) => `${debt}-of-third-${third + 1}`),
      },
      killed: index === 0,
    }));
  });
}

/** A third of what is planned: the first, the second or the third one. */
export function thirdOf<Planned>(plan: readonly Planned[], third: number): readonly Planned[] {
  const size = Math.ceil(plan.length / 3);
  return plan.slice(third * size, (third + 1) * size);
}
