import { recordedError } from './recorded-error.ts';

/** How long an outcome may wait until the author's code asks for it, in milliseconds. */
const patienceMs = 1000;

/** A promise that knows whether it was asked for its outcome, by `await` or in any other way. */
class Asked<T> extends Promise<T> {
  /** What follows from it is an ordinary promise. */
  static override get [Symbol.species]() {
    return Promise;
  }
  isAsked = false;

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and this is how `await` asks it.
  override then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAsked = true;
    return super.then(fulfilled, rejected);
  }
}

/**
 * Lets what was started fail although it is awaited late or never: Node ends a process for that, and with it a whole batch. A failure
 * that was not asked for goes to the console: no caller learns of it.
 *
 * @param onUnasked called when it has succeeded, and its outcome was not asked for
 */
export function heard<T>(what: string, started: Promise<T>, onUnasked?: () => void): Promise<T> {
  const asked = new Asked<T>((resolve, reject) => started.then(resolve, reject));
  const unlessAsked = (say: () => void) => {
    if (asked.isAsked) return;
    const timer = setTimeout(() => asked.isAsked || say(), patienceMs);
    // A process that has nothing else to do may end.
    timer.unref();
  };
  const sayOf = (error: unknown) =>
    console.warn(JSON.stringify({ pawl: 'not-awaited', what, error: recordedError(error) }));
  asked.then(
    () => onUnasked && unlessAsked(onUnasked),
    (error) => unlessAsked(() => sayOf(error)),
  );
  // By the line above, and by no author.
  asked.isAsked = false;
  return asked;
}
