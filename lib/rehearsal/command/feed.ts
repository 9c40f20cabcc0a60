import type { LiveEvent, LiveFeed } from '@pawl/cli';
import { jsonIn, record } from '../engine/app/template.ts';
import type { Entry } from '../file/journal.ts';
import type { Running } from '../file/running.ts';
import { effectOf } from '../file/settle.ts';

/** How an event of pawl looks in the console. Those that are not here come too often to be read. */
const events: Readonly<Record<string, Pick<LiveEvent, 'tone' | 'counts'>>> = {
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

/** What happens in a rehearsal, as the console shows it: the events of pawl, the effects at the providers, and the sandboxes that are killed. */
export function createFeed(now: () => number = Date.now) {
  const listeners = new Set<(event: LiveEvent) => void>();
  const say = (event: LiveEvent | undefined) => {
    if (event !== undefined) for (const listener of listeners) listener(event);
  };
  const feed: LiveFeed = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    feed,
    /** Takes any line of a log. */
    read: (line: string) => say(pawlEvent(line, now())),
    /** Looks at what happens in a run, instead of the one before it. */
    watch({ journal, options, providers }: Pick<Running, 'journal' | 'options' | 'providers'>): void {
      const effects = new Map(providers.map((served) => [served.name, effectOf(options, served)]));
      let read = 0;
      clearInterval(timer);
      timer = setInterval(() => {
        for (const entry of journal.entries.slice(read)) say(eventOf(entry, effects));
        read = journal.entries.length;
      }, lookMs);
      timer.unref();
    },
    end: () => clearInterval(timer),
  };
}

function eventOf(entry: Entry, effects: ReadonlyMap<string, string>): LiveEvent | undefined {
  const { at, intents } = entry;
  const about = intents.join(', ');
  if (entry.kind === 'killed') return { at, tone: 'bad', what: 'killed', text: `${entry.sandbox}, ${about}` };
  if (entry.kind !== 'called' || entry.result !== 'applied') return undefined;
  const what = effects.get(entry.provider) ?? entry.provider;
  return { at, tone: 'good', what, text: `${about}: it happened` };
}

/** The event in a line of a log, if there is one that the console shows. */
export function pawlEvent(line: string, at: number): LiveEvent | undefined {
  const start = line.indexOf('{"pawl":');
  if (start === -1) return undefined;
  // Of half a line, nothing is read: its sandbox was killed while it wrote.
  const { pawl, id, verdict } = record(jsonIn(line.slice(start)));
  const look = events[String(pawl)];
  if (look === undefined) return undefined;
  return { at, what: String(pawl), text: `${id}${verdict === undefined ? '' : `: ${verdict}`}`, ...look };
}
