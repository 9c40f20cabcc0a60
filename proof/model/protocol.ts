import { decide } from '../../lib/pawl/rules/decide.ts';
import { afterVerdict } from '../../lib/pawl/rules/doubt.ts';
import { resolution } from '../../lib/pawl/rules/resolve.ts';
import { outcomeOfError, renew, settle } from '../../lib/pawl/rules/settle.ts';
import { checkpointed } from '../../lib/pawl/rules/steps.ts';
import { unchanged } from '../../lib/pawl/rules/store.ts';
import { dispositionOfRefused, dispositionOfRun } from '../../lib/pawl/sqs/disposition.ts';

/**
 * Everything that decides. The checker runs what ships; a test hands in broken ones, to see that the checker can fail.
 * All are production's own functions.
 */
export interface Protocol {
  readonly decide: typeof decide;
  readonly settle: typeof settle;
  readonly renew: typeof renew;
  readonly unchanged: typeof unchanged;
  readonly checkpointed: typeof checkpointed;
  readonly resolution: typeof resolution;
  readonly dispositionOfRefused: typeof dispositionOfRefused;
  readonly dispositionOfRun: typeof dispositionOfRun;
  readonly outcomeOfError: typeof outcomeOfError;
  readonly afterVerdict: typeof afterVerdict;
}

export const production: Protocol = {
  decide,
  settle,
  renew,
  unchanged,
  checkpointed,
  resolution,
  dispositionOfRefused,
  dispositionOfRun,
  outcomeOfError,
  afterVerdict,
};
