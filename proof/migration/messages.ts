/** Which library protects the function of a worker. `ungated`: pawl, without looking at Powertools' records. */
export type Library = 'peer' | 'pawl' | 'ungated';

export interface Delivery {
  readonly run: number;
  readonly key: string;
  /** When the function begins with its effect, in epoch milliseconds: later than `endsAt` for one that outlives its lease. */
  readonly beginsAt: number;
  /** When the invocation ends, in epoch milliseconds. */
  readonly endsAt: number;
}

export type ToWorker =
  | { readonly kind: 'deliver'; readonly delivery: Delivery }
  /** `applied` is what the function hears of its effect. */
  | { readonly kind: 'answer'; readonly run: number; readonly applied: boolean };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'effect'; readonly run: number }
  | { readonly kind: 'ended'; readonly run: number; readonly how: 'returned' | 'threw'; readonly error?: string };
