import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import type { Outbox } from '../../../lib/pawl/outbox/index.ts';
import type { OutboxMessage } from '../../../lib/pawl/outbox/message.ts';
import type { OutboxOptions } from '../../../lib/pawl/outbox/settings.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import type { SqsHandler } from '../../../lib/pawl/sqs/each-by.ts';
import type { SqsOptions } from '../../../lib/pawl/sqs/options.ts';
import type { Sandbox } from '../lambda/sandbox.ts';

/** What a payment commits. */
export interface Plan {
  readonly key: string;
  readonly messages: readonly OutboxMessage[];
}

/** A process with an outbox, and how it commits in its database. */
export interface Commits {
  readonly outbox: Outbox;
  readonly store: ClaimStore;
  /** `eachTransaction`, for one message. */
  handler(options: Pick<SqsOptions<{ readonly key: string }>, 'operation' | 'key'>, plan: Plan): SqsHandler;
  commit(claim: Claim, plan: Plan): Promise<void>;
  commitStep(claim: Claim, plan: Plan): Promise<void>;
  /** Commits messages by themselves: the mistake that is planted. */
  commitBeside(plan: Plan, remainingMs: number): Promise<void>;
  /** Ends counters whose group is idle, where they do not end by themselves. @returns how many */
  endCounters?(): Promise<number>;
}

/** Opens the outbox of a process. */
export type OpenCommits = (sandbox: Sandbox, options: Omit<OutboxOptions, 'aws'>) => Commits;
