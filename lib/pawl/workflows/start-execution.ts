import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import type { Work } from '../engine/work.ts';
import { effectKind } from '../kernel/error-kind.ts';
import { explainedError, InDoubtError, LeaseError, RejectedError, RetryableError } from '../kernel/errors.ts';
import { Asked } from '../kernel/heard.ts';
import { executionHash, executionName } from './execution-name.ts';
import { besideUnnamed, keepUnnamed } from './unnamed-starts.ts';
import { isSameInput, startNamed, type Workflow } from './workflow.ts';

/** An execution that is certain to exist. */
export interface StartedExecution {
  readonly name: string;
  /** Its ARN, or what else its target knows it by. */
  readonly execution: string;
}

/**
 * Starts an execution in a handler that has a claim: of `eachMessage`, `once`, `onceOverHttp`. One key starts one execution of a target, however often the
 * handler runs. Its name is made of the operation, the key and the target, so an earlier attempt whose answer was lost is recognised.
 *
 * An express workflow has no names. There, an answer that is lost throws an error that says nothing, and `onAbandoned` of the handler decides. So does it where
 * another start of the handler is refused beside it: make each a `step` to begin again behind it.
 *
 * Two executions of one target need two keys: call it in a handler of `once`, with an operation of its own.
 *
 * @param claim as the handler was given it
 * @param input JSON: the same at each attempt, so without times and random values
 * @throws RejectedError when the target refuses the input, or has an execution of this name with another input
 * @throws InDoubtError when it has that, and an earlier attempt is in doubt
 * @throws RetryableError when nothing was started: the target asks to slow down, or is not set up. Not beside an express execution of the same handler
 * @throws InDoubtError when an earlier attempt is so old that the target has forgotten its name
 * @throws LeaseError when the time is over. What the target throws beside these says nothing
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * export const handler = eachMessage(
 *   { operation: 'settle', store, schema: Order, key: bodyField('id'), onAbandoned: 'retry', retentionSeconds: 120 * 24 * 3600 },
 *   async ({ body }, claim) => {
 *     await startExecution(claim, workflow, { orderId: body.id });
 *   },
 * );
 */
export function startExecution(claim: Claim, workflow: Workflow, input: unknown): Promise<StartedExecution> {
  const { work } = internalsOf(claim, 'startExecution');
  const started = startText(claim, workflow, inputText(input));
  const asked = Asked.of(started);
  work.followCall(`start of an execution of ${workflow.target}`, started, asked, true);
  return asked;
}

/** The input of an execution as JSON. @throws RejectedError when it has none: no later attempt has one */
export function inputText(input: unknown): string {
  try {
    return JSON.stringify(input) ?? '{}';
  } catch (cause) {
    throw explainedError(RejectedError, 'the input of an execution cannot be written as JSON', 'start-refused', {
      cause,
    });
  }
}

export async function startText(claim: Claim, workflow: Workflow, input: string): Promise<StartedExecution> {
  const { work } = internalsOf(claim, 'startExecution');
  try {
    return await startUnder(claim, workflow, input);
  } catch (error) {
    throw await besideUnnamed(work, () => claim.signal, error);
  }
}

async function startUnder(claim: Claim, workflow: Workflow, input: string): Promise<StartedExecution> {
  const { engine, grant, work } = internalsOf(claim, 'startExecution');
  const { host } = engine.settings;
  expectStartable(claim, workflow);
  const { operation, key } = claim;
  const name = executionName(executionHash({ operation, key, target: workflow.target }, host), 1);
  const call = { signal: claim.signal };
  if (workflow.kind === 'named') {
    const notStarted = expectOneInput(work, name, input, workflow);
    const isInDoubt = grant.record.unknownAt !== undefined;
    try {
      return { name, execution: await startNamed(workflow, name, input, call, isInDoubt) };
    } catch (error) {
      if (effectKind(error) !== undefined) notStarted();
      throw error;
    }
  }
  const { execution } = await keepUnnamed(work, async () => workflow.start(name, input, call));
  return { name, execution };
}

/** The inputs of the executions that a run of a handler has started, by their names. */
const inputsOf = new WeakMap<Work, Map<string, string>>();

/**
 * A second execution of one target would find the first one under its name.
 *
 * @returns forgets the input, where nothing is started with it
 * @throws Error, which says nothing of the handler: it has started the first
 */
function expectOneInput(work: Work, name: string, input: string, { target }: Workflow): () => void {
  const inputs = inputsOf.get(work) ?? new Map<string, string>();
  inputsOf.set(work, inputs);
  const before = inputs.get(name);
  if (before === undefined) {
    inputs.set(name, input);
    return () => inputs.delete(name);
  }
  if (isSameInput(before, input)) return () => undefined;
  const said = `a handler started two executions of ${target}, and its key names one: give each a call of once, with an operation of its own`;
  throw explainedError(Error, said, 'other-input');
}

/** @throws what says that nothing is started: RetryableError, LeaseError, or InDoubtError */
export function expectStartable(claim: Claim, workflow: Workflow): void {
  const { engine, grant } = internalsOf(claim, 'startExecution');
  const { host, retentionSeconds } = engine.settings;
  const { setupError } = workflow;
  if (setupError !== undefined) throw new RetryableError(setupError.message, { cause: setupError });
  if (claim.remainingMs() <= 0) throw new LeaseError('the execution was not started: the time is over');
  if (workflow.kind === 'unnamed') return;
  const wrong = tooShort(retentionSeconds, workflow.remembersSeconds);
  if (wrong !== undefined) throw explainedError(RetryableError, wrong, 'wrong-time');
  const { attempts, firstSeenAt } = grant.record;
  if (attempts === 1 || host.now() - firstSeenAt < workflow.remembersSeconds * 1000) return;
  const said = `an attempt of ${new Date(firstSeenAt).toISOString()} may have started it, and its target has forgotten the name since`;
  throw explainedError(InDoubtError, said, 'name-forgotten');
}

/** That a claim would be forgotten before the name of its execution, if it would. */
export function tooShort(retentionSeconds: number, remembersSeconds: number): string | undefined {
  if (retentionSeconds >= remembersSeconds) return undefined;
  return `retentionSeconds: expected at least ${remembersSeconds}, for as long as the target remembers the name of an execution, or 'forever'; got ${retentionSeconds}`;
}
