import type { Circumstances, Outcome } from '../engine/lambda/sandbox.ts';
import type { ProviderFault } from '../provider.ts';

/** What ends by itself: a record with a time to live, and what a FIFO queue knows of a message. */
export type Gone = 'record' | 'deduplication-id';

/** One thing that happened in a rehearsal. */
export type Happening =
  /** The traffic asked for an effect. `how` is "sent to Orders". */
  | { readonly kind: 'asked'; readonly how: string }
  /** The client of an API had this response, or none. */
  | { readonly kind: 'answered'; readonly how: string }
  | {
      readonly kind: 'began';
      readonly sandbox: string;
      readonly construct: string;
      readonly batch: number;
      readonly receives: ReadonlyMap<string, number>;
      /** The message of each intent, if a queue delivered it. */
      readonly messages: ReadonlyMap<string, string>;
    }
  | {
      readonly kind: 'ended';
      readonly sandbox: string;
      readonly construct: string;
      readonly batch: number;
      readonly outcome: Outcome;
      /** @default the machine gave it its time */
      readonly machine?: Exclude<Circumstances['machine'], 'gave'>;
      /** The intents whose messages the response of a batch names as failed. */
      readonly failed: ReadonlySet<string>;
    }
  | {
      readonly kind: 'acknowledged';
      readonly construct: string;
      readonly message: string | undefined;
      readonly forgotten: boolean;
    }
  | { readonly kind: 'visible-while-handled'; readonly construct: string; readonly message: string | undefined }
  /** No filter of this consumer matched the message, so that it was deleted. */
  | { readonly kind: 'filtered-out'; readonly construct: string }
  /** The place in a stream is forgotten, behind a batch that was handled. */
  | { readonly kind: 'place-forgotten'; readonly construct: string }
  /** A rule of an event bus hands an event to its targets twice. */
  | { readonly kind: 'event-twice'; readonly construct: string }
  | {
      readonly kind: 'stored';
      readonly sandbox: string;
      readonly operation: string;
      readonly write: StoreWrite;
      /** Whether the record itself names the intents. Otherwise they are those of the batch. */
      readonly isNamed: boolean;
    }
  | {
      readonly kind: 'called';
      readonly sandbox: string | undefined;
      readonly provider: string;
      readonly call: string;
      readonly result: 'applied' | 'repeated' | 'not-applied';
      readonly fault: ProviderFault | undefined;
    }
  /** A call that names no intent. It is noted for those that its sandbox was working on. */
  | {
      readonly kind: 'unnamed';
      readonly sandbox: string | undefined;
      readonly provider: string;
      readonly call: string;
      /** The names of what its body holds. */
      readonly fields: readonly string[];
    }
  | { readonly kind: 'killed'; readonly sandbox: string; readonly moment: string }
  | { readonly kind: 'stalled'; readonly sandbox: string; readonly moment: string; readonly forMs: number }
  | { readonly kind: 'deployed'; readonly what: string }
  /** Nothing was under way, and hidden messages were not waited for. */
  | { readonly kind: 'passed'; readonly forMs: number }
  | { readonly kind: 'failed'; readonly sandbox: string; readonly line: string }
  /** A fault that a story has in another line, such as that of the write. It is here for the time line of faults. */
  | {
      readonly kind: 'struck';
      readonly fault: 'duplicate' | 'loseAnswer' | 'throttle' | 'ttl' | 'indexLag';
      readonly sandbox: string | undefined;
      readonly text: string;
      /** What has ended with the time that has passed. */
      readonly gone?: Gone;
    };

/** A write of a record, and what became of it. */
export interface StoreWrite {
  readonly table: string;
  readonly key: string;
  /** `written`; the name of the error; or what was done to the request. */
  readonly result: string;
  /** Whether the write itself looked at what stood there: it has a condition, or asks for what it replaces. */
  readonly looks?: boolean;
  /** Whether pawl writes down there what it has only observed. @default false */
  readonly isObserved?: boolean;
}

/** One thing that happened, when, and which intents it is about; none, if it is about all. */
export type Entry = Happening & { readonly at: number; readonly intents: readonly string[] };

/** Everything that happened, in its order. */
export interface Journal {
  /** When the first thing happened. */
  readonly startedAt: number;
  readonly entries: readonly Entry[];
  add(intents: readonly string[], happening: Happening): void;
  count(kind: Happening['kind']): number;
}

export function createJournal(now: () => number = Date.now): Journal {
  const entries: Entry[] = [];
  const counts = new Map<string, number>();
  return {
    get startedAt() {
      return entries[0]?.at ?? now();
    },
    entries,
    add(intents, happening) {
      entries.push({ ...happening, at: now(), intents });
      counts.set(happening.kind, (counts.get(happening.kind) ?? 0) + 1);
    },
    count: (kind) => counts.get(kind) ?? 0,
  };
}
