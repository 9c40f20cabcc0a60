import type { Request } from '@middy/core';

/** What a request is to Middy beyond its types: a hook that answers early leaves its answer here too. */
type EarlyRequest = Pick<Request, 'context' | 'response'> & { readonly earlyResponse?: unknown };

/**
 * Middy ends a request at once when a hook answers early, and calls no `after` and no `onError` of those around it. What `sqsOnce` had claimed would
 * then stay in flight, and Lambda would be given an answer that does not know which messages wait, and delete them. All that Middy
 * still does is to read the response, so that is where the early answer is put right.
 *
 * @param conclude is given the early answer, and whether the handler has answered before it. What it resolves to is the answer
 * @returns ends the watch, and leaves an ordinary response
 */
export function watchForEarlyAnswer(
  request: EarlyRequest,
  conclude: (response: unknown, handlerHasAnswered: boolean) => Promise<unknown>,
): () => void {
  const watch: Watch = {
    request,
    conclude,
    context: request.context,
    response: request.response,
    handlerHasBegun: false,
    handlerHasAnswered: false,
    concluding: undefined,
  };
  Object.defineProperty(request, watching, { configurable: true, value: watch });
  Object.defineProperties(request, watched);

  return function stop() {
    const { context, response } = watch;
    Object.defineProperties(request, {
      context: { ...ordinary, value: context },
      response: { ...ordinary, value: response },
    });
  };
}

const ordinary = { configurable: true, enumerable: true, writable: true };

const watching = Symbol('the watch for an early answer');

interface Watch {
  readonly request: EarlyRequest;
  readonly conclude: (response: unknown, handlerHasAnswered: boolean) => Promise<unknown>;
  context: Request['context'];
  response: unknown;
  /** Middy reads the context to hand it to the handler. Another middleware that reads it makes it look as if. */
  handlerHasBegun: boolean;
  handlerHasAnswered: boolean;
  concluding: Promise<unknown> | undefined;
}

const isEarly = ({ request }: Watch) => 'earlyResponse' in request;

/** The same functions for all requests: to an object with functions of its own here, V8 gives a hidden class of its own, and each of them lives long. */
const watched: PropertyDescriptorMap & ThisType<{ readonly [watching]: Watch }> = {
  context: {
    configurable: true,
    enumerable: true,
    get() {
      const watch = this[watching];
      watch.handlerHasBegun = true;
      return watch.context;
    },
    set(context) {
      this[watching].context = context;
    },
  },
  response: {
    configurable: true,
    enumerable: true,
    get() {
      const watch = this[watching];
      if (!isEarly(watch)) return watch.response;
      // Middy reads it twice after an error. Later, then: whoever ends the watch in the course of it must find the promise.
      watch.concluding ??= Promise.resolve().then(() => watch.conclude(watch.response, watch.handlerHasAnswered));
      return watch.concluding;
    },
    set(response) {
      const watch = this[watching];
      // What a middleware sets before the handler is no answer of the handler's: it would acknowledge messages that never ran.
      if (!isEarly(watch)) watch.handlerHasAnswered = watch.handlerHasBegun;
      watch.response = response;
    },
  },
};
