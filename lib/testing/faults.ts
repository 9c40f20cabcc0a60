/**
 * What can go wrong with one call of a handler to the outside.
 *
 * `kill-before`: the worker dies, and the call is never made. `kill-after`: it dies when the call has been applied.
 * `throw`: the call fails, and is not applied. `lose-answer`: it is applied, and fails all the same. `hang`: it is applied,
 * and no answer comes for as long as the invocation lasts. The caller cannot tell the last three apart. `resend`: it is
 * applied, its answer is lost, and the client sends it again by itself.
 */
export type Fault = 'kill-before' | 'kill-after' | 'throw' | 'lose-answer' | 'hang' | 'resend';

/** One fault, at one await boundary of a run. Boundaries are counted from 1, through all deliveries. */
export interface FaultAt {
  readonly at: number;
  readonly fault: Fault;
}

/** Where a handler awaited something, and what can go wrong there. */
export interface Boundary {
  readonly name: string;
  readonly faults: readonly Fault[];
}

export const callFaults: readonly Fault[] = ['kill-before', 'kill-after', 'throw', 'lose-answer', 'hang'];

/** What can go wrong where the client sends again by itself. */
export const resendFaults: readonly Fault[] = [...callFaults, 'resend'];

/** When a handler returns all is done, but for the answer. That it is lost is the same as that its worker dies before it. */
export const returnFaults: readonly Fault[] = ['kill-before'];

const words: Readonly<Record<Fault, string>> = {
  'kill-before': 'the worker is killed before it',
  'kill-after': 'it is applied, and the worker is killed',
  throw: 'it fails, and is not applied',
  'lose-answer': 'it is applied, and its answer is lost',
  hang: 'it is applied, and never answered',
  resend: 'it is applied, its answer is lost, and it is sent again',
};

/** A fault as a story tells it. */
export function inWords(fault: Fault): string {
  return words[fault];
}

/** What a call throws by default: the same whether it was applied or not, as on a network. */
export function connectionReset(name: string): Error {
  return Object.assign(new Error(`${name}: socket hang up`), { name: 'TimeoutError', code: 'ECONNRESET' });
}
