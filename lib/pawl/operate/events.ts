import type { RecordedError } from '../kernel/recorded-error.ts';
import type { ClaimStatus, ResolutionVerdict } from '../rules/record.ts';

/** What every event of an operator's act carries. No event has a payload or a result. */
interface Act {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly note: string;
}

/** One act of an operator, as it is reported to `onEvent`. */
export type OperateEvent =
  /** A resolution is stored on the claim. */
  | (Act & {
      readonly type: 'resolved';
      readonly id: string;
      readonly fence: number;
      readonly verdict: ResolutionVerdict | 'by-step';
      readonly steps?: Readonly<Record<string, ResolutionVerdict>> | undefined;
    })
  /** A claim in doubt was parked, so that no worker begins while it is resolved. */
  | (Act & { readonly type: 'parked-by-operator'; readonly id: string; readonly fence: number })
  /** What a claim kept is erased. */
  | (Act & { readonly type: 'forgotten'; readonly id: string; readonly fence: number })
  /**
   * A copy of a dead letter is on its queue again. `copyLeft`: the dead letter could not be deleted, and stays.
   */
  | (Act & {
      readonly type: 'redriven';
      /** Of the claim; absent where it is not known. */
      readonly id?: string | undefined;
      readonly from: string;
      readonly to: string;
      readonly messageId: string;
      readonly newMessageId: string;
      readonly copyLeft: boolean;
    })
  /**
   * A dead letter is deleted for good: by a discard, or by a redrive that found its effect confirmed. `claim`: the status of its claim, `none` if there is
   * none, `not-known` if it is not known which it is. `inDoubt`: the effect may have happened. `recorded`: the claim says who discarded its letter;
   * elsewhere this event alone does.
   */
  | (Act & {
      readonly type: 'discarded';
      readonly id?: string | undefined;
      readonly from: string;
      readonly messageId: string;
      /** Of the dead letter; absent if SQS moved it. */
      readonly reason?: string | undefined;
      readonly claim: ClaimStatus | 'none' | 'not-known';
      readonly inDoubt: boolean;
      readonly recorded: boolean;
    })
  /** The store or SQS has failed: the dead letter may be deleted or not. */
  | (Act & {
      readonly type: 'discard-failed';
      readonly id?: string | undefined;
      readonly from: string;
      readonly messageId: string;
      readonly error: RecordedError;
    })
  /** SQS did not confirm the copy. The dead letter stays where it is. */
  | (Act & {
      readonly type: 'redrive-failed';
      readonly id?: string | undefined;
      readonly from: string;
      readonly to: string;
      readonly messageId: string;
      readonly error: RecordedError;
    });
