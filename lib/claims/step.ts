import { expect, expectWhole } from '../kernel/check.ts';
import { InDoubtError, LeaseError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { type Checkpoint, checkpointsOf, kept, withCheckpoint } from './checkpoints.ts';
import type { Claim, Verdict } from './claim.ts';
import { insideOf } from './inside.ts';
import { type ClaimRecord, successor } from './record.ts';
import type { Transition } from './settle.ts';
import type { ClaimStore } from './store.ts';

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

const docs = 'docs/transactions.md';
const known = { onAbandoned: true } as const satisfies NamesOf<StepOptions>;
const knownOfPolicy = { ask: true, settleMs: true } as const satisfies NamesOf<StepReconcile>;

/** Every checkpoint writes them all. */
const mostSteps = 100;

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
 * @throws InDoubtError when nobody can say whether it happened: the claim is parked, also if the handler catches it, or has had its marked effect
 * @example
 * const charge = await step(claim, 'charge', ({ effectKey }) => cards.charge(order, { effectKey }), { onAbandoned: 'retry' });
 * await step(claim, 'receipt', () => mailer.send(receiptOf(charge)), { onAbandoned: 'park' });
 */
export function step<R>(
  claim: Claim,
  name: string,
  fn: (step: StepRun) => Promise<R> | R,
  options: StepOptions,
): Promise<R> {
  expectOptions(options, { door: 'step', known, docs });
  const { onAbandoned } = options;
  const asks = typeof onAbandoned === 'object' ? onAbandoned : undefined;
  const decided = asks?.ask || onAbandoned === 'retry' || onAbandoned === 'park';
  expect(decided, `onAbandoned of step ${name}`, "'retry', 'park' or { ask, settleMs }", onAbandoned);
  if (asks) expectOptions(asks, { door: 'step', within: 'onAbandoned', known: knownOfPolicy, docs });
  if (asks) expectWhole(`settleMs of step ${name}`, asks.settleMs);
  const next = nextStep(claim, name);
  const { before, engine, held, work, isStartable, expectStartable } = next;
  const { host, skewMs } = engine.settings;
  // In doubt until its own checkpoint says otherwise: an operator's decision is written there.
  const inDoubt = before?.state === 'started' ? before : undefined;

  async function run(): Promise<R> {
    if (before?.state === 'done') return resultOf(before) as R;
    const stepRun = { effectKey: next.effectKey, signal: claim.signal };
    if (inDoubt && onAbandoned === 'park') {
      throw leftInDoubt(new InDoubtError(`step ${name} was started, and did not say how it ended`));
    }
    if (inDoubt && asks) {
      const verdict = await verdictOf(asks, stepRun);
      if (verdict.verdict === 'applied') {
        await reached('done', verdict.result);
        return verdict.result as R;
      }
      const askableAt = Math.max(held.record.unknownAt ?? 0, inDoubt.at) + asks.settleMs + skewMs;
      if (verdict.verdict !== 'not-applied' || host.now() < askableAt) {
        // Nothing was applied in this run: the doubt that is on the claim stays as old as it is.
        const tooEarly = `step ${name} may have been applied, and its provider cannot say yet`;
        throw leftInDoubt(new RetryableError(tooEarly));
      }
    }
    try {
      await start();
    } catch (error) {
      work.leaveUnstarted(error);
      throw error;
    }
    let value: R;
    try {
      value = await fn(stepRun);
    } catch (error) {
      throw await failed(error);
    }
    await reached('done', value);
    return value;
  }

  /** @throws LeaseError, or the store's error: then it has not started */
  async function start(): Promise<void> {
    expectStartable();
    // Under 'retry' it may run again in any case, and need not say that it began.
    if (onAbandoned === 'retry') return;
    await reached('started');
    // The write took its time, and its answer may have come after the lease.
    if (!isStartable()) {
      await reached('open');
      // Even if a heartbeat has renewed the lease meanwhile: its record says that it has applied nothing, and it must not begin under that.
      throw next.notStarted();
    }
  }

  /** Records that the step threw. @returns the error to throw in its place */
  async function failed(error: unknown): Promise<unknown> {
    engine.emit(held.identity, 'step-failed', { step: name, error: recordedError(error) });
    if (onAbandoned === 'retry') return error;
    const kind = engine.kindOf(error);
    const appliedNothing = kind === 'retryable' || kind === 'rejected';
    const thrown =
      onAbandoned !== 'park' || appliedNothing
        ? error
        : new InDoubtError(`step ${name}: ${recordedError(error).message}`, { cause: error });
    try {
      // The doubt is as old as the end of the attempt.
      await reached(appliedNothing ? 'open' : 'started');
      if (!appliedNothing) leftInDoubt(thrown);
    } catch {
      // Its record says `started` since before it ran, and that is a doubt.
      leftInDoubt(thrown);
    }
    return thrown;
  }

  function leftInDoubt<E>(error: E): E {
    work.leaveInDoubt(error);
    return error;
  }

  async function reached(state: Checkpoint['state'], value?: unknown): Promise<void> {
    const is = await next.reach(state, value);
    if (is === 'stale')
      throw new LeaseError(`the claim is somebody else's: step ${name} is not ${state} in its record`);
  }

  return work.follow(run());
}

/** The next step of a handler, by the order of its calls. @internal */
export function nextStep(claim: Claim, name: string) {
  const inside = insideOf(claim);
  const { engine, held, steps, work } = inside;
  const { host, maxResultBytes } = engine.settings;
  const index = steps.names.length;
  expect(/^[!-~]{1,64}$/.test(name), 'the name of a step', 'up to 64 characters of ASCII, without spaces', name);
  expect(!steps.names.includes(name), 'the name of a step', 'one that no other step of the handler has', name);
  expect(index < mostSteps, 'the number of steps', `at most ${mostSteps}`, index + 1);
  steps.names.push(name);
  const before = steps.found[index] ?? undefined;
  if (before && before.name !== name) {
    const moved = new InDoubtError(
      `step ${index + 1} was called ${before.name} when it ran, and is called ${name} now: the order of steps has changed`,
    );
    // Also where the handler catches it: the claim would complete with whatever the other step left open.
    work.leaveInDoubt(moved);
    throw moved;
  }
  const wanted = `${claim.effectKey}/${name}`;
  const effectKey = wanted.length <= 255 ? wanted : `sha256:${host.sha256(wanted)}`;

  /** Writes down how far the step came, and with it whatever `write` carries along. @throws the store's error */
  function reach(
    state: Checkpoint['state'],
    value?: unknown,
    write?: ClaimStore['write'],
  ): Promise<'applied' | 'stale'> {
    const { claimId, fence } = held.record;
    const checkpoint = { name, state, at: host.now(), fence, ...kept(value, maxResultBytes) };
    const written = steps.last.then(() =>
      engine.change(held, (found) => checkpointed(claimId, found, index, checkpoint), {
        until: host.now() + claim.remainingMs(),
        write,
      }),
    );
    steps.last = written.catch(() => undefined);
    return written;
  }

  const isStartable = () => !work.stopped && claim.remainingMs() > 0;

  const notStarted = () =>
    new LeaseError(`step ${name} was not started: ${work.stopped ? 'its handler has ended' : 'the time is over'}`);

  /** @throws LeaseError */
  function expectStartable(): void {
    if (!isStartable()) throw notStarted();
  }

  return { ...inside, before, effectKey, reach, isStartable, expectStartable, notStarted };
}

/** What its owner makes of a claim when a step got somewhere. */
export function checkpointed(
  claimId: string,
  found: ClaimRecord | undefined,
  index: number,
  checkpoint: Checkpoint,
): Transition {
  if (found?.claimId !== claimId || found.status !== 'in-flight') return 'stale';
  const before = checkpointsOf(found);
  const isThere = JSON.stringify(before[index]) === JSON.stringify(checkpoint);
  if (isThere) return 'applied';
  return successor(found, { ...found, checkpoints: withCheckpoint(before, index, checkpoint) });
}

function resultOf({ name, result, omitted }: Checkpoint): unknown {
  if (omitted) throw new InDoubtError(`step ${name} is done, and its result was not kept: it was ${omitted}`);
  return result === undefined ? undefined : JSON.parse(result);
}

async function verdictOf({ ask }: StepReconcile, run: StepRun): Promise<Verdict> {
  try {
    return await ask(run);
  } catch {
    return { verdict: 'inconclusive' };
  }
}
