import type { SweptMessage } from '../../lib/testing/index.ts';

export interface Order {
  readonly orderId: string;
}

/** Two orders. */
export const orders: readonly SweptMessage[] = [{ body: { orderId: 'o-1' } }, { body: { orderId: 'o-2' } }];

/** One order. */
export const order: readonly SweptMessage[] = orders.slice(0, 1);

export const orderIdOf = ({ body }: SweptMessage): string => (body as Order).orderId;

/** A provider that does what it is asked as often as it is asked, and cannot be asked what it has done. */
export function forgetfulProvider() {
  const done: string[] = [];
  return {
    async send(orderId: string): Promise<void> {
      done.push(orderId);
    },
    count: (message: SweptMessage): number => done.filter((id) => id === orderIdOf(message)).length,
  };
}

/** A provider that honours idempotency keys, or ignores them; and can be asked, but shows what it has done only after a while. */
export function knowingProvider({ now }: { now: () => number }, { honoursKeys = true, lagMs = 0 } = {}) {
  const done: { readonly orderId: string; readonly key: string; readonly at: number }[] = [];
  return {
    async issue(orderId: string, key: string): Promise<void> {
      if (honoursKeys && done.some((one) => one.key === key)) return;
      done.push({ orderId, key, at: now() });
    },
    async wasIssued(key: string): Promise<boolean> {
      return done.some((one) => one.key === key && now() >= one.at + lagMs);
    },
    count: (message: SweptMessage): number => done.filter(({ orderId }) => orderId === orderIdOf(message)).length,
  };
}
