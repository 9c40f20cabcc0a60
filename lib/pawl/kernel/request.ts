import { errorKind } from './error-kind.ts';
import { type Host, whenOver } from './host.ts';

/** The caller gave a request up. The store may have applied it, or may apply it later. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** @internal */
  readonly 'pawl.error' = 'no-answer';
}

interface Answering<T> {
  /** What the clock has just said, where the caller has asked it. */
  readonly now?: number;
  /** Gets a result that comes too late. @default it is dropped */
  readonly late?: (result: T) => void;
}

/**
 * The result of a request, if it comes in time. An error that comes later is dropped.
 *
 * @param until epoch milliseconds
 * @throws what the request throws; NoAnswerError when the time is over
 */
export function answeredBy<T>(
  host: Pick<Host, 'now' | 'after'>,
  until: number,
  request: Promise<T>,
  { now = host.now(), late }: Answering<T> = {},
): Promise<T> {
  // Twice for each message, so without the promises that a race would make.
  return new Promise((resolve, reject) => {
    const waitMs = Math.max(0, until - now);
    let isOver = false;
    const cancel = whenOver(host, waitMs, () => {
      isOver = true;
      reject(new NoAnswerError(`no answer within ${Math.ceil(waitMs)} ms`));
    });
    request.then(
      (result) => {
        if (isOver) return late?.(result);
        cancel();
        resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

export function isNoAnswer(error: unknown): boolean {
  return errorKind(error) === 'no-answer';
}
