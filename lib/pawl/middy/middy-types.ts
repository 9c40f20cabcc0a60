/*
 * The types of Middy that its middlewares use. Middy is an ECMAScript module. Without the mode, TypeScript finds no types of it for a project of
 * CommonJS, and takes a middleware of pawl for anything at all.
 */

type Unbound = import('@middy/core', { with: { 'resolution-mode': 'import' }}).Request;

/** Lambda's context. */
export type Context = Unbound['context'];

type Internal = Record<string, unknown>;

/** A request for a handler of these events, with any result. */
export type Request<Event = unknown> = import('@middy/core', { with: { 'resolution-mode': 'import' }}).Request<
  Event,
  unknown,
  Error,
  Context,
  Internal
>;

/** A middleware for such requests. */
export type Middleware<Event> = import('@middy/core', { with: { 'resolution-mode': 'import' }}).MiddlewareObj<
  Event,
  unknown,
  Error,
  Context,
  Internal
>;
