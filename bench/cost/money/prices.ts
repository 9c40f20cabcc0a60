/**
 * What AWS charges, in US dollars. Change this file for another region, another date or a discount, and run `npm run bench -- --write`. Nothing else in
 * the benchmark knows a price. List prices, without the free tier.
 */
export const prices = {
  region: 'us-east-1',
  /** When they were entered, ISO 8601. */
  date: '2026-11-22',
  /** AWS's public pages. The machine that runs the benchmark has no network: compare the prices with these pages before you quote a total. */
  sources: [
    'https://aws.amazon.com/lambda/pricing/',
    'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    'https://aws.amazon.com/sqs/pricing/',
  ],
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
  readonly sources: readonly string[];
  readonly lambda: { readonly gbSecond: number; readonly millionRequests: number };
  readonly dynamoDb: {
    readonly millionWriteUnits: number;
    readonly millionReadUnits: number;
    readonly gbMonth: number;
  };
  readonly sqs: { readonly millionRequests: number };
};
