import { answeredBy } from '../kernel/request.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { heldForMs } from '../rules/lease.ts';
import { understood } from '../rules/record.ts';
import type { SweptExecutions } from '../sweep/options.ts';
import type { SweptClaim } from '../sweep/report.ts';
import type { After } from './waiting.ts';
import { lookAt } from './waiting-claims.ts';
import { type WaitingOptions, waitingClaims, waitingOptionNames } from './waiting-options.ts';

/**
 * What `sweepOpenClaims` does about the executions of an operation: an end that was never told is found, a start that never came about is made, and an
 * execution that should have ended is parked. For its option `operations`.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { sweepOpenClaims } from 'pawl/sweep';
 *
 * export const handler = sweepOpenClaims({
 *   store,
 *   operations: {
 *     ...waitingExecutions({ operation: 'settle', store, workflow, afterFailed: 'park', endsWithinMs: 24 * 3_600_000 }),
 *     'send-email': { onAbandoned: 'park' },
 *   },
 * });
 */
export function waitingExecutions(options: WaitingOptions): Readonly<Record<string, SweptExecutions>> {
  expectOptions(options, { door: 'waitingExecutions', known: waitingOptionNames, docs: 'docs/guides/workflows.md' });
  const waiting = waitingClaims(options);
  const { operation, host, store, skewMs } = waiting.engine.settings;

  async function settle(id: string, until: number): Promise<SweptClaim> {
    const found = understood(await answeredBy(host, until, store.read(id)));
    if (found === undefined || found.status === 'completed' || found.status === 'rejected') return 'settledMeanwhile';
    if (found.status === 'parked') return 'alreadyParked';
    if (found.status !== 'in-flight') return 'settledMeanwhile';
    if (heldForMs(found, skewMs, host.now()) > 0) return 'held';
    return sweptAs[await lookAt(waiting, found, until)];
  }

  return { [operation]: { kind: 'executions', settle } };
}

const sweptAs = {
  completed: 'applied',
  parked: 'parked',
  'start-again': 'notApplied',
  'may-not-be-started': 'notApplied',
  // The execution holds the claim: nothing is in doubt.
  'goes-on': 'held',
  'not-shown': 'inconclusive',
  nothing: 'settledMeanwhile',
} as const satisfies Record<After['kind'], SweptClaim>;
