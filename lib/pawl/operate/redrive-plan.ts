import { expect } from '../kernel/check.ts';
import { isHidden } from '../kernel/key-hash.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { isForgotten } from '../rules/decide.ts';
import { namesIn } from '../rules/identity.ts';
import { heldForMs } from '../rules/lease.ts';
import { isAmbiguous, withObserved } from '../rules/observed.ts';
import { expectActedBy } from '../rules/resolve.ts';
import type { DeadLetterReason } from '../sqs/disposition.ts';
import { type DeadLetter, expectHideSeconds, mayBeElsewhere } from './dead-letters.ts';
import type { Desk } from './desk.ts';
import type { ActedBy } from './options.ts';
import { feeds, sourceOf } from './queue-calls.ts';
import { type RecordRead, withClaims } from './read-record.ts';
import { docs, skewMs } from './words.ts';

/**
 * What a redrive is to do.
 *
 * @example
 * const from = 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dead';
 * const { letters } = await operate.deadLetters({ queueUrl: from });
 * const wanted: RedriveWanted = { from, letters, by: 'maria', note: 'the provider is back' };
 */
export interface RedriveWanted extends ActedBy {
  /** The URL of the dead-letter queue. */
  readonly from: string;
  /**
   * The URL of the queue that the copies go to.
   * @default the one queue whose redrive policy names the dead-letter queue
   */
  readonly to?: string | undefined;
  /** The letters that `deadLetters` has returned, or some of them. */
  readonly letters: Iterable<DeadLetter>;
  /**
   * For how long a message stays hidden if the process dies while it redrives, in seconds. Otherwise pawl gives back at once what it does not send.
   * @default 120
   */
  readonly hideSeconds?: number | undefined;
}

/** Why a dead letter stays where it is. */
export type StayReason =
  /** Its claim is parked, and no operator has decided. */
  | 'parked'
  /** Its claim is rejected: the consumer would dead-letter the copy again. */
  | 'rejected'
  /** A worker holds its claim: its consumer could take the copy for a duplicate. */
  | 'in-flight'
  /**
   * Its key may have SQS's id of the message, and it has ten message attributes of its own, as many as SQS takes. A copy has another id, and could not say
   * which message it was made of. The consumer would not find the claim, and would run the effect again.
   */
  | 'would-repeat'
  /** Another program, or a later version of pawl, wrote its claim. This version cannot say what a copy would come to. */
  | 'foreign'
  /** On a FIFO queue: an earlier message of its group stays. */
  | 'behind';

/** What a plan keeps of a letter. */
type About = Pick<DeadLetter, 'messageId' | 'claimId' | 'reason' | 'group' | 'sourceMessageId' | 'joinedBy'>;

/**
 * One letter of a plan. `run`: the handler will run; if the effect is in doubt, the policy decides first. `acknowledge`: its effect is confirmed, and it
 * will not run. `delete`: its key is SQS's id of the message, and its effect is confirmed, perhaps by a copy that was sent before: nothing is sent, and the
 * dead letter is deleted. `consumer-decides`: its claim is not known, the table has none of that name, or its effect was only observed: while it is, the handler runs again.
 */
export type PlannedRedrive = About &
  (
    | { readonly will: 'run' | 'acknowledge' | 'delete' | 'consumer-decides' }
    | { readonly will: 'stay'; readonly whyNot: StayReason }
  );

/**
 * What a redrive would do: plain data, which `redrive` carries out.
 *
 * @example
 * const from = 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dead';
 * const { letters } = await operate.deadLetters({ queueUrl: from });
 * const plan = await operate.planRedrive({ from, letters, by: 'maria', note: 'the provider is back' });
 * for await (const { messageId, outcome } of operate.redrive(plan)) console.log(messageId, outcome);
 */
export interface RedrivePlan extends ActedBy {
  /** The URL of the dead-letter queue. */
  readonly from: string;
  /** The URL of the queue that the copies go to. */
  readonly to: string;
  /**
   * Whether the redrive policy of that queue names the dead-letter queue. If not, its consumer may not be the one that the messages are for. `undefined`: the
   * operator may not read it.
   */
  readonly isSource?: boolean | undefined;
  /** For how long a message stays hidden if the process dies while it redrives, in seconds. */
  readonly hideSeconds: number;
  /** What will become of each letter. */
  readonly items: readonly PlannedRedrive[];
  /** How many messages will leave the dead-letter queue. */
  readonly count: number;
}

const known = {
  from: true,
  to: true,
  letters: true,
  by: true,
  note: true,
  hideSeconds: true,
} as const satisfies NamesOf<RedriveWanted>;

type Prospect =
  | { readonly will: 'run' | 'acknowledge' | 'delete' | 'consumer-decides' }
  | { readonly will: 'stay'; readonly whyNot: StayReason };

/** What a redriven copy would come to, by its claim. Pure. The consumer decides by the record that it finds then. */
export function prospectOf(about: About, read: RecordRead, now: number): Prospect {
  const { claimId, reason } = about;
  if (claimId === undefined) return { will: 'consumer-decides' };
  if (read.kind === 'foreign') return { will: 'stay', whyNot: 'foreign' };
  const found = read.record && withObserved(read.record);
  if (found === undefined && mayBeElsewhere(about)) return { will: 'consumer-decides' };
  if (found === undefined || isForgotten(found, { skewMs }, now)) return { will: 'run' };
  if (found.status === 'parked') return { will: 'stay', whyNot: 'parked' };
  if (found.status === 'in-flight' && heldForMs(found, skewMs, now) > 0) return { will: 'stay', whyNot: 'in-flight' };
  // The outcome of the claim is that of another intent.
  if (reason === keyReused) return { will: 'consumer-decides' };
  if (found.status === 'rejected') return { will: 'stay', whyNot: 'rejected' };
  if (isAmbiguous(found)) return { will: 'consumer-decides' };
  if (found.status !== 'completed') return { will: 'run' };
  // Of a message with several bodies, a key that only has the id as a part is about one of them.
  if (isItsId(about)) return { will: 'delete' };
  // Nothing here tells whether the consumer still observes: then it runs a copy of what is done.
  return { will: found.observed === undefined ? 'acknowledge' : 'consumer-decides' };
}

/** Whether the key of the claim is the id that SQS gave the message, and nothing else. */
function isItsId({ claimId = '', messageId, sourceMessageId = messageId }: About): boolean {
  return namesIn(claimId).key === sourceMessageId;
}

/** Whether the key of the claim is the id that SQS gave the message, or has it as a part; or may be, where the claim has a hash of it. */
export function isKeyedById({ claimId = '', messageId, sourceMessageId = messageId }: About): boolean {
  const { key } = namesIn(claimId);
  return key === undefined || isHidden(key) || claimId.includes(sourceMessageId);
}

const keyReused: string = 'key-reused' satisfies DeadLetterReason;

/**
 * Whether the messages behind this one, in its group, must stay too. A rejected one never runs, so they do not overtake it.
 */
export function holdsBack(whyNot: StayReason): boolean {
  return whyNot !== 'rejected';
}

/** @throws OptionError; SQS's error; the store's error */
export async function planRedrive(desk: Desk, wanted: RedriveWanted): Promise<RedrivePlan> {
  expectOptions(wanted, { door: 'planRedrive', known, docs });
  const { from, by, note, hideSeconds = 120 } = wanted;
  expect(typeof from === 'string' && from !== '', 'from', "a queue's URL", from);
  expectActedBy(by, note);
  expectHideSeconds(hideSeconds);
  const to = wanted.to ?? (await sourceOf(desk, from));
  const isSource = wanted.to === undefined ? true : await feeds(desk, to, from);
  const isFifo = from.endsWith('.fifo');
  expect(to !== from, 'to', 'another queue than the dead-letter queue', to);
  expect(
    to.endsWith('.fifo') === isFifo,
    'to',
    `a ${isFifo ? 'FIFO' : 'standard'} queue, as the dead-letter queue is`,
    to,
  );
  const letters = isFifo ? inSequence(wanted.letters) : wanted.letters;
  const items: PlannedRedrive[] = [];
  const held = new Set<string | undefined>();
  for await (const { letter, claim } of withClaims(desk, letters)) {
    const { messageId, claimId, reason, group, sourceMessageId, joinedBy } = letter;
    const about = { messageId, claimId, reason, group, sourceMessageId, joinedBy };
    const isBehind = isFifo && held.has(group);
    const prospect: Prospect = isBehind
      ? { will: 'stay', whyNot: 'behind' }
      : prospectOf(about, claim, desk.host.now());
    if (prospect.will === 'stay' && holdsBack(prospect.whyNot)) held.add(group);
    items.push({ ...about, ...prospect });
  }
  return {
    from,
    to,
    isSource,
    by,
    note,
    hideSeconds,
    items,
    count: items.filter(({ will }) => will !== 'stay').length,
  };
}

/** As they stand on a FIFO queue. Sequence numbers are whole numbers beyond 2^53, as text. */
function inSequence(letters: Iterable<DeadLetter>): readonly DeadLetter[] {
  const place = ({ sequenceNumber = '0' }: DeadLetter) => BigInt(sequenceNumber);
  return [...letters].sort((a, b) => Number(place(a) - place(b)));
}
