/** What became of the callbacks of a processor. */
export interface Callbacks {
  /** How often the processor called. */
  readonly calls: number;
  /** The payments without a response of 2xx. */
  readonly refused: readonly string[];
}

/** The sum of several. */
export function together(parts: readonly Callbacks[]): Callbacks {
  return {
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
    refused: [...new Set(parts.flatMap(({ refused }) => refused))],
  };
}
