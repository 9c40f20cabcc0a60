/** How many batches of a size are timed for each handler and each memory. */
export interface MoneyPlan {
  readonly sizes: readonly { readonly size: number; readonly batches: number }[];
  readonly warmUpMs: number;
}

/** How much is measured. More rounds say the same, with less noise. */
export interface Plan {
  /** How long every process works before anything is timed, in milliseconds. */
  readonly warmUpMs: number;
  /** For each batch size, how often every contender gets a block of every scenario, and how many batches a block has. */
  readonly sizes: readonly { readonly size: number; readonly rounds: number; readonly batches: number }[];
  /** Rounds of the comparison of batches of 10,000 with batches of 100. */
  readonly largeRounds: number;
  /** Cold starts of each contender. */
  readonly coldStarts: number;
  /** What is timed of costs. */
  readonly money: MoneyPlan;
}

export const full: Plan = {
  warmUpMs: 6_000,
  sizes: [
    { size: 1, rounds: 11, batches: 30 },
    { size: 10, rounds: 11, batches: 20 },
    { size: 100, rounds: 9, batches: 4 },
    // DynamoDB Local takes most of a millisecond for a statement, so the larger ones are few.
    { size: 1_000, rounds: 2, batches: 1 },
  ],
  largeRounds: 2,
  coldStarts: 11,
  money: {
    warmUpMs: 2_000,
    sizes: [
      { size: 1, batches: 40 },
      { size: 10, batches: 16 },
      { size: 100, batches: 5 },
    ],
  },
};

/** Too short for what takes DynamoDB Local longest, and too noisy to be quoted. */
export const quickPlan: Plan = {
  warmUpMs: 500,
  sizes: [
    { size: 1, rounds: 3, batches: 20 },
    { size: 10, rounds: 4, batches: 10 },
    { size: 100, rounds: 2, batches: 1 },
  ],
  largeRounds: 0,
  coldStarts: 3,
  money: {
    warmUpMs: 1_000,
    sizes: [
      { size: 1, batches: 8 },
      { size: 10, batches: 4 },
      { size: 100, batches: 1 },
    ],
  },
};
