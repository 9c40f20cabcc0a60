import { decide } from '../../lib/claims/decide.ts';
import type { Outcome } from '../../lib/claims/outcome.ts';
import { resolution } from '../../lib/claims/resolve.ts';
import { completion } from '../../lib/claims/result.ts';
import { renew, settle } from '../../lib/claims/settle.ts';
import { checkpointed } from '../../lib/claims/step.ts';
import { unchanged } from '../../lib/claims/store.ts';
import { errorKind } from '../../lib/kernel/errors.ts';
import { recordedError } from '../../lib/kernel/recorded-error.ts';
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

/** As `fail` in `lib/claims/engine.ts`, which production code cannot hand out: there it is part of an async function. */
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
