import { AsyncLocalStorage } from 'node:async_hooks';
import { explainedError } from '../kernel/errors.ts';
import { processWide } from '../kernel/process-wide.ts';
import type { Work } from './work.ts';

/** A step whose function is under way, by the work of its claim: each run of a handler has one. */
interface Inside {
  readonly work: Work;
  readonly step: string;
  readonly around: Inside | undefined;
}

/** By where a call is made, and not by time: steps that a handler runs in parallel are no steps of each other. Of all copies of pawl, as a claim is. */
const insides = processWide('claims.inside-step/1', () => new AsyncLocalStorage<Inside>());

/** Runs the function of a step. */
export function insideStep<T>(work: Work, step: string, run: () => T): T {
  return insides.run({ work, step, around: insides.getStore() }, run);
}

/**
 * Refuses what begins inside a step of the same claim. At a later attempt the step is done and its function does not run: what was called in it would be
 * missing from the order of steps, and the claim would be parked. An effect or a commit would end the claim in the middle of the step.
 *
 * @param what names it: `step b`
 * @throws Error. The claim cannot complete either, so that a handler which catches the error does not hide it
 */
export function refuseInsideStep(work: Work, what: string): void {
  for (let inside = insides.getStore(); inside; inside = inside.around) {
    if (inside.work !== work) continue;
    const said = `${what} was called inside step ${inside.step}, and was not started: call it after that step, in the handler itself`;
    const error = explainedError(Error, said, 'nested-step');
    work.leaveUnstarted(error);
    throw error;
  }
}
