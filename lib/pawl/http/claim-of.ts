import type { Claim } from '../engine/claim.ts';
import { expect } from '../kernel/check.ts';

/** The claim of the request that a context belongs to. By name, so that each copy of pawl in a process finds it. */
const claimKey: unique symbol = Symbol.for('pawl.claim-of/1');

interface HasClaim {
  readonly [claimKey]?: () => Claim;
}

/**
 * The claim of the request that a handler behind `httpOnce` works on: none, where a key is not required and was not sent.
 *
 * @example
 * import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
 *
 * const charge = async (event: APIGatewayProxyEventV2, context: Context) => {
 *   const order: Order = JSON.parse(event.body ?? '');
 *   const { id } = await bank.charge(order, { idempotencyKey: claimOf(context)?.effectKey ?? order.id });
 *   return { statusCode: 201, body: id };
 * };
 */
export function claimOf(context: object): Claim | undefined {
  const given: unknown = context;
  expect(typeof given === 'object' && given !== null, 'claimOf', "Lambda's context", given, 'missing-context');
  return (context as HasClaim)[claimKey]?.();
}

/**
 * Keeps the claim of a request on Lambda's context: a Middy handler gets nothing else that belongs to its request alone.
 *
 * @returns the context to hand on: a copy, if this one cannot be extended
 */
export function withClaim<Context extends object>(context: Context, claim: Claim): Context {
  const extensible = Object.isExtensible(context) ? context : { ...context };
  // In a function: many loggers can show hidden properties as well.
  Object.defineProperty(extensible, claimKey, { configurable: true, value: () => claim });
  return extensible;
}

/** The request is over: its claim says nothing any more. */
export function forgetClaim(context: object): void {
  Reflect.deleteProperty(context, claimKey);
}
