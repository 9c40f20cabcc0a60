export interface Delivery {
  readonly run: number;
  readonly key: string;
  /** When the function begins with its effect, in epoch milliseconds: later than `endsAt` for one that outlives its lease. */
  readonly beginsAt: number;
  /** When the invocation ends, in epoch milliseconds. */
  readonly endsAt: number;
}

/** How the function ended. `parked`: it is left to an operator, and comes no more. */
export type How = 'returned' | 'threw' | 'parked';

export type ToWorker =
  | { readonly kind: 'deliver'; readonly delivery: Delivery }
  /** `applied` is what the function hears of its effect. */
  | { readonly kind: 'answer'; readonly run: number; readonly applied: boolean };

export type FromWorker =
  | { readonly kind: 'ready' }
  /** `fence`: of the claim that it runs under, where there is one. */
  | { readonly kind: 'effect'; readonly run: number; readonly fence?: number }
  /** `said`: the types of the events that were reported since the delivery. */
  | { readonly kind: 'ended'; readonly run: number; readonly how: How; readonly said?: readonly string[] };
