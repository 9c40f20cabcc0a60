import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { App } from './app.ts';
import { appOf } from './app-parts.ts';
import type { Sending, Sent, TrafficOptions } from './sending.ts';

/*
 * What the rehearsal file does with the app.
 *
 * Owns: sending, sending again, the client of an API, and what is owed: each intent with the effects that it is to have. Everything sent
 * is waited for here, so that a file may forget its promises.
 */

export interface Traffic {
  readonly app: App;
  /** The sends of each intent. */
  readonly sent: ReadonlyMap<string, readonly Sent[]>;
  /** Which intent a message is, by its id. */
  readonly messageIntents: ReadonlyMap<string, string>;
  readonly stats: { readonly messages: number; readonly duplicates: number };
  /** Whether a value is what a send has returned. */
  isSend(value: unknown): boolean;
  /** How much is still to be sent. */
  pending(): number;
  /** Resolves when all is sent. @throws the first error of a send that its author did not catch */
  settled(): Promise<void>;
  /** Nothing is sent any more. */
  stop(): void;
}

/** How many sends are under way at once. */
const atOnce = 20;

export function createTraffic(options: TrafficOptions): Traffic {
  const { rehearsal } = options;
  const state: Sending = {
    ...options,
    documents: DynamoDBDocumentClient.from(rehearsal.dynamo, { marshallOptions: { removeUndefinedValues: true } }),
    sent: new Map(),
    messageIntents: new Map(),
    pending: new Set(),
    returned: new WeakSet(),
    errors: [],
    waiting: [],
    stats: { messages: 0, duplicates: 0 },
    free: atOnce,
    stopped: false,
  };
  return {
    app: appOf(state),
    sent: state.sent,
    messageIntents: state.messageIntents,
    stats: state.stats,
    isSend: (value) => value instanceof Promise && state.returned.has(value),
    pending: () => state.pending.size,
    async settled() {
      while (state.pending.size > 0) await Promise.allSettled(state.pending);
      if (state.errors.length > 0) throw state.errors[0];
    },
    stop() {
      state.stopped = true;
      for (const goOn of state.waiting.splice(0)) goOn();
    },
  };
}
