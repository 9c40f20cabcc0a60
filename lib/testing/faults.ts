/**
 * What can go wrong with one call of a handler to the outside.
 *
 * `kill-before`: the worker dies, and the call is never made. `kill-after`: it dies when the call has been applied.
 * `throw`: the call fails, and is not applied. `lose-answer`: it is applied, but its response is lost. `apply-late`: it fails, and is
 * applied later: the request was still on its way. `hang`: it is applied, and no response comes while the invocation lasts. The
 * caller cannot tell the last four apart.
 *
 * Where the client sends again by itself: `resend`: it is applied, its response is lost, and it is sent again. `apply-again`:
 * the response arrives, and an earlier try of the call is applied later.
 */
export type Fault =
  | 'kill-before'
  | 'kill-after'
  | 'throw'
  | 'lose-answer'
  | 'apply-late'
  | 'hang'
  | 'resend'
  | 'apply-again';

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

export const callFaults: readonly Fault[] = ['kill-before', 'kill-after', 'throw', 'lose-answer', 'apply-late', 'hang'];

/** What can go wrong where the client sends again by itself. */
export const resendFaults: readonly Fault[] = [...callFaults, 'resend', 'apply-again'];

/** A read that comes late changes nothing. */
export const readFaults: readonly Fault[] = callFaults.filter((fault) => fault !== 'apply-late');

/** When a handler returns, all is done but the response. A lost response comes to the same as a worker that dies before it. */
export const returnFaults: readonly Fault[] = ['kill-before'];

const words: Readonly<Record<Fault, string>> = {
  'kill-before': 'the worker is killed before it',
  'kill-after': 'it is applied, and the worker is killed',
  throw: 'it fails, and is not applied',
  'lose-answer': 'it is applied, and its response is lost',
  'apply-late': 'it fails, and is applied later',
  hang: 'it is applied, and no response comes',
  resend: 'it is applied, its response is lost, and it is sent again',
  'apply-again': 'it is applied and its response arrives, and an earlier try of it is applied later',
};

/** A fault as a story tells it. */
export function inWords(fault: Fault): string {
  return words[fault];
}

/** What a call throws by default: the same whether it was applied or not, as on a network. */
export function connectionReset(name: string): Error {
  return Object.assign(new Error(`${name}: socket hang up`), { name: 'TimeoutError', code: 'ECONNRESET' });
}
