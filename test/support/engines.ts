import { acquire } from '../../lib/pawl/engine/acquire.ts';
import type { Engine } from '../../lib/pawl/engine/engine.ts';
import type { ClaimEvent } from '../../lib/pawl/engine/events.ts';
import { type ClaimOptions, settingsOf } from '../../lib/pawl/engine/options.ts';
import type { Grant } from '../../lib/pawl/rules/grant.ts';
import { identify } from '../../lib/pawl/rules/identity.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import { type MemoryStore, memoryStore } from '../../lib/pawl/stores/memory.ts';
import { someDay, type VirtualHost, virtualHost } from './virtual-host.ts';

/** How a store treats its next requests: `down` applies nothing and fails, `lost` applies a write and fails, `hangs` never answers. */
type Trouble = 'down' | 'lost' | 'hangs' | undefined;

export interface EngineAtWork {
  readonly host: VirtualHost;
  readonly records: MemoryStore['records'];
  readonly store: MemoryStore;
  readonly events: ClaimEvent[];
  readonly engine: Engine<string>;
  /** What becomes of the next requests to the store, in order. */
  readonly troubles: Trouble[];
  /** How many writes were sent. */
  readonly writes: () => number;
  readonly identity: ReturnType<typeof identify>;
  /** A claim that is granted to this engine. */
  grant(deadline?: number): Promise<Grant>;
}

/** An engine over a store in memory, as a door would have it. Its invocations last 30 seconds. */
export function engineAtWork(
  options: Partial<ClaimOptions<string>> = {},
  also: Partial<Engine<string>> = {},
): EngineAtWork {
  const host = virtualHost(someDay, { outlivesInvocations: options.host?.outlivesInvocations === true });
  const inner = memoryStore();
  const events: ClaimEvent[] = [];
  const troubles: Trouble[] = [];
  let writes = 0;
  const store: ClaimStore = {
    read: inner.read,
    async write(write) {
      writes++;
      const trouble = troubles.shift();
      if (trouble === 'hangs') return new Promise(() => undefined);
      if (trouble === 'down') throw new Error('down');
      const written = await inner.write(write);
      if (trouble === 'lost') throw new Error('socket hang up');
      return written;
    },
  };
  const onEvent = (event: ClaimEvent) => void events.push(event);
  const settings = settingsOf<string>({ operation: 'refund', store, onAbandoned: 'park', onEvent, ...options, host });
  const engine = { settings, ...also };
  const identity = identify('refund', 'r-1', host);
  return {
    host,
    records: inner.records,
    store: inner,
    events,
    engine,
    troubles,
    writes: () => writes,
    identity,
    async grant(deadline = someDay + 30_000) {
      const acquired = await acquire(engine, { identity, deadline });
      if (acquired.grant === undefined) throw new Error(`expected a grant; it is ${acquired.kind}`);
      return acquired.grant;
    },
  };
}
