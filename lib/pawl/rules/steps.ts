import type { Transition } from '../kernel/record.ts';
import { type Checkpoint, checkpointsOf, withCheckpoint } from './checkpoints.ts';
import type { ClaimRecord } from './record.ts';
import { successor } from './successor.ts';

/** What its owner makes of a claim when a step got somewhere. */
export function checkpointed(
  claimId: string,
  found: ClaimRecord | undefined,
  index: number,
  checkpoint: Checkpoint,
): Transition<ClaimRecord> {
  if (found?.claimId !== claimId || found.status !== 'in-flight') return 'stale';
  const before = checkpointsOf(found);
  const isThere = JSON.stringify(before[index]) === JSON.stringify(checkpoint);
  if (isThere) return 'applied';
  return successor(found, { ...found, checkpoints: withCheckpoint(before, index, checkpoint) });
}
