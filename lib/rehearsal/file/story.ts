import type { ProviderFault } from '../provider.ts';
import type { Entry, Journal } from './journal.ts';

/** Whether a story says what a record and a response hold. A page says it to whom it is shown; a terminal only to its author. */
export type Values = 'shown' | 'hidden';

/** What happened to one intent, line by line, as the crash sweep tells it. */
export function storyOf(intent: string, journal: Journal, end?: string, values: Values = 'shown'): readonly string[] {
  const lines = folded(entriesOf(intent, journal)).map(
    (entries) => `${seconds((entries[0]?.at ?? 0) - journal.startedAt)}  ${linesOf(entries, intent, values)}`,
  );
  if (end !== undefined) lines.push(`${'end'.padStart(10)}  ${end}`);
  return lines;
}

/** Writes that name no intent may be about any of their batch. One after the other, they are one line. */
function folded(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    if (
      group !== undefined &&
      isUnnamed(entry) &&
      group.every((other) => isUnnamed(other) && sandboxIn(other) === sandboxIn(entry))
    )
      group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

function isUnnamed(entry: Entry): boolean {
  return entry.kind === 'stored' && !entry.isNamed && entry.intents.length > 1;
}

function sandboxIn(entry: Entry): string | undefined {
  return 'sandbox' in entry ? entry.sandbox : undefined;
}

function linesOf(entries: readonly Entry[], intent: string, values: Values): string {
  const [first] = entries;
  if (first === undefined) return '';
  if (entries.length === 1 && !isUnnamed(first)) return lineOf(first, intent, values);
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'stored') continue;
    const what = `${entry.operation} ${entry.write.table}: ${entry.write.result}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const said = Array.from(counts, ([what, count]) => `${what} × ${count}`).join('; ');
  return `${sandboxIn(first)}  ${said} (of the whole batch: the records name no intent)`;
}

/** The entries about an intent, and those about the sandboxes that were at work on it. */
export function entriesOf(intent: string, { entries }: Journal): readonly Entry[] {
  const working = new Set<string>();
  return entries.filter((entry) => {
    const isAbout = entry.intents.includes(intent);
    if (entry.kind === 'began' && isAbout) working.add(entry.sandbox);
    const sandbox = sandboxIn(entry);
    const isWorking = sandbox !== undefined && working.has(sandbox);
    if (entry.kind === 'ended' && isWorking) working.delete(entry.sandbox);
    // The line of the write, or of the send, says it.
    if (entry.kind === 'struck' && entry.fault !== 'ttl' && entry.fault !== 'indexLag') return false;
    if (isAbout || entry.kind === 'deployed' || entry.kind === 'passed') return true;
    // A mate in the batch may cost it its worker.
    return (
      isWorking && (entry.kind === 'killed' || entry.kind === 'stalled' || entry.kind === 'ended' || isHang(entry))
    );
  });
}

function isHang(entry: Entry): boolean {
  return entry.kind === 'called' && (entry.fault?.kind.startsWith('hang') ?? false);
}

function lineOf(entry: Entry, intent: string, values: Values): string {
  switch (entry.kind) {
    case 'asked':
      return entry.how;
    case 'answered':
      return `the client has ${entry.how}`;
    case 'began': {
      const batch = entry.batch > 1 ? `, in a batch of ${entry.batch}` : '';
      const times = entry.receives.get(intent);
      const message = entry.messages.get(intent);
      const which = message === undefined ? 'it' : `message ${message.slice(0, 8)}`;
      const received = times === undefined ? 'is invoked' : `receives ${which} for the ${ordinal(times)} time${batch}`;
      return `${entry.sandbox}  ${short(entry.construct)} ${received}`;
    }
    case 'stored':
      return `${entry.sandbox}  ${entry.operation} ${entry.write.table}${values === 'shown' ? ` ${entry.write.key}` : ''}: ${entry.write.result}`;
    case 'called': {
      const mate = entry.intents.includes(intent) ? '' : `, for ${entry.intents.join(', ')} in the same batch`;
      return `${entry.sandbox ?? '?'}  calls ${entry.provider}, ${entry.call}${mate}: ${calledResult(entry.result, entry.fault)}`;
    }
    case 'unnamed':
      return `${entry.sandbox ?? '?'}  calls ${entry.provider}, ${entry.call}, and NAMES NO INTENT`;
    case 'killed': {
      const mate = entry.intents.includes(intent) ? '' : `, because of ${entry.intents.join(', ')} in the same batch`;
      return `${entry.sandbox}  IS KILLED ${entry.moment}${mate}`;
    }
    case 'stalled':
      return `${entry.sandbox}  IS STOPPED for ${(entry.forMs / 1000).toFixed(1)} s ${entry.moment}`;
    case 'ended':
      return `${entry.sandbox}  ${outcomeText(entry, intent, values)}`;
    case 'acknowledged':
      return entry.forgotten
        ? 'the queue deletes the message, and FORGETS THAT: it is delivered again'
        : 'the queue deletes the message';
    case 'filtered-out':
      return `no filter of ${short(entry.construct)} matches the message: it is deleted, and not delivered`;
    case 'visible-while-handled':
      return 'the message BECOMES VISIBLE while it is handled';
    case 'place-forgotten':
      return 'the batch is done, and the place in the stream IS FORGOTTEN: it is delivered again';
    case 'event-twice':
      return `${short(entry.construct)} hands the event to its targets TWICE`;
    case 'deployed':
      return `DEPLOYED: ${entry.what}`;
    case 'passed':
      return `nothing is under way, and the messages left are hidden: ${(entry.forMs / 1000).toFixed(1)} s PASS`;
    case 'failed':
      return `${entry.sandbox}  ${entry.line}`;
    case 'struck':
      return entry.sandbox === undefined ? entry.text : `${entry.sandbox}  ${entry.text}`;
  }
}

export function calledResult(result: 'applied' | 'repeated' | 'not-applied', fault: ProviderFault | undefined): string {
  const done = { applied: 'APPLIED', repeated: 'key seen before, not applied again', 'not-applied': 'not applied' }[
    result
  ];
  return fault === undefined ? done : `${done}; ${faultText(fault)}`;
}

function faultText(fault: ProviderFault): string {
  switch (fault.kind) {
    case 'late':
      return `the response is ${fault.delayMs} ms late`;
    case 'error-before':
    case 'error-applied':
      return `the response is ${fault.status}`;
    case 'hang-before':
    case 'hang-applied':
    case 'hang-then-apply':
      return 'no response';
    case 'drop-applied':
      return 'the connection breaks before the response';
    case 'kill-before':
    case 'kill-applied':
    case 'kill-answered':
      return 'the caller is killed';
  }
}

function outcomeText(
  { outcome, failed, batch }: Extract<Entry, { kind: 'ended' }>,
  intent: string,
  values: Values,
): string {
  switch (outcome.kind) {
    case 'response': {
      if (failed.has(intent)) return 'responds: this message has failed';
      if (batch > 0)
        return failed.size > 0 ? 'responds: this message is done, others have failed' : 'responds: all done';
      if (values === 'hidden') return 'responds';
      const text = JSON.stringify(outcome.value) ?? 'nothing';
      return `responds ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`;
    }
    case 'error':
      return values === 'hidden'
        ? `fails: ${outcome.error.name}`
        : `fails: ${outcome.error.name}: ${outcome.error.message.slice(0, 160)}`;
    case 'timed-out':
      return 'times out';
    case 'crashed':
      return 'is gone: the invocation crashed';
  }
}

/** The path of a construct without its stack, and without what every function construct ends with. */
export function short(construct: string): string {
  const parts = construct.split('/');
  return (parts.length > 1 ? parts.slice(1) : parts).join('/');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`.padStart(10);
}

export function ordinal(count: number): string {
  const tens = count % 100;
  const ending = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}
