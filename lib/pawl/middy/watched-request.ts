import type { Context, Request } from './middy-types.ts';

/**
 * What a middleware of pawl keeps on a request of Middy's, and hears of it between its own hooks.
 *
 * Owns: one hidden property of the request, and three that it watches: `context`, `error` and `response`. Does not own: what follows
 * from what it hears. That is the watcher's (`sqsOnce`, `httpOnce`).
 *
 * The state is on the request itself. Its `internal` may be one object for all requests, as Middy 5 and 6 have it with the option of that name, and
 * other middlewares replace it: an invocation would then answer for the messages of another invocation, and acknowledge its own.
 *
 * Middy ends a request at once when a hook answers early, and calls no `after` and no `onError` of the middlewares around it. What pawl has claimed
 * would stay in flight, and Lambda would get a response that does not name the messages that wait, and delete them. All that Middy still does is to
 * read the response. So the early answer is put right there.
 *
 * 1. At most one middleware of pawl watches a request. (`isWatched`)
 * 2. An early answer that is read while the request is watched is what `endEarly` resolves to, and `endEarly` is called once.
 * 3. After `stopWatching`, the request is an ordinary one, with the values that it has then.
 */
export interface Watch<State> {
  readonly watcher: Watcher<State>;
  /** What the watcher keeps between its hooks. */
  readonly state: State;
  /** Middy reads the context to hand it to the handler. If another middleware reads it, the handler seems to have begun. */
  readonly handlerHasBegun: boolean;
  readonly handlerHasAnswered: boolean;
  /** What was thrown first. An error handler may put another error in its place, which says nothing any more. */
  readonly firstError: { readonly error: unknown } | undefined;
  /** The context as it is now. */
  readonly context: Context;
}

/** A middleware of pawl. */
export interface Watcher<State> {
  /**
   * Another middleware has answered early.
   * @returns the response that Lambda gets
   */
  endEarly(watch: Watch<State>, response: unknown): Promise<unknown>;
  /**
   * Another middleware replaces the context.
   * @returns the context that the handler gets
   */
  contextReplaced?(watch: Watch<State>, context: Context): Context;
  /** The handler is about to be called, or another middleware reads the context: called at each reading. */
  handlerBegins?(watch: Watch<State>): void;
}

/** What a request is to Middy beyond its types: a hook that answers early leaves its answer here too. */
type Watchable = Pick<Request, 'context' | 'response' | 'error'> & { readonly earlyResponse?: unknown };

/** Begins to watch a request, from `before` on. */
export function watchRequest<State>(request: Watchable, watcher: Watcher<State>, state: State): Watch<State> {
  const watch: Watching<State> = {
    watcher,
    state,
    request,
    context: request.context,
    error: request.error,
    response: request.response,
    firstError: undefined,
    handlerHasBegun: false,
    handlerHasAnswered: false,
    ending: undefined,
    isOver: false,
  };
  Object.defineProperty(request, watching, { configurable: true, value: watch });
  Object.defineProperties(request, watched);
  return watch;
}

/**
 * The watch of this watcher over a request.
 *
 * @returns nothing if it has not begun or is over. Another middleware failed before `before` of this one was done, or after its own hooks: nothing of it is to
 *   be undone then
 */
export function watchOf<State>(request: Watchable, watcher: Watcher<State>): Watch<State> | undefined {
  const watch = currentOf(request);
  return watch !== undefined && isBy(watch, watcher) ? watch : undefined;
}

/** Whether a middleware of pawl watches a request already: the same one, or another that was used on the same handler. */
export function isWatched(request: Watchable): boolean {
  return currentOf(request) !== undefined;
}

/** Ends the watch over a request, if there is one. */
export function stopWatching(request: Watchable): void {
  const watch = currentOf(request);
  if (watch === undefined) return;
  watch.isOver = true;
  const { context, error, response } = watch;
  Object.defineProperties(request, {
    context: { ...ordinary, value: context },
    error: { ...ordinary, value: error },
    response: { ...ordinary, value: response },
  });
}

/** The watch of pawl over a request. By name: a middleware of another copy of pawl must not watch the request as well. */
const watching: unique symbol = Symbol.for('pawl.watch/1');

interface Watching<State> extends Watch<State> {
  readonly request: Watchable;
  context: Context;
  error: Request['error'];
  response: unknown;
  firstError: { readonly error: unknown } | undefined;
  handlerHasBegun: boolean;
  handlerHasAnswered: boolean;
  ending: Promise<unknown> | undefined;
  isOver: boolean;
}

interface Watched {
  readonly [watching]: Watching<unknown>;
}

function currentOf(request: object): Watching<unknown> | undefined {
  const watch = (request as Partial<Watched>)[watching];
  return watch?.isOver ? undefined : watch;
}

function isBy<State>(watch: Watching<unknown>, watcher: Watcher<State>): watch is Watching<State> {
  return watch.watcher === watcher;
}

const ordinary = { configurable: true, enumerable: true, writable: true };

const isEarly = ({ request }: Watching<unknown>) => 'earlyResponse' in request;

/**
 * The same functions for all requests. V8 gives each object with accessor functions of its own a hidden class of its own, and each of those
 * classes lives long.
 */
const watched: PropertyDescriptorMap & ThisType<Watched> = {
  context: {
    configurable: true,
    enumerable: true,
    get() {
      const watch = this[watching];
      watch.handlerHasBegun = true;
      watch.watcher.handlerBegins?.(watch);
      return watch.context;
    },
    set(context) {
      const watch = this[watching];
      watch.context = watch.watcher.contextReplaced?.(watch, context) ?? context;
    },
  },
  error: {
    configurable: true,
    enumerable: true,
    get() {
      return this[watching].error;
    },
    set(error) {
      const watch = this[watching];
      watch.firstError ??= { error };
      watch.error = error;
    },
  },
  response: {
    configurable: true,
    enumerable: true,
    get() {
      const watch = this[watching];
      if (!isEarly(watch)) return watch.response;
      // Middy reads it twice after an error. Later, then: what ends the watch in the course of it must find the promise.
      watch.ending ??= Promise.resolve().then(() => watch.watcher.endEarly(watch, watch.response));
      return watch.ending;
    },
    set(response) {
      const watch = this[watching];
      // What a middleware sets before the handler is no answer of the handler's: it would acknowledge messages that never ran.
      if (!isEarly(watch)) watch.handlerHasAnswered = watch.handlerHasBegun;
      watch.response = response;
    },
  },
};
