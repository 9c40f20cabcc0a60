import type { Request } from '@middy/core';

/** What a request is to Middy beyond its types: a hook that answers early leaves its answer here too. */
type EarlyRequest = Pick<Request, 'response'> & { readonly earlyResponse?: unknown };

/**
 * Middy ends a request at once when a hook answers early, and calls no `after` and no `onError` of those around it. What `sqsOnce` had claimed would
 * then stay in flight, and Lambda would be given an answer that does not know which messages wait, and delete them. All that Middy
 * still does is to read the response, so that is where the early answer is put right.
 *
 * @param conclude is given the early answer, and whether a response was set before it: by the handler, if anything. What it resolves to is
 *   the answer
 * @returns ends the watch, and leaves an ordinary response
 */
export function watchForEarlyAnswer(
  request: EarlyRequest,
  conclude: (response: unknown, handlerHasAnswered: boolean) => Promise<unknown>,
): () => void {
  let response: unknown = request.response;
  let handlerHasAnswered = false;
  let concluding: Promise<unknown> | undefined;
  const isEarly = () => 'earlyResponse' in request;

  Object.defineProperty(request, 'response', {
    configurable: true,
    enumerable: true,
    get() {
      if (!isEarly()) return response;
      // Middy reads it twice after an error. Later, then: whoever ends the watch in the course of it must find the promise.
      concluding ??= Promise.resolve().then(() => conclude(response, handlerHasAnswered));
      return concluding;
    },
    set(value) {
      if (!isEarly()) handlerHasAnswered = true;
      response = value;
    },
  });

  return function stop() {
    Object.defineProperty(request, 'response', {
      configurable: true,
      enumerable: true,
      writable: true,
      value: response,
    });
  };
}
