import { recordedError } from './recorded-error.ts';

/** How long an outcome may wait until the author's code asks for it, in milliseconds. */
const patienceMs = 1000;

/** A promise that knows whether it was asked for its outcome, by `await` or in any other way. */
export class Asked<T> extends Promise<T> {
  /** What follows from it is an ordinary promise. */
  static override get [Symbol.species]() {
    return Promise;
  }
  isAsked = false;

  /** @param started how this ends. It may fail although nobody asks for it */
  static of<T>(started: Promise<T>): Asked<T> {
    const asked = new Asked<T>((resolve, reject) => started.then(resolve, reject));
    asked.then(undefined, () => undefined);
    // By the line above, and by no author.
    asked.isAsked = false;
    return asked;
  }

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
 */
export function heard<T>(what: string, started: Promise<T>): Promise<T> {
  const asked = Asked.of(started);
  const sayOf = (error: unknown) =>
    console.warn(JSON.stringify({ pawl: 'not-awaited', what, error: recordedError(error) }));
  started.catch((error) => {
    if (asked.isAsked) return;
    const timer = setTimeout(() => asked.isAsked || sayOf(error), patienceMs);
    // A process that has nothing else to do may end.
    timer.unref();
  });
  return asked;
}
