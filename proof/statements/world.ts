import { statementDue } from '../../lib/pawl/rules/open.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import { successor } from '../../lib/pawl/rules/successor.ts';
import type { FindingKind, StatementLine } from '../../lib/pawl/statements/index.ts';

/**
 * A period of charges: their claims, and their provider's statement, with findings planted in both. Any part of either can be made without the rest,
 * so that neither side is ever held.
 */

export const operation = 'charge';
export const begin = Date.UTC(2026, 10, 21);
/** Between two charges, in milliseconds. */
const apartMs = 50;
export const settleMs = 60_000;

export interface World {
  readonly lines: number;
  /** The kinds that are planted, by the number of the charge. */
  readonly planted: ReadonlyMap<number, Planted>;
}

type Planted = Exclude<FindingKind, 'unreadable' | 'undecided'> | 'settled';

const kinds: readonly Planted[] = ['missing-here', 'missing-there', 'differs', 'twice'];

/** @param findings how many are planted, of each kind in turn; after every fourth, a claim in doubt that the statement has */
export function worldOf(lines: number, findings: number): World {
  const all = Array.from({ length: findings }, (_, index) => {
    const kind = kinds[index % kinds.length] as Planted;
    return index % kinds.length === kinds.length - 1 ? [kind, 'settled' as const] : [kind];
  }).flat();
  return {
    lines,
    planted: new Map(all.map((kind, index) => [Math.floor(((index + 0.5) * lines) / all.length), kind])),
  };
}

/** What has to be found, and nothing else. */
export function toBeFound({ planted }: World): readonly string[] {
  return [...planted]
    .filter(([, kind]) => kind !== 'settled')
    .map(([number, kind]) => `${kind} ${operation}#${keyOf(number)}`)
    .toSorted();
}

function keyOf(number: number): string {
  return `order-${String(number).padStart(8, '0')}`;
}

const amountOf = (number: number) => 100 + (number % 9973);
const atOf = (number: number) => begin + number * apartMs;

/** When everything has settled. */
export function endOf({ lines }: World): number {
  return atOf(lines) + 10 * settleMs;
}

/** The claim of a charge; `undefined` where it is missing here. */
export function claimOf({ planted }: World, number: number): ClaimRecord | undefined {
  const kind = planted.get(number);
  if (kind === 'missing-here') return undefined;
  const at = atOf(number);
  const inFlight = successor(undefined, {
    id: `${operation}#${keyOf(number)}`,
    status: 'in-flight',
    claimId: `grant-${number}`,
    fence: 1,
    leaseUntil: at + 30_000,
    firstSeenAt: at - 20,
    attempts: 1,
    abandoned: 0,
    attributes: { amountCents: amountOf(number) },
    statement: statementDue,
  });
  if (kind !== 'settled') return successor(inFlight, { ...inFlight, status: 'completed' });
  const error = { name: 'abandoned', message: '' };
  return successor(inFlight, { ...inFlight, status: 'parked', unknownAt: at + 30_000, error });
}

/** The provider's statement, line by line. */
export async function* statementOf({ lines, planted }: World): AsyncGenerator<StatementLine> {
  for (let number = 0; number < lines; number++) {
    const kind = planted.get(number);
    if (kind === 'missing-there') continue;
    const key = keyOf(number);
    const amountCents = amountOf(number) + (kind === 'differs' ? 1 : 0);
    const line = { effectKey: `${operation}#${key}`, at: atOf(number), facts: { amountCents } };
    yield { ...line, id: `txn_${number}` };
    if (kind === 'twice') yield { ...line, id: `txn_${number}_again` };
    // A generator that never waits would not let the process be killed between two lines.
    if (number % 1000 === 0) await Promise.resolve();
  }
}
