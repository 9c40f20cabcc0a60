import {
  type CrashSweepOptions,
  type CrashSweepReport,
  crashSweep,
  type Problem,
  type SweptMessage,
} from '../../../lib/testing/index.ts';

/** A handler, its provider and its messages; and what a sweep has to say of it. */
export interface Fixture {
  readonly name: string;
  /** What the simplest finding is. Nothing: the handler is right. */
  readonly harm?: Problem;
  /** Found without any fault. */
  readonly always?: boolean;
  readonly sweep: () => Promise<CrashSweepReport>;
}

/** So many runs of each: enough for every single fault of two or three messages, and a part of the pairs. */
const max = 150;

export function fixture<Provider>(
  name: string,
  options: CrashSweepOptions<Provider>,
  expected: Pick<Fixture, 'harm' | 'always'> = {},
): Fixture {
  return { name, ...expected, sweep: () => crashSweep({ max, ...options }) };
}

/** One account for all: what was done for whom, in its order, and what a key was seen with. */
function ledger({ now }: { readonly now: () => number }) {
  const done: { readonly orderId: string; readonly at: number }[] = [];
  const keys = new Map<string, number>();
  return {
    done,
    /** Does what it is asked to as often as it is asked. */
    async send(orderId: string): Promise<void> {
      done.push({ orderId, at: now() });
    },
    /** Does it once for each key. */
    async sendOnce(orderId: string, key: string): Promise<void> {
      if (keys.has(key)) return;
      keys.set(key, now());
      done.push({ orderId, at: now() });
    },
    async wasSent(key: string): Promise<boolean> {
      return keys.has(key) || done.some(({ orderId }) => orderId === key);
    },
    /** Takes a name, unless it is taken: the conditional write of a table. */
    async take(key: string): Promise<boolean> {
      if (keys.has(key)) return false;
      keys.set(key, now());
      return true;
    },
    /** When a name was taken. */
    async takenAt(key: string): Promise<number | undefined> {
      return keys.get(key);
    },
    async release(key: string): Promise<void> {
      keys.delete(key);
    },
  };
}

export type Ledger = ReturnType<typeof ledger>;

export interface Order {
  readonly orderId: string;
}

export const order = (orderId: string, rest: Omit<SweptMessage, 'body'> = {}): SweptMessage => ({
  body: { orderId },
  ...rest,
});

export const orderOf = (body: unknown): string => (typeof body === 'string' ? JSON.parse(body) : body).orderId;

/** How often an order was sent. */
const sent = ({ done }: Ledger, { body }: SweptMessage): number =>
  done.filter(({ orderId }) => orderId === orderOf(body)).length;

/** Two orders, the first of which the producer has sent twice. */
export const messages: readonly SweptMessage[] = [order('o-1'), order('o-2'), order('o-1')];
/** One order. */
export const one: readonly SweptMessage[] = messages.slice(0, 1);
/** Three orders of one group. */
export const group: readonly SweptMessage[] = ['o-1', 'o-2', 'o-3'].map((id) =>
  order(id, { messageGroupId: 'customer-1' }),
);

/** Everything that most fixtures have in common. */
export const common = { messages, provider: ledger, effects: sent };
