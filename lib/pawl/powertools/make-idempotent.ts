import { expectFunction } from '../kernel/check.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { callsOf, type IdempotencyLambdaHandlerOptions } from './call.ts';
import { type RemainingTime, refuse } from './config.ts';

/** Any function at all, as Powertools types it. */
// biome-ignore lint/suspicious/noExplicitAny: of `unknown`, a function with parameters of its own would be none
export type AnyFunction = (...args: any[]) => any;

/**
 * The options of a function with these parameters: beside Lambda's context, which argument is the payload is not to be chosen.
 *
 * @example
 * const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' });
 * const options: ItempotentFunctionOptions<[label: string, payment: Payment]> = { persistenceStore, dataIndexArgument: 1 };
 */
export type ItempotentFunctionOptions<Args extends readonly unknown[]> = Args[1] extends RemainingTime
  ? IdempotencyLambdaHandlerOptions
  : IdempotencyLambdaHandlerOptions & {
      /**
       * Which argument is the payload.
       * @default 0, the first
       */
      readonly dataIndexArgument?: number;
    };

/**
 * Makes a function idempotent, with the call shape of Powertools: a call with a key that is done returns what that call returned. It is `once` of pawl behind it, and the function gets its own
 * arguments and its own `this`.
 *
 * @throws OptionError at once when an option is missing or wrong
 * @example
 * const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' });
 * const refundOnce = makeIdempotent((payment: Payment) => bank.refund(payment, { idempotencyKey: payment.id }), {
 *   persistenceStore,
 *   config: new IdempotencyConfig({ eventKeyJmesPath: 'id' }),
 * });
 */
export function makeIdempotent<Func extends AnyFunction>(
  fn: Func,
  options: ItempotentFunctionOptions<Parameters<Func>>,
): (...args: Parameters<Func>) => ReturnType<Func> {
  expectFunction('makeIdempotent', 'a function, before the options', fn, 'wrong-handler');
  const taken: IdempotencyLambdaHandlerOptions & { readonly dataIndexArgument?: number } = options;
  const { config, call } = callsOf(taken, fn);
  const { dataIndexArgument = 0 } = taken;
  return function idempotent(this: unknown, ...args: Parameters<Func>): ReturnType<Func> {
    const [payload, second]: unknown[] = args;
    if (propertyOf(second, 'lambdaContext') !== undefined) {
      refuse(
        'a durable function runs again from its beginning at each replay, and one claim does not outlast that. Start it once, by a name of its own',
      );
    }
    const isHandler = isContext(second);
    if (isHandler) config.registerLambdaContext(second);
    const keyed = isHandler ? payload : args[dataIndexArgument];
    return call(keyed, () => fn.apply(this, args)) as ReturnType<Func>;
  };
}

function isContext(value: unknown): value is RemainingTime {
  return typeof propertyOf(value, 'getRemainingTimeInMillis') === 'function';
}
