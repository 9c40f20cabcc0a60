import type { Account, StackResource } from '../emulator/account.ts';
import type { Outputs } from '../emulator/cdk.ts';

/** The stacks that are deployed: all of `bin/app.ts` but the accounts, whose FIFO queue `npm start -- --fifo` exercises. */
export const stacks = ['PawlOrders', 'PawlPayments', 'PawlRepayments'] as const;

export type StackName = (typeof stacks)[number];

/** A stack after its deployment. */
export interface Deployed {
  readonly account: Account;
  readonly stack: StackName;
  readonly outputs: Outputs;
  readonly resources: readonly StackResource[];
}

/** The traffic of one stack: what is sent to it, and what became of that. */
export interface Part {
  readonly deployed: Deployed;
  /** The queues of its consumers, by URL. All is done when they are empty. */
  readonly queues: readonly string[];
  /** How many effects have happened so far. */
  effects(): Promise<number>;
  /** Sends a third of what is planned: the first, the second, or the third one. */
  send(third: number): Promise<void>;
  /** Sends everything once more, with new message ids, as a scheduler that runs twice would. */
  sendAgain(): Promise<void>;
  /** Resolves when no caller waits for a response. */
  answered(): Promise<unknown>;
}

/** The first resource of a type whose construct has this name. */
export function nameOf({ resources }: Deployed, type: string, construct: string): string {
  return resources.find((one) => one.type === type && one.logicalId.startsWith(construct))?.name ?? '';
}

/** The resources of a type. */
export function namesOf({ resources }: Deployed, type: string): readonly string[] {
  return resources.filter((one) => one.type === type).map(({ name }) => name);
}
