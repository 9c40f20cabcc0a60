import type { Destination, OutboxRecord } from '../../../lib/pawl/outbox/index.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { named, request, type Trouble } from '../network.ts';
import type { World } from '../world/world.ts';

/** A copy that has arrived. */
interface Arrival {
  readonly uid: string;
  readonly key: string;
  readonly group: string | undefined;
  readonly body: string;
  readonly at: number;
}

/** How long a FIFO queue recognises a copy, in milliseconds. */
const deduplicationMs = 300_000;

const troubles = [
  'throttled',
  'failed',
  'failed-applied',
  'answer-lost',
  'request-lost',
  'request-late',
] as const satisfies readonly Trouble[];

/** A queue, and the way to it. Nothing is received from it: what arrives is all that matters here. */
export function simulatedDestination(world: World, isFifo: boolean) {
  const arrivals: Arrival[] = [];
  const seen = new Map<string, number>();

  function take({ uid, key, group, body }: OutboxRecord): void {
    const at = world.time;
    const before = seen.get(uid);
    if (isFifo && before !== undefined && at < before + deduplicationMs) return;
    seen.set(uid, at);
    arrivals.push({ uid, key, group, body, at });
  }

  return {
    arrivals,
    /** The queue as one sandbox reaches it. @param isTroubled whether the next try meets trouble @param refuses whether it refuses a message for good */
    reachedBy(
      sandbox: Sandbox,
      isTroubled: () => boolean,
      refuses: (key: string) => boolean,
      tries: number,
    ): Destination {
      return {
        name: 'simulated()',
        address: 'any text',
        takes: () => true,
        problem: () => undefined,
        mostBytes: 2 ** 20,
        takesPointers: false,
        bytesBeside: () => 0,
        send: (record) =>
          request(world, sandbox, tries, {
            what: 'SendMessage',
            trouble: () => (isTroubled() ? world.random.pick(troubles) : undefined),
            serve() {
              if (refuses(record.key))
                throw Object.assign(named('InvalidMessageContents'), { $metadata: { httpStatusCode: 400 } });
              take(record);
            },
          }),
      };
    },
  };
}
