import { expect } from '../kernel/check.ts';
import { explainedError, InDoubtError, LeaseError } from '../kernel/errors.ts';
import { Asked } from '../kernel/heard.ts';
import { type Checkpoint, kept } from '../rules/checkpoints.ts';
import { stepEffectKey } from '../rules/identity.ts';
import { checkpointed } from '../rules/steps.ts';
import type { ClaimStore } from '../rules/store.ts';
import type { Claim } from './claim.ts';
import { type ClaimInternals, internalsOf } from './claim-internals.ts';
import { changeClaim } from './engine.ts';
import { refuseInsideStep } from './inside-step.ts';
import { recordUntil } from './record-outcome.ts';

/**
 * Waits for a step that its handler may not wait for. Its error counts as the handler's own where nobody has asked for its outcome: the claim would complete
 * without the step.
 *
 * @returns the step, as its caller has it
 */
export function followStep<T>({ work, name }: NextStep, started: Promise<T>): Promise<T> {
  const asked = Asked.of(started);
  work.followCall(`step ${name}`, started, asked, true);
  return asked;
}

/** Every checkpoint writes them all. */
const mostSteps = 100;

/**
 * The next step of a handler, by the order of its calls: what its record says of it, and how to write that on.
 *
 * Owns: the place of a step in its record, and the one way in which a checkpoint is written. Does not own: when a step runs
 * (`step.ts`, `commitStep`), or what its doubt means (`checkpoints.ts`).
 *
 * 1. A step is known by its place and its name. Another name in its place parks the claim.
 * 2. Checkpoints are written one after the other, each on the record that the one before has left.
 */
export class NextStep {
  readonly claim: Claim;
  readonly name: string;
  /** How far an earlier attempt came with it. */
  readonly before: Checkpoint | undefined;
  /** The same at every attempt of this step, another one for each step. */
  readonly effectKey: string;
  readonly #behind: ClaimInternals;
  readonly #index: number;

  constructor(claim: Claim, behind: ClaimInternals, name: string, index: number, before: Checkpoint | undefined) {
    this.claim = claim;
    this.name = name;
    this.before = before;
    this.effectKey = stepEffectKey(claim.effectKey, name, behind.engine.settings.host);
    this.#behind = behind;
    this.#index = index;
  }

  get engine(): ClaimInternals['engine'] {
    return this.#behind.engine;
  }

  get grant(): ClaimInternals['grant'] {
    return this.#behind.grant;
  }

  get work(): ClaimInternals['work'] {
    return this.#behind.work;
  }

  /**
   * Writes down how far the step came, and with it whatever `write` carries along.
   *
   * @throws the store's error
   */
  reach(state: Checkpoint['state'], value?: unknown, write?: ClaimStore['write']): Promise<'applied' | 'stale'> {
    const { host, maxResultBytes } = this.engine.settings;
    return this.#write({ name: this.name, state, at: host.now(), ...kept(value, maxResultBytes) }, write);
  }

  /**
   * Writes down the doubt about a step that its table has forgotten, as old as it is: then an operator can decide the step alone. Never throws: without it,
   * the step is in doubt all the same.
   */
  async keepForgotten(): Promise<void> {
    const { before } = this;
    if (before === undefined || this.#behind.steps.found[this.#index] === before) return;
    await this.#write(before).catch(() => undefined);
  }

  #write(reached: Checkpoint, write?: ClaimStore['write']): Promise<'applied' | 'stale'> {
    const { engine, grant, steps } = this.#behind;
    const { host } = engine.settings;
    const { claimId, fence } = grant.record;
    const { name, state, at, fence: _, ...kept } = reached;
    const checkpoint = { name, state, at, fence, ...kept };
    // What has ended after the deadline, where the worker outlives it, is written down as an outcome is.
    const outlives = grant.keptUntil !== undefined && state !== 'started';
    const until = () => (outlives ? recordUntil(engine, grant) : host.now() + this.claim.remainingMs());
    const written = steps.last.then(() =>
      changeClaim(engine, grant, (found) => checkpointed(claimId, found, this.#index, checkpoint), {
        until: until(),
        write,
      }),
    );
    steps.last = written.catch(() => undefined);
    return written;
  }

  isStartable(): boolean {
    return !this.work.stopped && this.claim.remainingMs() > 0;
  }

  notStarted(): LeaseError {
    const why = this.work.stopped ? 'its handler has ended' : 'the time is over';
    return new LeaseError(`step ${this.name} was not started: ${why}`);
  }

  /** @throws LeaseError */
  expectStartable(): void {
    if (!this.isStartable()) throw this.notStarted();
  }
}

/**
 * The next step of a handler.
 *
 * @throws OptionError when its name is no name or was used before; Error inside another step of the claim; InDoubtError when another step stood in its place
 */
export function nextStep(claim: Claim, name: string): NextStep {
  const behind = internalsOf(claim, 'step');
  const { steps, work } = behind;
  work.refuseInStep ??= (what) => refuseInsideStep(work, what);
  work.refuseInStep(`step ${name}`);
  const index = steps.names.length;
  expect(/^[!-~]{1,64}$/.test(name), 'the name of a step', 'up to 64 characters of ASCII, without spaces', name);
  expect(!steps.names.includes(name), 'the name of a step', 'one that no other step of the handler has', name);
  expect(index < mostSteps, 'the number of steps', `at most ${mostSteps}`, index + 1);
  steps.names.push(name);
  const before = steps.found[index] ?? forgottenStep(behind, name);
  if (before !== undefined && before.name !== name) {
    const moved = explainedError(
      InDoubtError,
      `step ${index + 1} was called ${before.name} when it ran, and is called ${name} now: the order of steps has changed`,
      'step-in-doubt',
    );
    // Also where the handler catches it: the claim would complete with whatever the other step left open.
    work.leaveInDoubt(moved);
    throw moved;
  }
  return new NextStep(claim, behind, name, index, before);
}

/** A step that a restored table may have forgotten is in doubt, as one that was started. */
function forgottenStep({ grant }: ClaimInternals, name: string): Checkpoint | undefined {
  const at = grant.record.forgottenUntil;
  return at === undefined ? undefined : { name, state: 'started', at };
}
