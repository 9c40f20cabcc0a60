import { AsyncLocalStorage } from 'node:async_hooks';
import { explainedError } from '../kernel/errors.ts';
import { processWide } from '../kernel/process-wide.ts';
import type { Work } from './work.ts';

/** A handler that is under way, by its work: each run of a handler has one. */
export interface Handling {
  readonly work: Work;
  /** Of its claim. */
  readonly id: string;
  readonly store: object;
}

/** A handler, or the function of a step, that is under way. */
interface Inside {
  readonly work: Work;
  readonly handling?: Handling;
  readonly step?: string;
  /** Entered where another library calls the handler: what that calls afterwards is in it as well. */
  readonly isEntered?: boolean;
  readonly around: Inside | undefined;
}

/** By where a call is made, and not by time: steps that a handler runs in parallel are no steps of each other. Of all copies of pawl, as a claim is. */
const insides = processWide('claims.inside-step/1', () => new AsyncLocalStorage<Inside>());
/**
 * Only a call of `once` asks which handler it is made in: a process without one does not carry what that takes. `unseen`: the handlers that began before
 * there was such a function. One of them may make it, such as by an import that it awaits, and its call is then made in one of these.
 */
const calls = processWide('claims.calls-of-once/1', () => ({ expected: false, unseen: new Set<Handling>() }));

/** Says that a handler may call a function of `once`. */
export function expectCalls(): void {
  calls.expected = true;
}

/** Runs a handler. */
export function insideHandler<T>(handling: Handling, run: () => T): T {
  if (calls.expected) return insides.run({ work: handling.work, handling, around: insides.getStore() }, run);
  leaveUnseen(handling);
  return run();
}

function leaveUnseen(handling: Handling): void {
  calls.unseen.add(handling);
  handling.work.onStop = () => calls.unseen.delete(handling);
}

/**
 * Takes what follows for a part of a handler that pawl does not call itself, as Middy calls it: from here on, and in all that is awaited behind it. To be
 * called where that handler is about to be.
 */
export function enterHandler(handling: Handling): void {
  if (calls.expected) {
    const around = atWork(insides.getStore());
    if (around?.work !== handling.work) insides.enterWith({ work: handling.work, handling, isEntered: true, around });
    return;
  }
  leaveUnseen(handling);
}

/** The place that this is called in, to be entered from elsewhere. */
export function placeHere(): () => void {
  const inside = insides.getStore();
  return () => inside && insides.enterWith({ ...inside, isEntered: true });
}

/** The innermost that is not over: what is entered is never left, and would grow with each request that a process handles. */
function atWork(inside: Inside | undefined): Inside | undefined {
  let found = inside;
  while (found?.work.stopped) found = found.around;
  return found;
}

/** The handlers that this is called in, the innermost first. What a handler has left behind runs in none that is over. */
export function handlersAround(): readonly Handling[] {
  const found: Handling[] = [];
  for (let inside = insides.getStore(); inside; inside = inside.around) {
    if (inside.handling !== undefined && !inside.work.stopped) found.push(inside.handling);
  }
  return found;
}

/** Whether this is called by what a handler has left behind: it is over, and nothing around it is under way. */
export function isLeftBehind(): boolean {
  let inside = insides.getStore();
  while (inside?.handling === undefined && inside !== undefined) inside = inside.around;
  return inside !== undefined && !inside.isEntered && handlersAround().length === 0;
}

/**
 * The handlers that wait for a call which is made here: the innermost. If it is in none that is seen, it may be in any of those that began before there
 * was a function of `once`, and each of them waits. Otherwise its error would end the process for all of them.
 */
export function handlersOfCall(): readonly Handling[] {
  const [innermost] = handlersAround();
  if (innermost !== undefined) return [innermost];
  return isLeftBehind() ? [] : [...calls.unseen];
}

/**
 * For a world in which workers are killed inside of one process: their handlers never end, and every later call would wait for them.
 *
 * @returns forgets the handlers that have begun since
 */
export function forgetHandlersLater(): () => void {
  const before = new Set(calls.unseen);
  return () => {
    for (const one of calls.unseen) if (!before.has(one)) calls.unseen.delete(one);
  };
}

/** Runs the function of a step. */
export function insideStep<T>(work: Work, step: string, run: () => T): T {
  return insides.run({ work, step, around: insides.getStore() }, run);
}

/** Whether this is called by the function of a step of this work. */
export function isInStep(work: Work): boolean {
  for (let inside = insides.getStore(); inside; inside = inside.around) {
    if (inside.work === work && inside.step !== undefined) return true;
  }
  return false;
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
    if (inside.work !== work || inside.step === undefined) continue;
    const said = `${what} was called inside step ${inside.step}, and was not started: call it after that step`;
    const error = explainedError(Error, said, 'nested-step');
    work.leaveUnstarted(error);
    throw error;
  }
}
