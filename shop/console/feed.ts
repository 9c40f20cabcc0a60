import type { LiveEvent, LiveFeed } from '../../lib/console/server.ts';
import { record } from '../../lib/rehearsal/template.ts';
import type { Shop } from '../app/shop.ts';

/** How an event of pawl looks in the console. Those that are not here come too often to be read. */
const EVENTS: Readonly<Record<string, Pick<LiveEvent, 'tone' | 'counts'>>> = {
  completed: { tone: 'good', counts: 'done' },
  replayed: { tone: 'plain', counts: 'suppressed' },
  repeated: { tone: 'plain', counts: 'suppressed' },
  'taken-over': { tone: 'bad', counts: 'taken-over' },
  parked: { tone: 'bad', counts: 'parked' },
  reconciled: { tone: 'plain' },
  rejected: { tone: 'bad' },
  'dead-lettered': { tone: 'bad' },
  'stale-claim': { tone: 'bad' },
};

const lookMs = 200;

/** What happens in the shop, as the console shows it: the events of pawl, the effects at the providers, and the sandboxes that are killed. */
export function createFeed(now: () => number = Date.now) {
  const listeners = new Set<(event: LiveEvent) => void>();
  const say = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };
  const feed: LiveFeed = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    feed,
    /** Takes any line of a log. */
    read(line: string): void {
      const event = pawlEvent(line, now());
      if (event !== undefined) say(event);
    },
    /** Looks at what the providers did and at what was killed, until the returned function is called. */
    watch({ ledger, sandboxes }: Pick<Shop, 'ledger' | 'sandboxes'>): () => void {
      let [effects, killed] = [0, 0];
      const timer = setInterval(() => {
        for (const { at, effect, orderId } of ledger.entries.slice(effects)) {
          say({ at, tone: 'good', what: effect, text: `${orderId}: it happened` });
        }
        effects = ledger.entries.length;
        if (sandboxes.killed > killed) {
          const text = `${sandboxes.killed - killed} more, ${sandboxes.killed} in all`;
          say({ at: now(), tone: 'bad', what: 'killed', text: `sandboxes: ${text}` });
        }
        killed = sandboxes.killed;
      }, lookMs);
      return () => clearInterval(timer);
    },
  };
}

/** The event in a line of a log, if there is one that the console shows. */
export function pawlEvent(line: string, at: number): LiveEvent | undefined {
  const start = line.indexOf('{"pawl":');
  if (start === -1) return undefined;
  try {
    const { pawl, id, verdict } = record(JSON.parse(line.slice(start)));
    const look = EVENTS[String(pawl)];
    if (look === undefined) return undefined;
    return { at, what: String(pawl), text: `${id}${verdict === undefined ? '' : `: ${verdict}`}`, ...look };
  } catch {
    // Half a line: its sandbox was killed while it wrote.
    return undefined;
  }
}
