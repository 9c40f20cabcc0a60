import type { Mark, MarkedFault } from '@pawl/cli';
import type { Entry } from './journal.ts';
import { calledResult, short } from './story.ts';

/** What a sandbox is handling. */
type Work = Extract<Entry, { kind: 'began' }>;

/** Reads a journal on, and makes a mark of each fault. */
export function createMarks() {
  const working = new Map<string, Work>();
  const marks: Mark[] = [];
  let read = 0;
  return {
    /** All of them, oldest first. @param entries of the journal, which grows */
    of(entries: readonly Entry[]): readonly Mark[] {
      for (; read < entries.length; read += 1) {
        const entry = entries[read];
        if (entry === undefined) break;
        if (entry.kind === 'began') working.set(entry.sandbox, entry);
        const struck = struckBy(entry);
        if (struck !== undefined) marks.push(markOf(marks.length, entry, struck, working));
      }
      return marks;
    },
  };
}

interface Struck {
  readonly fault: MarkedFault;
  readonly text: string;
}

/** The fault that an entry is about, if it is about one. */
function struckBy(entry: Entry): Struck | undefined {
  switch (entry.kind) {
    case 'killed':
      return { fault: 'kill', text: entry.moment };
    case 'stalled':
      return { fault: 'freeze', text: `for ${(entry.forMs / 1000).toFixed(1)} s, ${entry.moment}` };
    case 'acknowledged':
      return entry.forgotten
        ? { fault: 'redeliver', text: 'after it was handled: the queue forgets that it was deleted' }
        : undefined;
    case 'visible-while-handled':
      return { fault: 'redeliver', text: 'while it is handled' };
    case 'place-forgotten':
      return { fault: 'redeliver', text: 'after it was handled: the place in the stream is forgotten' };
    case 'event-twice':
      return { fault: 'redeliver', text: `${short(entry.construct)} hands the event to its targets twice` };
    case 'called':
      // The line of the kill says it.
      if (entry.fault === undefined || entry.fault.kind.startsWith('kill')) return undefined;
      return {
        fault: 'provider',
        text: `${entry.provider}, ${entry.call}: ${calledResult(entry.result, entry.fault)}`,
      };
    case 'struck':
      return { fault: entry.fault, text: entry.text };
    case 'deployed':
      return { fault: 'deploy', text: entry.what };
    case 'failed':
      return { fault: 'other', text: entry.line };
    // What a filter drops is as the app has it.
    case 'filtered-out':
    case 'passed':
    case 'asked':
    case 'answered':
    case 'began':
    case 'ended':
    case 'stored':
    case 'unnamed':
      return undefined;
  }
}

function markOf(id: number, entry: Entry, { fault, text }: Struck, working: ReadonlyMap<string, Work>): Mark {
  const sandbox = 'sandbox' in entry ? entry.sandbox : undefined;
  const work = sandbox === undefined ? undefined : working.get(sandbox);
  const construct = 'construct' in entry ? entry.construct : work?.construct;
  const message = 'message' in entry ? entry.message : messageIn(work, entry.intents);
  return {
    id,
    at: entry.at,
    fault,
    sandbox,
    construct: construct === undefined ? undefined : short(construct),
    intents: entry.intents,
    message: message?.slice(0, 8),
    text,
  };
}

function messageIn(work: Work | undefined, intents: readonly string[]): string | undefined {
  return intents.map((intent) => work?.messages.get(intent)).find((message) => message !== undefined);
}
