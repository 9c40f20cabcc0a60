import type { ProviderFault } from '../provider.ts';
import type { Outcome } from '../sandbox.ts';
import type { Entry, Journal } from './journal.ts';

/** What happened to one intent, line by line, as the crash sweep tells it. */
export function storyOf(intent: string, journal: Journal, end?: string): readonly string[] {
  const lines: string[] = [];
  for (const entry of entriesOf(intent, journal)) {
    const said = lineOf(entry, intent);
    if (said !== undefined) lines.push(`${seconds(entry.at - journal.startedAt)}  ${said}`);
  }
  if (end !== undefined) lines.push(`${'end'.padStart(10)}  ${end}`);
  return lines;
}

/** The entries about an intent, and those about the sandboxes that were at work on it. */
export function entriesOf(intent: string, { entries }: Journal): readonly Entry[] {
  const working = new Set<string>();
  return entries.filter((entry) => {
    const isAbout = entry.intents.includes(intent);
    if (entry.kind === 'began' && isAbout) working.add(entry.sandbox);
    const sandbox = 'sandbox' in entry ? entry.sandbox : undefined;
    const isWorking = sandbox !== undefined && working.has(sandbox);
    if (entry.kind === 'ended' && isWorking) working.delete(entry.sandbox);
    if (isAbout || entry.kind === 'deployed') return true;
    // A mate in the batch may cost it its worker.
    return isWorking && (entry.kind === 'killed' || entry.kind === 'stalled' || entry.kind === 'ended');
  });
}

function lineOf(entry: Entry, intent: string): string | undefined {
  switch (entry.kind) {
    case 'asked':
      return entry.how;
    case 'answered':
      return `the client has ${entry.how}`;
    case 'began': {
      const batch = entry.batch > 1 ? `, in a batch of ${entry.batch}` : '';
      const times = entry.receives.get(intent);
      const received = times === undefined ? 'is invoked' : `receives it for the ${ordinal(times)} time${batch}`;
      return `${entry.sandbox}  ${short(entry.construct)} ${received}`;
    }
    case 'stored':
      return `${entry.sandbox}  ${entry.operation} ${entry.write.table} ${entry.write.key}: ${entry.write.result}`;
    case 'called':
      return `${entry.sandbox ?? '?'}  calls ${entry.provider}, ${entry.call}: ${calledResult(entry.result, entry.fault)}`;
    case 'killed': {
      const mate = entry.intents.includes(intent) ? '' : `, because of ${entry.intents.join(', ')} in the same batch`;
      return `${entry.sandbox}  IS KILLED ${entry.moment}${mate}`;
    }
    case 'stalled':
      return `${entry.sandbox}  IS STOPPED for ${(entry.forMs / 1000).toFixed(1)} s ${entry.moment}`;
    case 'ended':
      return `${entry.sandbox}  ${outcomeText(entry.outcome)}`;
    case 'acknowledged':
      return entry.forgotten
        ? 'the queue deletes the message, and FORGETS THAT: it is delivered again'
        : 'the queue deletes the message';
    case 'visible-while-handled':
      return 'the message BECOMES VISIBLE while it is handled';
    case 'deployed':
      return `DEPLOYED: ${entry.what}`;
    case 'failed':
      return `${entry.sandbox}  ${entry.line}`;
  }
}

function calledResult(result: 'applied' | 'repeated' | 'not-applied', fault: ProviderFault | undefined): string {
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

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'response': {
      const text = JSON.stringify(outcome.value) ?? 'nothing';
      return `responds ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`;
    }
    case 'error':
      return `fails: ${outcome.error.name}: ${outcome.error.message.slice(0, 160)}`;
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
