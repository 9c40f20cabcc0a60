import { propertyOf } from './unknown.ts';

/*
 * Who asks for a permission that is missing: an operator is not a consumer, and a consumer's grant would not help.
 *
 * Owns: how the error of a store comes to advise the grant of its caller. Does not own: what was refused, which the store says.
 */

/** An error that can advise another grant. */
interface Advisable {
  /** @internal */
  readonly 'pawl.advised'?: ((grant: string) => Error) | undefined;
}

/** The error as it is for a caller whose role needs this grant, such as `claimsTable.grantOperate(role)`. */
function advised(error: unknown, grant: string): unknown {
  const other = propertyOf(error, 'pawl.advised' satisfies keyof Advisable);
  return typeof other === 'function' ? other(grant) : error;
}

/** @throws what the request throws, with the grant of this caller */
export async function granting<T>(grant: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw advised(error, grant);
  }
}

/** The store, for a caller whose role needs this grant. Its functions are looked up when they are called. */
export function granted<Store extends object>(store: Store, grant: string): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        const result: unknown = Reflect.apply(value, target, args);
        if (!(result instanceof Promise)) return result;
        return result.catch((error: unknown) => {
          throw advised(error, grant);
        });
      };
    },
  });
}
