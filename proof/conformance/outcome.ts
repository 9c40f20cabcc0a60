import type { Case } from './case.ts';
import type { Batch, Seen } from './journal.ts';

/** What became of a case in an engine, in words, so that two outcomes are compared as texts. */
export function outcomeOf(
  { looks = 'counts' }: Case,
  batches: readonly Batch[],
  dead: readonly string[],
  visibilityMs: number,
): string {
  const seen = batches.flatMap((batch) => batch.seen);
  const said = {
    counts: () => countsIn(seen),
    order: () => orderIn(seen),
    batches: () => (batches.length === 0 ? [] : [`batches of ${batches.map((batch) => batch.seen.length).join(', ')}`]),
    visibility: () => visibilityIn(batches, visibilityMs),
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

/** Whether each message came back before its visibility timeout was over. SQS counts from the receive, so a little before the handler has it. */
function visibilityIn(batches: readonly Batch[], visibilityMs: number): readonly string[] {
  const all = batches.flatMap(({ at, seen }) => seen.map(({ id }) => ({ id, at })));
  return [...Map.groupBy(all, ({ id }) => id)].map(([id, [first, second]]) => {
    if (first === undefined || second === undefined) return `${id}: never`;
    return `${id}: ${second.at - first.at >= visibilityMs / 2 ? 'not earlier' : 'earlier'}`;
  });
}
