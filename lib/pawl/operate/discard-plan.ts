import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { doubtOf, doubtOfAbandoned, isForgotten } from '../rules/decide.ts';
import { heldForMs } from '../rules/lease.ts';
import { isAmbiguous, withObserved } from '../rules/observed.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { expectActedBy } from '../rules/resolve.ts';
import type { DeadLetterReason } from '../sqs/disposition.ts';
import { type DeadLetter, expectHideSeconds, mayBeElsewhere } from './dead-letters.ts';
import type { Desk } from './desk.ts';
import type { ActedBy } from './options.ts';
import { type RecordRead, withClaims } from './read-record.ts';
import { docs, skewMs } from './words.ts';

/**
 * Which dead letters are to be deleted for good, and why.
 *
 * @example
 * const from = 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dead';
 * const { letters } = await operate.deadLetters({ queueUrl: from });
 * const refused = letters.filter(({ reason }) => reason === 'invalid-message');
 * const wanted: DiscardWanted = { from, letters: refused, by: 'maria', note: 'the producer has sent them again' };
 */
export interface DiscardWanted extends ActedBy {
  /** The URL of the dead-letter queue. */
  readonly from: string;
  /** The letters that `deadLetters` has returned, or some of them. */
  readonly letters: Iterable<DeadLetter>;
  /**
   * Also letters whose claim is in doubt, or not known. The claim stays as it is: one that is open stays open, and its effect may or may not have happened.
   * @default false
   */
  readonly evenInDoubt?: boolean | undefined;
  /**
   * For how long a message stays hidden if the process dies meanwhile, in seconds. Otherwise pawl gives back at once what it does not delete.
   * @default 120
   */
  readonly hideSeconds?: number | undefined;
}

/** Why a dead letter is not discarded. */
export type KeepReason =
  /** Its effect is in doubt: it may have happened, or not. Resolve its claim first. */
  | 'in-doubt'
  /** Its claim is not known, so its effect may be in doubt: nothing says which it is, or the table has none of that name. */
  | 'claim-not-known'
  /** A worker holds its claim. */
  | 'in-flight'
  /** Another program, or a later version of pawl, wrote its claim. */
  | 'foreign';

type About = Pick<DeadLetter, 'messageId' | 'claimId' | 'reason' | 'joinedBy'>;

/**
 * One letter of a plan. `claim`: the status of its claim; `none` if there is none; `not-known` if it is not known which it is. `inDoubt`: whether the effect may
 * have happened without a record of it.
 */
export type PlannedDiscard = About &
  (
    | {
        readonly will: 'discard';
        readonly claim: ClaimRecord['status'] | 'none' | 'not-known';
        readonly inDoubt: boolean;
      }
    | { readonly will: 'stay'; readonly whyNot: KeepReason }
  );

/**
 * What would be deleted: plain data, which `discard` carries out.
 *
 * @example
 * const from = 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dead';
 * const { letters } = await operate.deadLetters({ queueUrl: from });
 * const plan = await operate.planDiscard({ from, letters, by: 'maria', note: 'orders of the test shop' });
 * for await (const { messageId, outcome } of operate.discard(plan)) console.log(messageId, outcome);
 */
export interface DiscardPlan extends ActedBy {
  /** The URL of the dead-letter queue. */
  readonly from: string;
  /** Whether letters in doubt are discarded, too. */
  readonly evenInDoubt: boolean;
  /** For how long a message stays hidden if the process dies meanwhile, in seconds. */
  readonly hideSeconds: number;
  /** What will become of each letter. */
  readonly items: readonly PlannedDiscard[];
  /** How many letters will be deleted. */
  readonly count: number;
}

const known = {
  from: true,
  letters: true,
  evenInDoubt: true,
  by: true,
  note: true,
  hideSeconds: true,
} as const satisfies NamesOf<DiscardWanted>;

const keyReused = 'key-reused' satisfies DeadLetterReason;
/** pawl put these away before it claimed anything: they never ran, and have no claim. */
const neverClaimed: readonly string[] = [
  'invalid-message',
  'missing-key',
  'invalid-key',
  keyReused,
] satisfies DeadLetterReason[];

type Fate =
  | {
      readonly will: 'discard';
      readonly claim: ClaimRecord['status'] | 'none' | 'not-known';
      readonly inDoubt: boolean;
    }
  | { readonly will: 'stay'; readonly whyNot: KeepReason };

/** What a deletion of the letter would leave, by its claim. Pure. */
export function fateOf(
  { claimId, reason, joinedBy }: About,
  read: RecordRead,
  evenInDoubt: boolean,
  now: number,
): Fate {
  // What an observed run came to counts as it does for the consumer.
  const record = read.kind === 'read' && read.record ? withObserved(read.record) : undefined;
  if (reason !== undefined && neverClaimed.includes(reason)) {
    // Of a reused key, the claim is that of another intent; or its own, if the rule of its fingerprint has changed between two receives.
    const mayBeOwn = reason === keyReused && record !== undefined && isInDoubt(record);
    return mayBeOwn ? doubtful('in-doubt', 'none', evenInDoubt) : { will: 'discard', claim: 'none', inDoubt: false };
  }
  if (claimId === undefined) return doubtful('claim-not-known', 'not-known', evenInDoubt);
  if (read.kind === 'foreign') return { will: 'stay', whyNot: 'foreign' };
  if (record === undefined && mayBeElsewhere({ reason, joinedBy }))
    return doubtful('claim-not-known', 'none', evenInDoubt);
  if (record === undefined || isForgotten(record, { skewMs }, now)) {
    return { will: 'discard', claim: 'none', inDoubt: false };
  }
  const { status, leaseUntil } = record;
  if (status === 'in-flight' && heldForMs({ leaseUntil }, skewMs, now) > 0)
    return { will: 'stay', whyNot: 'in-flight' };
  // Of a key with several payloads, nobody knows which of them was done.
  return isInDoubt(record) || isAmbiguous(record)
    ? doubtful('in-doubt', status, evenInDoubt)
    : { will: 'discard', claim: status, inDoubt: false };
}

/** Of a claim that no worker holds. */
function isInDoubt(record: ClaimRecord): boolean {
  switch (record.status) {
    case 'parked':
      return true;
    case 'in-flight':
      return doubtOfAbandoned(record) !== undefined;
    case 'released':
      return doubtOf(record).unknownAt !== undefined;
    default:
      return false;
  }
}

function doubtful(
  whyNot: KeepReason,
  claim: Extract<Fate, { readonly will: 'discard' }>['claim'],
  evenInDoubt: boolean,
): Fate {
  return evenInDoubt ? { will: 'discard', claim, inDoubt: true } : { will: 'stay', whyNot };
}

/** @throws OptionError; the store's error */
export async function planDiscard(desk: Desk, wanted: DiscardWanted): Promise<DiscardPlan> {
  expectOptions(wanted, { door: 'planDiscard', known, docs });
  const { from, by, note, evenInDoubt = false, hideSeconds = 120 } = wanted;
  expect(typeof from === 'string' && from !== '', 'from', "a queue's URL", from);
  expect(typeof evenInDoubt === 'boolean', 'evenInDoubt', 'true or false', evenInDoubt);
  expectActedBy(by, note);
  expectHideSeconds(hideSeconds);
  const items: PlannedDiscard[] = [];
  for await (const { letter, claim } of withClaims(desk, wanted.letters)) {
    const { messageId, claimId, reason, joinedBy } = letter;
    const about = { messageId, claimId, reason, joinedBy };
    items.push({ ...about, ...fateOf(about, claim, evenInDoubt, desk.host.now()) });
  }
  const count = items.filter(({ will }) => will === 'discard').length;
  return { from, by, note, evenInDoubt, hideSeconds, items, count };
}
