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
  const watch: Watch = {
    request,
    conclude,
    response: request.response,
    handlerHasAnswered: false,
    concluding: undefined,
  };
  Object.defineProperty(request, watching, { configurable: true, value: watch });
  Object.defineProperty(request, 'response', watchedResponse);

  return function stop() {
    const value = watch.response;
    Object.defineProperty(request, 'response', { configurable: true, enumerable: true, writable: true, value });
  };
}

const watching = Symbol('the watch for an early answer');

interface Watch {
  readonly request: EarlyRequest;
  readonly conclude: (response: unknown, handlerHasAnswered: boolean) => Promise<unknown>;
  response: unknown;
  handlerHasAnswered: boolean;
  concluding: Promise<unknown> | undefined;
}

const isEarly = ({ request }: Watch) => 'earlyResponse' in request;

/** The same functions for all requests: to an object with functions of its own here, V8 gives a hidden class of its own, and each of them lives long. */
const watchedResponse: PropertyDescriptor & ThisType<{ readonly [watching]: Watch }> = {
  configurable: true,
  enumerable: true,
  get() {
    const watch = this[watching];
    if (!isEarly(watch)) return watch.response;
    // Middy reads it twice after an error. Later, then: whoever ends the watch in the course of it must find the promise.
    watch.concluding ??= Promise.resolve().then(() => watch.conclude(watch.response, watch.handlerHasAnswered));
    return watch.concluding;
  },
  set(value) {
    const watch = this[watching];
    if (!isEarly(watch)) watch.handlerHasAnswered = true;
    watch.response = value;
  },
};
