import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { HeldMessage } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import type { PlannedChange } from '../plan/change-plan.ts';
import { some } from '../printing.ts';
import type { AccountsEntry } from '../providers/accounts.ts';

/** What became of the changes of all accounts. Each list names changes. */
export interface ChangesVerdict {
  readonly changes: number;
  readonly accounts: number;
  /** Booked, once or more often. */
  readonly done: number;
  readonly doubled: readonly string[];
  /** Tried after a later change of the same account was booked, though no second message of it came then. */
  readonly outOfOrder: readonly string[];
  /** Refused by the service, and in the dead-letter queue with that reason. */
  readonly rejected: readonly string[];
  /** They wait for a decision. */
  readonly parked: readonly string[];
  /** They were tried, failed every time, and are in the dead-letter queue. */
  readonly setAside: readonly string[];
  /** They are in the dead-letter queue, and the service was never asked to book them. */
  readonly neverRun: readonly string[];
  /** Likewise, and the machine had not given a function its time for them: nobody can say whether the app, or the machine, has used their receives up. */
  readonly unjudged: readonly string[];
  /** Not booked, while messages are still on the queue. */
  readonly unfinished: readonly string[];
  /** Not booked, and without a message in the dead-letter queue; or refused for good, although the account had the points. */
  readonly lost: readonly string[];
}

/** What the service knows, and where messages are. */
export interface ChangesSeen {
  readonly log: readonly AccountsEntry[];
  readonly deadLetters: readonly HeldMessage[];
  /** How many messages are still on the queue. */
  readonly left: number;
  /** The changes for which the machine did not give a function its time. @default none */
  readonly starved?: ReadonlySet<string>;
}

/** Compares what was booked with what was sent, and in which order. */
export function judgeChanges(plan: readonly PlannedChange[], seen: ChangesSeen): ChangesVerdict {
  const { starved = new Set() } = seen;
  const entriesOf = (wanted: AccountsEntry['kind']) => seen.log.filter(({ kind }) => kind === wanted);
  const times = Map.groupBy(entriesOf('booked'), ({ changeId }) => changeId);
  const asked = new Set(entriesOf('asked').map(({ changeId }) => changeId));
  const reasons = new Map(
    seen.deadLetters.map(({ body, messageAttributes }) => [
      changeOf(body),
      messageAttributes['pawl-reason']?.StringValue,
    ]),
  );
  const named = (wanted: (changeId: string, planned: PlannedChange) => boolean) =>
    plan.filter((planned) => wanted(planned.change.changeId, planned)).map(({ change }) => change.changeId);
  const isUndone = (changeId: string) => !times.has(changeId);
  const isDead = (changeId: string) => isUndone(changeId) && reasons.has(changeId);
  const isFor = (reason: string, changeId: string) => isDead(changeId) && reasons.get(changeId) === reason;
  const missing = named((changeId) => isUndone(changeId) && !isDead(changeId));
  const neverAsked = named((changeId) => isDead(changeId) && !asked.has(changeId));
  const isTold = (changeId: string) => isFor('rejected', changeId) || isFor('parked', changeId);
  return {
    changes: plan.length,
    accounts: new Set(plan.map(({ change }) => change.accountId)).size,
    done: named((changeId) => times.has(changeId)).length,
    doubled: named((changeId) => (times.get(changeId)?.length ?? 0) > 1),
    outOfOrder: outOfOrder(plan, seen.log),
    rejected: named((changeId, { refused }) => refused && isFor('rejected', changeId)),
    parked: named((changeId) => isFor('parked', changeId)),
    setAside: named((changeId) => isDead(changeId) && !isTold(changeId) && asked.has(changeId)),
    neverRun: neverAsked.filter((changeId) => !starved.has(changeId)),
    unjudged: neverAsked.filter((changeId) => starved.has(changeId)),
    unfinished: seen.left > 0 ? missing : [],
    lost: [
      ...(seen.left > 0 ? [] : missing),
      ...named((changeId, { refused }) => !refused && isFor('rejected', changeId)),
    ],
  };
}

/** Whether every change was booked once and in order, or was tried and is in the dead-letter queue. */
export function isInOrder(verdict: ChangesVerdict): boolean {
  const { doubled, outOfOrder: late, neverRun, unfinished, lost } = verdict;
  return [doubled, late, neverRun, unfinished, lost].every(({ length }) => length === 0);
}

/** What is wrong with the changes, a sentence each. */
export function complaintsAbout(verdict: ChangesVerdict): readonly string[] {
  const { neverRun, outOfOrder: late, doubled, lost } = verdict;
  const wrong = { 'Set aside, never run': neverRun, 'Out of order': late, Doubled: doubled, Lost: lost };
  return Object.entries(wrong)
    .filter(([, changes]) => changes.length > 0)
    .map(([what, changes]) => `${what}: ${some(changes)}.`);
}

function outOfOrder(plan: readonly PlannedChange[], log: readonly AccountsEntry[]): readonly string[] {
  const place = new Map(plan.map(({ change }, index) => [change.changeId, index]));
  const comesAgain = new Set(plan.filter(({ sentAgain }) => sentAgain).map(({ change }) => change.changeId));
  const latest = new Map<string, number>();
  const late = new Set<string>();
  for (const { kind, accountId, changeId } of log) {
    const at = place.get(changeId) ?? -1;
    const isLate = at < (latest.get(accountId) ?? -1);
    // A second message of one that failed is tried after the others by right.
    if (isLate && !comesAgain.has(changeId)) late.add(changeId);
    if (kind === 'booked' && !isLate) latest.set(accountId, at);
  }
  return [...late];
}

function changeOf(body: string): string {
  try {
    return String(record(JSON.parse(body))['changeId']);
  } catch {
    return '';
  }
}
