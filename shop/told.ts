/** What came of telling. */
export interface Told {
  readonly calls: number;
  /** The payments of which no call was answered with 2xx. */
  readonly refused: readonly string[];
}

/** All of it in one. */
export function together(told: readonly Told[]): Told {
  return {
    calls: told.reduce((sum, { calls }) => sum + calls, 0),
    refused: [...new Set(told.flatMap(({ refused }) => refused))],
  };
}
