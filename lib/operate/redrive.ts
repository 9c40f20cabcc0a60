import type { RecordedError } from '../kernel/recorded-error.ts';
import type { DeadLetter } from './dead-letters.ts';
import type { ActedBy } from './options.ts';

/** What a redrive is to do. */
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
}

/** Why a dead letter stays where it is. */
export type StayReason =
  /** Its claim is parked, and no operator has decided. */
  | 'parked'
  /** Its claim is rejected: the consumer would dead-letter the copy again. */
  | 'rejected'
  /** A worker holds its claim: its consumer could take the copy for a duplicate. */
  | 'in-flight'
  /** On a FIFO queue: an earlier message of its group stays. */
  | 'behind';

/**
 * One letter of a plan. `run`: the handler will run; if the effect is in doubt, the policy decides first. `acknowledge`: its effect is confirmed, and it
 * will not run. `consumer-decides`: its claim is not known.
 */
export type PlannedRedrive = Pick<DeadLetter, 'messageId' | 'claimId' | 'reason' | 'group'> &
  (
    | { readonly will: 'run' | 'acknowledge' | 'consumer-decides' }
    | { readonly will: 'stay'; readonly whyNot: StayReason }
  );

/** What a redrive would do: plain data, which `redrive` carries out. */
export interface RedrivePlan extends ActedBy {
  readonly from: string;
  readonly to: string;
  readonly items: readonly PlannedRedrive[];
  /** How many messages will be sent. */
  readonly count: number;
}

/** What became of one message of a redrive. */
export type RedriveResult = Pick<DeadLetter, 'messageId' | 'claimId'> &
  (
    | { readonly outcome: 'redriven'; readonly newMessageId: string }
    /** The copy is on its queue, and the dead letter could not be deleted. Another redrive sends another copy, which pawl recognises. */
    | { readonly outcome: 'copy-left'; readonly newMessageId: string; readonly error: RecordedError }
    /** Nothing was sent. */
    | { readonly outcome: 'stays'; readonly whyNot: StayReason }
    /** SQS did not confirm the copy, which may be on its queue all the same. The dead letter stays. */
    | { readonly outcome: 'failed'; readonly error: RecordedError }
    /** SQS did not hand the message over: another receiver has it, or it is gone. */
    | { readonly outcome: 'not-seen' }
  );
