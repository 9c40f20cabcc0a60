import { visibilitySeconds } from './apps.ts';
import type { Case } from './case.ts';
import type { Batch, Seen } from './journal.ts';

/** What is found of a case when its queue is empty. */
export interface Found {
  /** When its first messages were sent. */
  readonly sentAt: number;
  readonly batches: readonly Batch[];
  /** The ids of its dead letters, in the order of their queue. */
  readonly dead: readonly string[];
}

/** What became of a case in an engine, in words, so that two outcomes are compared as texts. */
export function outcomeOf({ looks = 'counts', mapping }: Case, { sentAt, batches, dead }: Found): string {
  const seen = batches.flatMap((batch) => batch.seen);
  const said = {
    counts: () => countsIn(seen),
    order: () => orderIn(seen),
    batches: () => (batches.length === 0 ? [] : [`batches of ${batches.map((batch) => batch.seen.length).join(', ')}`]),
    visibility: () => visibilityIn(batches),
    largest: () => largestIn(batches),
    window: () => windowIn(batches, sentAt + Number(mapping?.['MaximumBatchingWindowInSeconds'] ?? 0) * 1_000),
  }[looks]();
  const deadLetters = looks === 'order' ? dead : dead.toSorted();
  const all = dead.length === 0 ? said : [...said, `dead: ${deadLetters.join(' ')}`];
  return all.length === 0 ? 'none' : all.join(' · ');
}

/** `a: 1, 2`: the receive counts with which the handler got each message. */
function countsIn(seen: readonly Seen[]): readonly string[] {
  const byId = Map.groupBy(seen, ({ id }) => id);
  const ids = [...byId.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  return ids.map((id) => `${id}: ${(byId.get(id) ?? []).map(({ count }) => count).join(', ')}`);
}

/** `x: a1 b1 a2`: each group, with its messages in the order in which the handler got them, and their receive counts. */
function orderIn(seen: readonly Seen[]): readonly string[] {
  const byGroup = Map.groupBy(seen, ({ group = 'none' }) => group);
  const groups = [...byGroup.keys()].toSorted();
  return groups.map((group) => `${group}: ${(byGroup.get(group) ?? []).map(({ id, count }) => id + count).join(' ')}`);
}

/** Whether each message came back early. SQS counts from the receive, before a cold start that the handler waits for: half is far from none. */
function visibilityIn(batches: readonly Batch[]): readonly string[] {
  const all = batches.flatMap(({ at, seen }) => seen.map(({ id }) => ({ id, at })));
  return [...Map.groupBy(all, ({ id }) => id)].map(([id, [first, second]]) => {
    if (first === undefined || second === undefined) return `${id}: never`;
    return `${id}: ${second.at - first.at >= visibilitySeconds * 500 ? 'not earlier' : 'earlier'}`;
  });
}

/** Whether a batch has more messages than one receive gives. */
function largestIn(batches: readonly Batch[]): readonly string[] {
  return batches.some(({ seen }) => seen.length > 10) ? ['a batch of more than ten'] : ['no batch of more than ten'];
}

/** Whether each message waited for its window, which cannot begin before the message is sent. */
function windowIn(batches: readonly Batch[], endsAt: number): readonly string[] {
  return batches.flatMap(({ at, seen }) =>
    seen.map(({ id }) => `${id}: ${at >= endsAt ? 'after its window' : 'at once'}`),
  );
}
