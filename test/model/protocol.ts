import { decide } from '../../lib/core/decide.ts';
import { errorKind } from '../../lib/core/errors.ts';
import type { Outcome } from '../../lib/core/outcome.ts';
import { recordedError } from '../../lib/core/record.ts';
import { resolution } from '../../lib/core/resolve.ts';
import { completion } from '../../lib/core/result.ts';
import { renew, settle } from '../../lib/core/settle.ts';
import { checkpointed } from '../../lib/core/step.ts';
import { unchanged } from '../../lib/core/store.ts';
import { fateOfRefused, fateOfRun } from '../../lib/sqs/fate.ts';

/** How far a handler had come with its effect when it threw. */
export type Phase = 'unmarked' | 'before' | 'during' | 'after';

/**
 * Everything that decides. The checker runs what ships; a test hands in broken ones, to see that the checker can fail.
 * All but the last are production's own functions.
 */
export interface Protocol {
  readonly decide: typeof decide;
  readonly settle: typeof settle;
  readonly renew: typeof renew;
  readonly unchanged: typeof unchanged;
  readonly checkpointed: typeof checkpointed;
  readonly resolution: typeof resolution;
  readonly fateOfRefused: typeof fateOfRefused;
  readonly fateOfRun: typeof fateOfRun;
  readonly outcomeOfThrow: typeof outcomeOfThrow;
}

/** As `fail` in `lib/core/claims.ts`, which production code cannot hand out: there it is part of an async function. */
export function outcomeOfThrow(thrown: unknown, phase: Phase, parks: boolean): Outcome {
  if (phase === 'after') return completion(undefined, 0, false);
  const error = recordedError(thrown);
  const known = errorKind(thrown);
  if (known === 'rejected') return { status: 'rejected', error };
  const unknown = known !== 'retryable' && phase !== 'before';
  if (known === 'in-doubt' || (unknown && parks)) return { status: 'parked', error };
  return { status: 'released', error, unknown };
}

export const production: Protocol = {
  decide,
  settle,
  renew,
  unchanged,
  checkpointed,
  resolution,
  fateOfRefused,
  fateOfRun,
  outcomeOfThrow,
};
