import { hadOtherIntent } from '../rules/observed.ts';
import { isUnstated, openShards, shardName, unstatedPlace } from '../rules/open.ts';
import { understood } from '../rules/record.ts';
import { endRun } from './end-run.ts';
import { type Finding, findingOf } from './finding.ts';
import type { StatementSettings } from './options.ts';
import { added, allOf, keep, move, type Phase, partSize } from './phase.ts';
import type { HeldRun, StatementRun } from './run-note.ts';

/** Reads the completed claims that no line has confirmed, part by part. */
export async function readClaims(settings: StatementSettings, begun: HeldRun): Promise<Phase> {
  const { store, operation, signal } = settings;
  let held = begun;
  while (held.run.shard < openShards) {
    if (signal?.aborted) return { kind: 'stopped', run: held.run };
    const { shard, cutOff, after, counts } = held.run;
    const place = unstatedPlace(operation, shardName(shard));
    const page = await store.listPlace({ place, until: cutOff, limit: partSize, after });
    const judged = await allOf(page.entries.map(({ id }) => judgeClaim(settings, held.run, id)));
    const waiting = judged.filter((one) => one === 'waiting').length;
    const findings = judged.filter((one) => typeof one === 'object');
    const isNext = page.after === undefined;
    // An empty shard is no part: to write it down would cost more than to read it again.
    if (isNext && page.entries.length === 0) {
      held = { ...held, run: { ...held.run, shard: shard + 1, after: undefined } };
      continue;
    }
    const moved = await move(settings, held, {
      shard: isNext ? shard + 1 : shard,
      after: page.after,
      counts: await keep(settings, added(counts, { waiting }), findings),
    });
    if (moved === undefined) return { kind: 'on', held: undefined };
    held = moved;
  }
  return endRun(settings, held);
}

/** Whether a completed claim without a line is missing there. */
async function judgeClaim(
  settings: StatementSettings,
  { coveredFrom, cutOff }: StatementRun,
  id: string,
): Promise<Finding | 'waiting' | undefined> {
  const { store, host, operation, skewMs, settleMs, restore } = settings;
  const found = understood(await store.read(id));
  // The index may lag behind: what the record says counts.
  if (found === undefined || !isUnstated(found)) return undefined;
  // Its line may be there, and is believed for none of the key's payloads.
  if (hadOtherIntent(found)) return 'waiting';
  const { firstSeenAt, leaseUntil, status, attributes, restoredAt } = found;
  // A restored table has forgotten when it saw the key first.
  const marked = restoredAt === undefined ? undefined : await restore?.readRestore(operation);
  const cutOffOfTable = restoredAt === marked?.reopenedAt ? marked?.cutOff : marked?.firstCutOff;
  const begunAt = Math.min(firstSeenAt, cutOffOfTable ?? firstSeenAt);
  // Its effect happened in between, and its line came at most `settleMs` later. Of a longer time, the statement was not read.
  const isCovered = begunAt - skewMs >= coveredFrom && leaseUntil + skewMs + settleMs <= cutOff;
  if (!isCovered) return 'waiting';
  const what = { kind: 'missing-there', operation, foundAt: host.now(), claimId: id, status, attributes } as const;
  return findingOf(what, [id], host);
}
