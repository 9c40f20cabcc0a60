import type { FaultRates } from '../faults.ts';
import { createRandom } from '../world/random.ts';

/** What meets the library from outside of it: other middlewares, handlers that answer as they like, and bugs of its user's. */
export interface Seams {
  /** Middy's own middleware around `sqsOnce`, which answers for the records that it sees. */
  readonly hasPartialBatchFailure: boolean;
  /** A batch handler that has failed answers what Lambda does not understand. */
  readonly answersOddly: boolean;
  /** So long before the end of an invocation another middleware answers, while the handler is still at work. */
  readonly answersEarlyMs: number | undefined;
  /** Steps and handlers return as much as the library keeps of them. */
  readonly isBulky: boolean;
  /** A deployment with a bug, which is taken back. */
  readonly bug: Bug | undefined;
}

export interface Bug {
  /** The author's key function throws; or another middleware has parsed the bodies before the library sees them. */
  readonly kind: 'key' | 'parsed';
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Circumstances {
  readonly seed: number;
  readonly door: string;
  readonly shape: string;
  readonly faults: FaultRates;
  readonly marginMs: number;
  readonly traffic: { readonly forMs: number };
}

/** From a stream of its own: seeds without any of it mean what they meant before. */
export function drawSeams({ seed, door, shape, faults, marginMs, traffic }: Circumstances): Seams {
  const { chance, pick, between } = createRandom(seed + 0x5b_0000_0000);
  const isBatch = door === 'sqs-once';
  const isHttp = door === 'http' || door === 'http-once';
  const hasPartialBatchFailure = chance(0.4);
  const answersOddly = chance(0.2);
  // What comes near to the end is told by a clock: with a wrong one it cannot be.
  const answersEarly = chance(0.4) && faults.clockJumps === 0 && faults.clockWrong === 0 && marginMs > 0;
  const hasBug = chance(0.1);
  const fromMs = between(0, traffic.forMs);
  // Short enough that no message uses up its receives in it.
  const bug: Bug = { kind: isBatch ? pick(['key', 'parsed']) : 'key', fromMs, untilMs: fromMs + between(500, 3000) };
  const isBulky = chance(0.1);
  return {
    isBulky: shape === 'steps' && isBulky,
    hasPartialBatchFailure: isBatch && hasPartialBatchFailure,
    answersOddly: isBatch && answersOddly,
    answersEarlyMs: (isBatch || isHttp) && answersEarly ? marginMs / 4 : undefined,
    bug: hasBug && (isBatch || door === 'each-message') && faults.deliveredTwice === 0 ? bug : undefined,
  };
}
