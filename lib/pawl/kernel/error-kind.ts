import { propertyOf } from './unknown.ts';

/*
 * Which error is pawl's own, and what an error says by itself. The classes are in `errors.ts`.
 */

/** The property that every error of pawl's carries: what kind of error it is. See `errorKind`. */
const brand = 'pawl.error';

/** What an error says about the effect of the handler that throws it. */
const effectKinds = ['retryable', 'rejected', 'in-doubt'] as const;
const kinds = [
  ...effectKinds,
  'option',
  'invalid-message',
  'store-unavailable',
  'lease',
  'no-answer',
  'fingerprint',
  'still-running',
  'wrong-return',
  'setup',
  'payload-unavailable',
] as const;

/** The kinds of pawl's own errors. */
export type ErrorKind = (typeof kinds)[number];

/** What an error says about the effect: nothing was applied, it can never be applied, or that cannot be told. */
export type EffectKind = (typeof effectKinds)[number];

/**
 * Which of pawl's own errors this is, if it is one. By brand: an error of the author's that happens to have the same name must not
 * be taken for ours, and two copies of pawl in one bundle must understand each other. This is the only way in which pawl
 * recognises its errors.
 *
 * @internal
 */
export function errorKind(error: unknown): ErrorKind | undefined {
  try {
    const said = propertyOf(error, brand);
    return kinds.find((kind) => kind === said);
  } catch {
    // An error that cannot even be looked at has not said anything.
    return undefined;
  }
}

/** What an error says about the effect, by its own account. */
export function effectKind(error: unknown): EffectKind | undefined {
  const said = errorKind(error);
  return effectKinds.find((kind) => kind === said);
}

/**
 * How long to wait before the next attempt, as an error says that was thrown because nothing was applied. In milliseconds.
 *
 * @internal
 */
export function retryAfterOf(error: unknown): number | undefined {
  if (errorKind(error) !== 'retryable') return undefined;
  try {
    const retryAfterMs = propertyOf(error, 'retryAfterMs');
    const isTime = typeof retryAfterMs === 'number' && retryAfterMs > 0 && retryAfterMs < Infinity;
    return isTime ? retryAfterMs : undefined;
  } catch {
    // An error that cannot even be looked at says nothing. Thrown from here, it would take its whole batch along.
    return undefined;
  }
}
