import type { Name } from '../contender.ts';
import type { Cost, Units } from './cost.ts';

/** Whose costs are compared. Another contender has its row once its name is here. */
export const paid = ['middy', 'pawl', 'pawlLean', 'powertools'] as const satisfies readonly Name[];
export type Paid = (typeof paid)[number];

export const handlersMs = [0, 20, 200] as const;
export const memoriesMb = [128, 512, 1769] as const;

/** One contender, batch size, handler and memory. */
export interface PaidCell {
  readonly name: Paid;
  readonly size: number;
  /** How long the effect of one message takes. */
  readonly handlerMs: number;
  readonly memoryMb: number;
  /** Of one invocation that is not cold. */
  readonly durationMs: number;
  /** Of one message. */
  readonly units: Units;
  /** Of a million messages. */
  readonly cost: Cost;
}

export interface Money {
  /** How a function's share of a CPU was had: the process had it, or the time of a whole CPU was divided. */
  readonly shares: 'by a quota' | 'by arithmetic';
  readonly cells: readonly PaidCell[];
}
