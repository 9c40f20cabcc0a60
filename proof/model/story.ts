import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import { movesOf } from './moves.ts';
import { unit } from './time.ts';
import { beginning, type Model, type World } from './world.ts';

/** Tells a path through the states, by the numbers of the moves that it took. */
export function storyOf(model: Model, path: readonly number[], end: string): string {
  const lines: string[] = [];
  let world = beginning(model);
  for (const [index, choice] of path.entries()) {
    const move = movesOf(model, world)[choice];
    if (move === undefined) throw new RangeError(`no move ${choice} at ${index}`);
    const line = `${String(index + 1).padStart(3)}  ${move.says()}`;
    try {
      const after = move.go();
      lines.push(line + changes(world, after));
      world = after;
    } catch {
      lines.push(line);
    }
  }
  return [...lines, `     ${end}`].join('\n');
}

/** What of the claims and of the world outside has changed. */
function changes(before: World, after: World): string {
  const told = after.keys.flatMap((key, index) => {
    const was = before.keys[index];
    const of = after.keys.length > 1 ? ` ${index + 1}` : '';
    const record = key.record === was?.record ? [] : [`claim${of}: ${recordText(key.record)}`];
    const applied = key.applied === was?.applied ? [] : [`effect${of}: applied ${key.applied}×`];
    return [...record, ...applied];
  });
  return told.length === 0 ? '' : `\n       → ${told.join('; ')}`;
}

function recordText(record: ClaimRecord | undefined): string {
  if (record === undefined) return 'none';
  const { status, claimId, fence, leaseUntil, abandoned, unknownAt } = record;
  const doubt = unknownAt === undefined ? '' : `, in doubt since ${unit(unknownAt)}`;
  return `${status}, ${claimId}, fence ${fence}, lease until ${unit(leaseUntil)}, abandoned ${abandoned}${doubt}`;
}
