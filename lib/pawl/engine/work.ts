import { effectKind } from '../kernel/error-kind.ts';
import { explainedError, LeaseError } from '../kernel/errors.ts';
import type { Asked } from '../kernel/heard.ts';
import { type Host, whenOver } from '../kernel/host.ts';
import { recordedError } from '../kernel/recorded-error.ts';

/** An error in a box: what was thrown may be `undefined`, `null` or `''`, and is an error all the same. */
export interface Thrown {
  readonly error: unknown;
}

/** What the work beside a handler had come to when nothing of it could start any more. */
export interface Rested {
  /** What was left in doubt, at any time. */
  readonly inDoubt: readonly Thrown[];
  /** What failed since the handler ended, and what could not start. */
  readonly late: readonly Thrown[];
}

/** A call of `once`, or the start of an execution, that the handler has made. */
interface Call {
  /** What it is, for the warning. */
  readonly what: string;
  readonly asked: Asked<unknown>;
  failure: Thrown | undefined;
}

/**
 * How many microtasks what has ended may take to begin the next: some for each `await` and `then` between the two. What waits for a timer or a request in
 * between has to be awaited by its handler.
 */
const mostHops = 30;

/** What a handler has under way besides itself: its effect and its steps, also those that it does not wait for. */
export class Work {
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #late: Thrown[] = [];
  readonly #inDoubt: Thrown[] = [];
  readonly #calls: Call[] = [];
  /** Throws where its caller is inside a step. Set by the first step: a handler without steps does not carry what it takes. */
  refuseInStep: ((what: string) => void) | undefined;
  /** How many effects may be applied that only their call can tell of, and no mark: executions without a name. */
  unmarked = 0;
  /** Called when nothing of the handler may start any more. */
  onStop: (() => void) | undefined;
  #ended = false;
  #stopped = false;

  /** Whether nothing may start any more, because how the handler ended is about to be recorded. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether an effect, a step or a call of `once` is under way. */
  get isUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  /** What was left in doubt until now. */
  get inDoubt(): readonly Thrown[] {
    return this.#inDoubt;
  }

  /** Waits for this as well, before the outcome is recorded. Its error ends no process, whether or not the author handles it. */
  follow<T>(started: Promise<T>): Promise<T> {
    this.#underWay.add(started);
    started.then(
      () => this.#underWay.delete(started),
      (error) => {
        this.#underWay.delete(started);
        if (this.#ended) this.#late.push({ error });
      },
    );
    return started;
  }

  /** The same for promises that the handler has returned inside of something. Their errors count whenever they come: no code of the author's sees them. */
  followAll(promises: readonly PromiseLike<unknown>[]): void {
    for (const one of promises) this.follow(Promise.resolve(one).catch((error) => void this.#late.push({ error })));
  }

  /** The calls whose outcome no code has asked for. */
  get unasked(): readonly string[] {
    return this.#calls.filter(({ asked }) => !asked.isAsked).map(({ what }) => what);
  }

  /**
   * Waits for such a call as well. Its error is of who asks for its outcome. It counts as the handler's own if nobody has asked, or if it comes after the
   * handler has ended: whoever asked then, the handler has not waited for it.
   *
   * @param asked the call as its caller has it
   * @param isOwn whether it is known to be made in this handler
   */
  followCall(what: string, started: Promise<unknown>, asked: Asked<unknown>, isOwn: boolean): void {
    const call: Call = { what, asked, failure: undefined };
    this.#calls.push(call);
    const over = () => this.#underWay.delete(ended);
    const ended: Promise<unknown> = started.then(over, (error) => {
      call.failure = { error: notAwaited(what, error) };
      if (this.#ended && isOwn && asked.isAsked) this.#late.push(call.failure);
      over();
    });
    this.#underWay.add(ended);
  }

  /** A step was left in doubt. The claim cannot complete with that, even if the handler catches the error, or never waits for it. */
  leaveInDoubt(error: unknown): void {
    this.#inDoubt.push({ error });
  }

  /** The effect or a step could not start. The claim cannot complete without it, even if the handler catches the error, or never waits for it. */
  leaveUnstarted(error: unknown): void {
    this.#late.push({ error });
  }

  /** The handler has ended. After a throw nothing of it may start: it would run under a claim that is released or rejected. */
  end(how: 'returned' | 'threw'): void {
    this.#ended = true;
    if (how === 'threw') this.#nothingStarts();
  }

  #nothingStarts(): void {
    this.#stopped = true;
    this.onStop?.();
  }

  /**
   * Waits for what is under way, but not for ever: an effect that never settles must not keep its own outcome from being
   * recorded. Nothing starts after it.
   *
   * @param remainingMs until the outcome has to be recorded; a renewal may move that
   * @returns a promise only where anything is under way
   */
  rest(host: Host, remainingMs: () => number): Rested | Promise<Rested> {
    return this.#underWay.size > 0 ? this.#restAfter(host, remainingMs) : this.#stop();
  }

  async #restAfter(host: Host, remainingMs: () => number): Promise<Rested> {
    while (this.#underWay.size > 0) {
      await settledWithin(host, remainingMs(), this.#underWay);
      // What has ended may be about to begin the next: `step(a).then(() => commit(b))`, which the handler does not await.
      for (let hop = 0; hop < mostHops && this.#underWay.size === 0; hop++) await undefined;
      if (this.#underWay.size > 0 && remainingMs() <= 0) {
        this.leaveUnstarted(new LeaseError('an effect, a step or a call of once had not ended when the time was over'));
        break;
      }
    }
    return this.#stop();
  }

  #stop(): Rested {
    this.#nothingStarts();
    for (const { asked, failure } of this.#calls) if (failure && !asked.isAsked) this.#late.push(failure);
    return { inDoubt: this.#inDoubt, late: this.#late };
  }
}

/** What the handler has done beside a call that it has not awaited is not known: that the call applied nothing would release the claim, and repeat it. */
function notAwaited(what: string, cause: unknown): unknown {
  if (effectKind(cause) !== 'retryable') return cause;
  return explainedError(Error, `${what} was not awaited, and failed: ${recordedError(cause).message}`, 'not-awaited', {
    cause,
  });
}

async function settledWithin(host: Host, ms: number, promises: Iterable<Promise<unknown>>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = whenOver(host, ms, resolve);
  await Promise.race([Promise.allSettled(promises), over]);
  cancel();
}
