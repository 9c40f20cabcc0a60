/*
 * A case: a queue with its mapping, what is sent to it, what the handler does with each delivery, and what AWS documents to come of it.
 * Both engines run the same cases. A case is data: what runs it is in `run.ts`.
 */

/** What the handler does when it meets a message. `report` names the message as failed; the others are about the whole invocation. */
export type Action =
  | 'succeed'
  | 'report'
  | 'report-twice'
  | 'throw'
  | 'hang'
  | 'exit'
  | 'unknown-id'
  | 'empty-id'
  | 'null-id'
  | 'misspelt-key'
  | 'return-nothing'
  | 'return-null'
  | 'return-empty'
  | 'null-failures';

export interface SentMessage {
  readonly id: string;
  /** What the handler does at the first receive, at the second one, and so on. The last one repeats. @default it succeeds */
  readonly does?: readonly Action[];
  /** What the body says beside that, for filters. */
  readonly says?: Readonly<Record<string, unknown>>;
  /** A body that is no JSON, in place of all that. The journal has it as its id. */
  readonly text?: string;
  /** The message attribute `kind`. */
  readonly kind?: string;
  readonly group?: string;
  /** @default the id */
  readonly deduplicationId?: string;
  /** How long after the first messages of its case it is sent. @default 0 */
  readonly afterMs?: number;
}

/** What an outcome says beside the dead letters: which receives the handler saw, in what order by group, in what batches, or when. */
type Looks = 'counts' | 'order' | 'batches' | 'largest' | 'window' | 'visibility';

/** An engine whose outcome is not the documented one, and why that is accepted. */
interface Difference {
  /** The outcome that it has instead. */
  readonly outcome: string;
  readonly why: string;
}

export interface Case {
  /** In capitals and without spaces: it names the queue. */
  readonly name: string;
  readonly about: string;
  readonly sends: readonly SentMessage[];
  /** Properties of its event source mapping, beside those that all of its app have. */
  readonly mapping?: Readonly<Record<string, unknown>>;
  readonly queue?: Readonly<Record<string, unknown>>;
  /** @default 3 */
  readonly maxReceiveCount?: number;
  /** The function times out before a handler that hangs. */
  readonly isSlow?: boolean;
  /** @default 'counts' */
  readonly looks?: Looks;
  /** What AWS documents. */
  readonly documented: string;
  readonly rehearsal?: Difference;
  readonly emulator?: Difference;
}

type AppName = 'Batches' | 'Groups' | 'Filters';

/** One of the three small apps: its cases, and what they have in common. */
export interface CaseApp {
  readonly name: AppName;
  readonly isFifo: boolean;
  readonly cases: readonly Case[];
}
