import { expect } from '../kernel/check.ts';
import type { OptionError } from '../kernel/errors.ts';
import { explainedError, InDoubtError, RejectedError, RetryableError } from '../kernel/errors.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { canonicalJson } from '../payload/fingerprint.ts';

/**
 * Where executions are started: the port behind `startOnce`.
 *
 * Owns: what pawl asks of a target, and how an execution is recognised whose start had no answer. Does not own: how a target is asked
 * (`step-functions.ts`, `durable-functions.ts`, or the author's own code), or whether anything may start (the claim).
 *
 * 1. A start that returns is certain: the execution exists.
 * 2. What a start throws says nothing, unless it is a `RetryableError` or a `RejectedError`: then no execution was started by it.
 * 3. With names, a start may be repeated for as long as the target remembers the name. Without, nothing tells a lost answer from a lost request.
 */

/** What became of a start. */
export type Started =
  /** The execution exists. `execution` is its ARN, or what else the target knows it by. */
  | { readonly outcome: 'started'; readonly execution: string }
  /** The target has an execution of this name, which has ended or has another input. No other one was started. */
  | { readonly outcome: 'name-taken' };

/** An execution, as its target describes it. */
export interface Execution {
  /** Its ARN, or what else the target knows it by. */
  readonly execution: string;
  /** `failed`: it has ended without success, also by a time-out or by an operator. */
  readonly status: 'running' | 'succeeded' | 'failed';
  /** When it began, in epoch milliseconds by the target's clock. */
  readonly startedAt: number;
  /** The JSON text that it was started with. `undefined` if the target does not say. */
  readonly input: string | undefined;
  /** Of one that failed, why. */
  readonly error?: RecordedError | undefined;
}

/**
 * What a target is given with each request.
 *
 * @example
 * const call: WorkflowCall = { signal: AbortSignal.timeout(10_000) };
 */
export interface WorkflowCall {
  /** Aborted when the lease of the claim is about to end. The request may have been applied. */
  readonly signal: AbortSignal;
}

interface Target {
  /** What is started: the ARN of the state machine or of the function, without a version or an alias. It is part of each name. */
  readonly target: string;
  /** What keeps it from working at all, such as a missing ARN. */
  readonly setupError?: OptionError | undefined;
}

/**
 * A target that remembers names: a second start with the same name and input starts nothing.
 *
 * @example
 * import { RetryableError } from 'pawl';
 *
 * const runs: NamedWorkflow = {
 *   kind: 'named',
 *   target: 'nightly-jobs',
 *   remembersSeconds: 90 * 24 * 3600,
 *   async start(name, input) {
 *     const response = await fetch(`https://jobs.example.com/${name}`, { method: 'PUT', body: input });
 *     if (response.status === 409) return { outcome: 'name-taken' };
 *     if (response.status === 429) throw new RetryableError('the scheduler asks to slow down');
 *     if (!response.ok) throw response; // says nothing: the job may be there
 *     return { outcome: 'started', execution: name };
 *   },
 *   async describe(name) {
 *     const response = await fetch(`https://jobs.example.com/${name}`);
 *     return response.status === 404 ? undefined : ((await response.json()) as Execution);
 *   },
 * };
 */
export interface NamedWorkflow extends Target {
  /** It remembers names. */
  readonly kind: 'named';
  /** How long the target remembers a name after its execution has ended, in seconds. */
  readonly remembersSeconds: number;
  /** Starts an execution, or finds that it was started. @param input JSON */
  start(name: string, input: string, call: WorkflowCall): Promise<Started>;
  /** Looks an execution up. It may lag behind. @returns nothing if the target knows none of this name */
  describe(name: string, call: WorkflowCall): Promise<Execution | undefined>;
}

/**
 * A target without names: every request starts an execution.
 *
 * @example
 * const runs: UnnamedWorkflow = {
 *   kind: 'unnamed',
 *   target: 'jobs',
 *   async start(name, input, { signal }) {
 *     const response = await fetch('https://jobs.example.com/', { method: 'POST', body: input, signal });
 *     return { outcome: 'started', execution: await response.text() };
 *   },
 * };
 */
export interface UnnamedWorkflow extends Target {
  /** It remembers none. */
  readonly kind: 'unnamed';
  /** Starts an execution. The request must be sent once only. @param name for people: it stands in the logs of the execution @param input JSON */
  start(name: string, input: string, call: WorkflowCall): Promise<Extract<Started, { readonly outcome: 'started' }>>;
}

/**
 * Where executions are started: `stepFunctions(…)`, or a target of your own.
 *
 * @example
 * const isRecognised = ({ kind }: Workflow) => kind === 'named';
 */
export type Workflow = NamedWorkflow | UnnamedWorkflow;

/** @throws OptionError */
export function expectWorkflow(workflow: Workflow): void {
  const given: unknown = workflow;
  const named = workflow?.kind === 'named' && typeof workflow.describe === 'function';
  const isOne = typeof workflow?.start === 'function' && (named || workflow.kind === 'unnamed');
  expect(isOne, 'workflow', 'stepFunctions({ … }), or a target of your own', given);
}

/** @throws OptionError */
export function expectNamed(workflow: Workflow): void {
  expectWorkflow(workflow);
  expect(
    workflow.kind === 'named',
    'workflow',
    'a target with names: the end of another execution cannot be told apart',
    workflow.kind,
  );
}

/** What Step Functions, or an event of EventBridge, says of an execution. One that waits for a redrive has failed. */
export function statusOf(status: string | undefined): Execution['status'] {
  if (status === 'RUNNING') return 'running';
  return status === 'SUCCEEDED' ? 'succeeded' : 'failed';
}

/**
 * Starts the execution of a name, or recognises it.
 *
 * @param isInDoubt whether an earlier attempt of the claim may have started it
 * @returns what the target knows it by
 * @throws RejectedError when the name has another input, or InDoubtError when that may be of an earlier attempt; RetryableError when nothing was started, or
 *   the target cannot say yet
 */
export async function startNamed(
  workflow: NamedWorkflow,
  name: string,
  input: string,
  call: WorkflowCall,
  isInDoubt = false,
): Promise<string> {
  const started = await workflow.start(name, input, call);
  if (started.outcome === 'started') return started.execution;
  const found = await describeTaken(workflow, name, call);
  if (found.input !== undefined && isSameInput(found.input, input)) return found.execution;
  const said = `${found.execution} was started with another input: the key was used before for something else, or the input changes between two attempts`;
  // Rejected, the claim would say that nothing was started, and an operator would start it under another key.
  if (isInDoubt) throw explainedError(InDoubtError, said, 'other-input');
  throw explainedError(RejectedError, said, 'other-input');
}

/** @throws RetryableError when the target does not show it yet: to start it again does no harm */
async function describeTaken(workflow: NamedWorkflow, name: string, call: WorkflowCall): Promise<Execution> {
  let found: Execution | undefined;
  let cause: unknown;
  try {
    found = await workflow.describe(name, call);
  } catch (error) {
    cause = error;
  }
  if (found !== undefined) return found;
  const why = cause === undefined ? 'it does not show it yet' : 'it could not be asked about it';
  throw explainedError(RetryableError, `the target has an execution ${name}, and ${why}`, 'start-in-doubt', { cause });
}

/** Whether two JSON texts mean the same: the order of their fields does not count. */
export function isSameInput(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch {
    // What cannot be compared was not written by pawl.
    return false;
  }
}
