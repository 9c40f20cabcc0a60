/**
 * What AWS charges, in US dollars. Change this file for another region, another date or a discount, and run `npm run bench -- --write`. Nothing else in
 * the benchmark knows a price. List prices, without the free tier.
 */
export const PRICES = {
  region: 'us-east-1',
  /** When they were entered, ISO 8601. Compare them with AWS's pricing pages before you quote a total. */
  date: '2026-11-22',
  lambda: {
    /** x86, the first tier. */
    gbSecond: 0.0000166667,
    millionRequests: 0.2,
  },
  /** On demand, the standard table class. */
  dynamoDb: {
    millionWriteUnits: 0.625,
    millionReadUnits: 0.125,
    gbMonth: 0.25,
  },
  /** Standard queues, the first tier. */
  sqs: {
    millionRequests: 0.4,
  },
} as const;

/** The prices of one region at one date. */
export type Prices = {
  readonly region: string;
  readonly date: string;
  readonly lambda: { readonly gbSecond: number; readonly millionRequests: number };
  readonly dynamoDb: {
    readonly millionWriteUnits: number;
    readonly millionReadUnits: number;
    readonly gbMonth: number;
  };
  readonly sqs: { readonly millionRequests: number };
};
