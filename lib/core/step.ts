import { expect, expectWhole } from './check.ts';
import type { Claim, Verdict } from './claim.ts';
import { errorKind, InDoubtError, LeaseError, RetryableError } from './errors.ts';
import type { Held } from './held.ts';
import { type Inside, insideOf } from './inside.ts';
import { type ClaimRecord, recordedError } from './record.ts';
import { completion } from './result.ts';
import type { Transition } from './settle.ts';
import type { ClaimStore } from './store.ts';
import { bytesOf } from './text.ts';

/** What a step knows. */
export interface StepRun {
  /** Hand this to the provider as ITS idempotency key: the same at every attempt of this step, another one for each step. */
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export interface StepOptions {
  /**
   * What becomes of the step when a worker died in it, or it threw something that does not say. There is no default.
   *
   * - `'retry'`: run it again. Right when the provider honours the effect key. One write for each step instead of two.
   * - `'park'`: never twice. The claim waits for somebody's decision.
   * - `{ ask, settleMs }`: ask the provider, and believe "not applied" `settleMs` milliseconds after the attempt ended.
   */
  readonly onAbandoned: 'retry' | 'park' | StepReconcile;
}

export interface StepReconcile {
  readonly ask: (step: StepRun) => Promise<Verdict> | Verdict;
  readonly settleMs: number;
}

/** How far one step came. `result` is JSON text; absent for `undefined`. */
export interface Checkpoint {
  readonly name: string;
  /** `open`: it was started, and is known to have applied nothing. */
  readonly state: 'started' | 'open' | 'done';
  /** When it got there, in epoch milliseconds. */
  readonly at: number;
  readonly result?: string | undefined;
  /** Why a result is not there. */
  readonly omitted?: string | undefined;
}

type Checkpoints = readonly (Checkpoint | null)[];

/** A record holds all checkpoints, an item of DynamoDB 400 KB, and every checkpoint writes them all. */
const mostSteps = 100;
const mostBytes = 200_000;

/** What a run of a handler knows of its steps. */
interface Steps {
  readonly found: Checkpoints;
  readonly names: string[];
  /** The last write of a checkpoint: one after the other, each on the record that the one before has left. */
  last: Promise<unknown>;
}

const known = new WeakMap<Held, Steps>();

/**
 * Runs one part of a handler, and keeps what it returned beside the claim: after a crash it is not run again, but answers the
 * same. Steps are known by their order and their name, and must be called in the same order each time. One that is found
 * under another name than it was recorded by parks the claim.
 *
 * Use it under `onAbandoned: 'retry'`, which lets the handler run again; what is in doubt is decided step by step.
 *
 * @param claim as the handler was given it
 * @param name up to 64 characters of ASCII, without spaces; once in a handler
 * @param fn its result is kept as JSON, up to `maxResultBytes`; all checkpoints together up to 200,000 bytes, and 100 steps
 * @throws LeaseError when the time is over, or the claim is somebody else's: the step did not start, or is not known to have ended
 * @throws InDoubtError when nobody can say whether it happened: let it through, and the claim is parked
 * @example
 * const charge = await step(claim, 'charge', ({ effectKey }) => cards.charge(order, { effectKey }), { onAbandoned: 'retry' });
 * await step(claim, 'receipt', () => mailer.send(receiptOf(charge)), { onAbandoned: 'park' });
 */
export function step<R>(
  claim: Claim,
  name: string,
  fn: (step: StepRun) => Promise<R> | R,
  { onAbandoned }: StepOptions,
): Promise<R> {
  const asks = typeof onAbandoned === 'object' ? onAbandoned : undefined;
  const decided = asks?.ask || onAbandoned === 'retry' || onAbandoned === 'park';
  expect(decided, `onAbandoned of step ${name}`, "'retry', 'park' or { ask, settleMs }", onAbandoned);
  if (asks) expectWhole(`settleMs of step ${name}`, asks.settleMs);
  const next = nextStep(claim, name);
  const { before, engine, held } = next;
  const { host, skewMs, classify } = engine.settings;
  const started = unlessResolved(before, held.record);

  async function run(): Promise<R> {
    if (before?.state === 'done') return resultOf(before) as R;
    const stepRun = { effectKey: next.effectKey, signal: claim.signal };
    if (started && onAbandoned === 'park')
      throw new InDoubtError(`step ${name} was started, and did not say how it ended`);
    if (started && asks) {
      const verdict = await verdictOf(asks, stepRun);
      if (verdict.verdict === 'applied') {
        await reached('done', verdict.result);
        return verdict.result as R;
      }
      const askableAt = Math.max(held.record.unknownAt ?? 0, started.at) + asks.settleMs + skewMs;
      if (verdict.verdict !== 'not-applied' || host.now() < askableAt) {
        // Nothing was applied in this run: the doubt that is on the claim stays as old as it is.
        throw new RetryableError(`step ${name} may have been applied, and its provider cannot say yet`);
      }
    }
    if (claim.remainingMs() <= 0) throw new LeaseError(`step ${name} was not started: the time is over`);
    // Under 'retry' it may run again in any case, and need not say that it began.
    if (onAbandoned !== 'retry') await reached('started');
    let value: R;
    try {
      value = await fn(stepRun);
    } catch (error) {
      const kind = errorKind(error) ?? classify?.(error);
      const mayBeApplied = kind !== 'retryable' && kind !== 'rejected';
      // The doubt is as old as the end of the attempt.
      if (onAbandoned !== 'retry') await reached(mayBeApplied ? 'started' : 'open');
      if (mayBeApplied && onAbandoned === 'park')
        throw new InDoubtError(`step ${name}: ${recordedError(error).message}`, { cause: error });
      throw error;
    }
    await reached('done', value);
    return value;
  }

  async function reached(state: Checkpoint['state'], value?: unknown): Promise<void> {
    const is = await next.reach(state, value);
    if (is === 'stale')
      throw new LeaseError(`the claim is somebody else's: step ${name} is not ${state} in its record`);
  }

  const ran = run();
  // Nobody may be waiting for it: its error must not end the process.
  ran.catch(() => undefined);
  return ran;
}

/** The next step of a handler, by the order of its calls. @internal */
export function nextStep(claim: Claim, name: string) {
  const inside: Inside = insideOf(claim);
  const { engine, held } = inside;
  const { host, maxResultBytes } = engine.settings;
  const steps = stepsOf(held);
  const index = steps.names.length;
  expect(/^[!-~]{1,64}$/.test(name), 'the name of a step', 'up to 64 characters of ASCII, without spaces', name);
  expect(!steps.names.includes(name), 'the name of a step', 'one that no other step of the handler has', name);
  expect(index < mostSteps, 'the number of steps', `at most ${mostSteps}`, index + 1);
  steps.names.push(name);
  const before = steps.found[index] ?? undefined;
  if (before && before.name !== name) {
    throw new InDoubtError(
      `step ${index + 1} was called ${before.name} when it ran, and is called ${name} now: the order of steps has changed`,
    );
  }
  const wanted = `${claim.effectKey}/${name}`;
  const effectKey = wanted.length <= 255 ? wanted : `sha256:${host.sha256(wanted)}`;

  /** Writes down how far the step came, and with it whatever `write` carries along. @throws the store's error */
  function reach(
    state: Checkpoint['state'],
    value?: unknown,
    write?: ClaimStore['write'],
  ): Promise<'applied' | 'stale'> {
    const { claimId } = held.record;
    const checkpoint = { name, state, at: host.now(), ...kept(value, maxResultBytes) };
    const written = steps.last.then(() =>
      engine.change(
        held,
        (found) => checkpointed(claimId, found, index, checkpoint),
        host.now() + claim.remainingMs(),
        write,
      ),
    );
    steps.last = written.catch(() => undefined);
    return written;
  }

  return { ...inside, before, effectKey, reach };
}

function stepsOf(held: Held): Steps {
  let steps = known.get(held);
  if (steps === undefined) {
    steps = { found: checkpointsOf(held.record), names: [], last: Promise.resolve() };
    known.set(held, steps);
  }
  return steps;
}

function checkpointsOf({ checkpoints = '[]' }: ClaimRecord): Checkpoints {
  return JSON.parse(checkpoints);
}

/** What its owner makes of a claim when a step got somewhere. */
export function checkpointed(
  claimId: string,
  found: ClaimRecord | undefined,
  index: number,
  checkpoint: Checkpoint,
): Transition {
  if (found?.claimId !== claimId || found.status !== 'in-flight') return 'stale';
  const checkpoints = [...checkpointsOf(found)];
  const isThere = JSON.stringify(checkpoints[index]) === JSON.stringify(checkpoint);
  if (isThere) return 'applied';
  while (checkpoints.length < index) checkpoints.push(null);
  checkpoints[index] = checkpoint;
  let text = JSON.stringify(checkpoints);
  if (bytesOf(text) > mostBytes) {
    // That the step is done must be kept, even if what it returned cannot be.
    checkpoints[index] = { ...checkpoint, result: undefined, omitted: 'too-large' };
    text = JSON.stringify(checkpoints);
  }
  // A millisecond of the lease is given away, so that the record can be told from the one before: stores compare the lease.
  return { ...found, leaseUntil: found.leaseUntil - 1, checkpoints: text };
}

function kept(value: unknown, maxBytes: number): Pick<Checkpoint, 'result' | 'omitted'> {
  const { result, resultOmitted } = completion(value, maxBytes, true);
  return { ...(result !== undefined && { result }), ...(resultOmitted && { omitted: resultOmitted }) };
}

function resultOf({ name, result, omitted }: Checkpoint): unknown {
  if (omitted) throw new InDoubtError(`step ${name} is done, and its result was not kept: it was ${omitted}`);
  return result === undefined ? undefined : JSON.parse(result);
}

/** The step as it was left in doubt; nothing when somebody has since decided that the claim may go on. */
function unlessResolved(before: Checkpoint | undefined, { resolution }: ClaimRecord): Checkpoint | undefined {
  if (before?.state !== 'started') return undefined;
  return resolution && Date.parse(resolution.at) >= before.at ? undefined : before;
}

async function verdictOf({ ask }: StepReconcile, run: StepRun): Promise<Verdict> {
  try {
    return await ask(run);
  } catch {
    return { verdict: 'inconclusive' };
  }
}
