import type { ClaimWrite } from '../rules/store.ts';
import type { Standing } from './group-commit.ts';

/** An outcome goes before a new claim: if it is late, an effect is in doubt. */
export function standingOf({ next, seen, waitsMs }: ClaimWrite): Standing {
  return { waitsMs, mayWait: next.claimId !== seen?.claimId };
}
