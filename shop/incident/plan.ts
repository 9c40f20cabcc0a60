/**
 * The incident of fifty: what is sent, and what the bank does with it.
 *
 * Owns: the names, the numbers and the troubles. Does not own: the bank (`bank.ts`), the consumers (`consumers.ts`), or how the troubles come about
 * (`incident.ts`).
 */

/** How much of what waits for an operator. */
export const fifty = { locks: 20, works: 3, claims: 15, findings: 12 } as const;

/** What the bank does with a call that asks for something. */
export type Trouble =
  /** It books it, and the answer is lost: the line goes dead when the caller has waited for it. */
  | 'late-applied'
  /** The same, and it books nothing. */
  | 'late'
  /** The worker is killed while it waits: the bank books it. */
  | 'kill-applied'
  /** The worker is killed while it waits: the bank books nothing. */
  | 'kill'
  /** It books it twice. */
  | 'twice'
  /** It books five cents more: its fee. */
  | 'fee'
  /** It refuses for good: the account is closed. */
  | 'refused';

/** A charge of an order. */
export interface Charge {
  readonly orderId: string;
  readonly amountCents: number;
}

/** A request to repay debts. */
export interface Repayment {
  readonly requestId: string;
  readonly customerId: string;
  readonly debts: readonly string[];
}

function named(prefix: string, count: number, from = 1): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(from + index).padStart(2, '0')}`);
}

const repaymentOf = (requestId: string): Repayment => {
  const customerId = requestId.replace('repay', 'customer');
  return { requestId, customerId, debts: named(`${customerId}/debt`, 6) };
};
const chargeOf = (orderId: string, amountCents = 1250): Charge => ({ orderId, amountCents });

/** Charges of the evening, which the bank's statement of the night has. */
export const evening = {
  twice: named('evening', 7).map((orderId, index) => chargeOf(orderId, index === 6 ? 90_000 : 1250)),
  fee: named('evening', 2, 8).map((orderId) => chargeOf(orderId)),
  well: named('evening', 3, 10).map((orderId) => chargeOf(orderId)),
  /** Charged by an old job, which has no claims. */
  withoutClaim: named('old-job', 3).map((orderId) => chargeOf(orderId)),
} as const;

/** Charges of the night, in whose middle a worker was killed, or the answer was lost. */
export const night = {
  killedApplied: named('night', 4).map((orderId) => chargeOf(orderId)),
  killed: named('night', 4, 5).map((orderId) => chargeOf(orderId)),
  lateApplied: named('night', 4, 9).map((orderId) => chargeOf(orderId)),
  late: named('night', 3, 13).map((orderId) => chargeOf(orderId)),
} as const;

/** Repayments of the night. */
export const repayments = {
  /** Their second part got no answer, and was booked for every second of them. */
  late: named('repay', 12).map(repaymentOf),
  /** The account is closed: their second part is refused for good. */
  refused: named('repay', 8, 13).map(repaymentOf),
  /** Their worker was killed, twice. */
  killed: named('repay', 3, 21).map(repaymentOf),
  /** They name debts that are locked. */
  busy: named('repay', 2, 31).map((requestId, index) => ({
    ...repaymentOf(requestId),
    debts: [`customer-0${index + 1}/debt-06`],
  })),
} as const;

/** How many debts are repaid together. */
export const chunk = 2;

/** What goes wrong with a charge. */
export function troubleOfCharge(orderId: string): Trouble | undefined {
  const troubles: Readonly<Partial<Record<Trouble, readonly Charge[]>>> = {
    twice: evening.twice,
    fee: evening.fee,
    'kill-applied': night.killedApplied,
    kill: night.killed,
    'late-applied': night.lateApplied,
    late: night.late,
  };
  const found = Object.entries(troubles).find(([, charges]) => charges.some((charge) => charge.orderId === orderId));
  return found?.[0] as Trouble | undefined;
}

/**
 * What goes wrong with a part of a repayment.
 *
 * @param part the first part is 0
 * @param before in how many attempts the request was cut off before
 */
export function troubleOfPart(requestId: string, part: number, before: number): Trouble | undefined {
  const isIn = (some: readonly Repayment[]) => some.findIndex((one) => one.requestId === requestId);
  if (isIn(repayments.refused) >= 0) return part === 1 ? 'refused' : undefined;
  if (isIn(repayments.late) >= 0)
    return part === 1 ? (isIn(repayments.late) % 2 === 0 ? 'late-applied' : 'late') : undefined;
  // Each attempt comes one part further.
  return isIn(repayments.killed) >= 0 && part === before + 1 ? 'kill-applied' : undefined;
}
