import type { Finding } from 'pawl/statements';
import type { BankLine } from './bank.ts';
import { fifty } from './plan.ts';

/*
 * Whether the fifty are settled, and whether the bank's list and the ledger agree. Pure.
 *
 * The ledger is what the app has on record: the claims of its charges with their amounts, and its debts.
 */

/** A claim, as far as it counts here. */
interface LedgerClaim {
  readonly status: string;
  readonly amountCents?: number | undefined;
  /** Whether an operator has deleted its dead letter for good. */
  readonly isDiscarded: boolean;
}

/** What the fifty were, when all had gone wrong. */
export interface Fifty {
  /** The holders of the locks. */
  readonly locks: readonly string[];
  readonly works: readonly string[];
  readonly claims: readonly string[];
  readonly findings: readonly string[];
}

/** What stands now. */
export interface Facts {
  /** The holders of the locks that stand. */
  readonly holders: ReadonlySet<string>;
  /** Every claim, by its id. */
  readonly claims: ReadonlyMap<string, LedgerClaim>;
  /** What was found, by its id, open or not. */
  readonly findings: ReadonlyMap<string, Finding>;
  readonly openFindings: ReadonlySet<string>;
  /** How often each debt is repaid. */
  readonly debts: ReadonlyMap<string, number>;
  readonly bank: readonly BankLine[];
}

export interface Judgement {
  readonly settled: Readonly<Record<keyof typeof fifty, number>>;
  /** What the bank's list and the ledger say differently, a sentence each. */
  readonly differences: readonly string[];
}

export function judge(was: Fifty, facts: Facts): Judgement {
  const { holders, claims, openFindings } = facts;
  const isEnded = (id: string) => {
    const claim = claims.get(id);
    return claim !== undefined && (claim.status === 'completed' || claim.status === 'rejected' || claim.isDiscarded);
  };
  const isFree = (holder: string) => !holders.has(holder) && isEnded(holder);
  return {
    settled: {
      locks: was.locks.filter(isFree).length,
      works: was.works.filter(isFree).length,
      claims: was.claims.filter(isEnded).length,
      findings: was.findings.filter((id) => !openFindings.has(id)).length,
    },
    differences: [...chargesDiffer(facts), ...debtsDiffer(facts)],
  };
}

export function isSettled({ settled, differences }: Judgement): boolean {
  return (
    differences.length === 0 &&
    Object.entries(fifty).every(([what, all]) => settled[what as keyof typeof fifty] === all)
  );
}

/** The last line of an incident. */
export function lineOf({ settled, differences }: Judgement): string {
  const counts = Object.entries(fifty).map(([what, all]) => {
    const done = settled[what as keyof typeof fifty];
    return `${what} ${done === all ? all : `${done} of ${all}`}`;
  });
  const agree = differences.length === 0 ? 'provider and ledger agree' : 'provider and ledger do not agree';
  return `settled: ${counts.join(', ')}; ${agree}`;
}

/** What a customer has paid for an order, and what the claim of its charge says. */
function chargesDiffer({ bank, claims, findings }: Facts): readonly string[] {
  const charges = bank.filter(({ what }) => what === 'charge');
  const refunded = new Set(bank.filter(({ what }) => what === 'refund').map(({ of }) => of));
  // A difference that an operator has accepted is what the bank says it is.
  const accepted = new Map(
    [...findings.values()].flatMap(({ kind, claimId, line, accepted: by }) =>
      kind === 'differs' && by !== undefined ? [[claimId, Number(line?.facts?.['amountCents'])] as const] : [],
    ),
  );
  const paid = new Map<string, number>();
  for (const { id, key, amountCents } of charges)
    paid.set(key, (paid.get(key) ?? 0) + (refunded.has(id) ? 0 : amountCents));
  const due = ([id, { status, amountCents = 0 }]: readonly [string, LedgerClaim]) =>
    status === 'completed' ? (accepted.get(id) ?? amountCents) : 0;
  const booked = new Map([...claims].filter(([id]) => id.startsWith('charge#')).map((one) => [one[0], due(one)]));
  return [...new Set([...paid.keys(), ...booked.keys()])].flatMap((id) => {
    const [there, here] = [paid.get(id) ?? 0, booked.get(id) ?? 0];
    return there === here ? [] : [`${id}: the bank has ${there} cents, the ledger ${here}`];
  });
}

function debtsDiffer({ bank, debts }: Facts): readonly string[] {
  const collected = Map.groupBy(
    bank.filter(({ what }) => what === 'repayment'),
    ({ of }) => of,
  );
  return [...new Set([...collected.keys(), ...debts.keys()])].flatMap((debt) => {
    const [there, here] = [collected.get(debt)?.length ?? 0, debts.get(debt) ?? 0];
    return there === here ? [] : [`${debt}: repaid ${there} times at the bank, ${here} times here`];
  });
}
