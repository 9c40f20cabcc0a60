import { createRandom } from '../world/random.ts';

/** What goes wrong between the lean transport and DynamoDB, at the level of HTTP, besides the faults of every transport. */
export interface HttpTroubles {
  /** Share of the tries that find their connection closed since its last request. */
  readonly idleClosed: number;
  /** How far DynamoDB's clock is from all others, in milliseconds. */
  readonly clockMs: number;
  /** For so long credentials are good, in milliseconds. */
  readonly credentialsMs: number;
  /** Whether the source of the credentials says when they end. */
  readonly saysEnd: boolean;
}

/** Share of the seeds that use the lean transport, and the last of those that do not: the tests know the first thousand. */
const lean = 0.2;
const lastOfSdk = 1000;

/**
 * What a seed chooses for the lean transport; `undefined`: it uses the AWS SDK.
 *
 * A stream of its own: the other seeds mean what they meant. It is one under which the seeds of `seeds.ts` stay with the SDK.
 */
export function drawHttpTroubles(seed: number): HttpTroubles | undefined {
  const { chance, pick } = createRandom(seed + 0x8c_0000_0000);
  if (seed <= lastOfSdk || !chance(lean)) return undefined;
  return {
    idleClosed: pick([0, 0.05, 0.3]),
    clockMs: pick([0, 0, 20 * 60_000, -20 * 60_000]),
    credentialsMs: pick([Infinity, 20_000, 400_000]),
    saysEnd: chance(0.5),
  };
}
