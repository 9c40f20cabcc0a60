import type { Aws, ClaimEvent, ClaimStore } from 'pawl/internal';
import { expectOptions, type Host, type NamesOf } from 'pawl/kernel';
import { callFaults, type Fault, readFaults, resendFaults } from './faults.ts';
import type { QueueCalls } from './queue.ts';
import { deadLetterQueueUrl, queueClientOf } from './queue-client.ts';
import type { Sandbox } from './sandbox.ts';

/** How long calls take, in milliseconds of the virtual clock: a provider is slower than a table. */
const callMs = { store: 4, provider: 40 } as const;

/** How long after the worker gave it up a request to the store or to the queue may still be applied, in milliseconds. */
const ownLateMs = 10_000;

const sentAgainReadFaults: readonly Fault[] = [...readFaults, 'resend'];

/** An object whose methods all return promises, as those of a wrapped client do. */
export type Wrapped<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : T[Name];
};

/**
 * How a call is made.
 *
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * const handler = (world: World) =>
 *   eachMessage<Order>(
 *     { ...world.options, operation: 'charge-order', key: bodyField('id'), onAbandoned: 'retry' },
 *     ({ body }) => world.io('bank.charge', async () => body.id, { takesMs: 2000, resends: true }),
 *   );
 */
export interface CallOptions {
  /**
   * The client sends again by itself when a response is lost, as the AWS SDK does unless `maxAttempts` is 1.
   * @default false
   */
  readonly resends?: boolean;
  /**
   * How long it takes, in milliseconds of the virtual clock. Long calls make leases end, and heartbeats beat.
   * @default 40
   */
  readonly takesMs?: number;
}

const known = { resends: true, takesMs: true } as const satisfies NamesOf<CallOptions>;
const docs = 'docs/guides/testing.md';

/** What a handler gets in place of the outside world, in one sandbox. */
export interface World {
  /** Spread them into the options of `eachMessage`, `sqsOnce` or `once`: the calls of pawl itself are then swept as well. */
  readonly options: {
    /** Its way to AWS leads to the swept queue: pass it as `aws` where a store of your own stands in front of this one. */
    readonly store: ClaimStore & { readonly aws: Aws };
    readonly host: Host;
    readonly onEvent: (event: ClaimEvent) => void;
  };
  /** For `deadLetterQueue(…)`. Without it, the queue's own redrive policy moves a message that can never run. */
  readonly deadLetterQueueUrl: string;
  /**
   * Makes one call to the outside an await boundary. The kit does not sweep what a handler awaits without it.
   *
   * @param name stands for the call in a story, e.g. `ses.send`
   * @param call makes the call; called twice where the client sends again
   * @example
   * const send = (world: World) => claim.effect(() => world.io('mailer.send', () => mailer.send(order)));
   */
  io<T>(name: string, call: () => Promise<T> | T, options?: CallOptions): Promise<T>;
  /**
   * Makes every call of every method an await boundary. Every method then returns a promise.
   *
   * @example
   * const sweptMailer = (world: World) => world.wrap('mailer', mailer);
   */
  wrap<T extends object>(name: string, client: T, options?: CallOptions): Wrapped<T>;
}

export interface Outside {
  readonly store: ClaimStore;
  /** Missing where callers are the traffic: then there is no queue. */
  readonly queue: QueueCalls | undefined;
  /** How long after the worker gave it up a call of its own may still be applied, in milliseconds. */
  readonly lateMs: number;
  tell(worker: number, what: string): void;
  heard(event: ClaimEvent): void;
}

/** The world as one sandbox sees it. */
export function worldOf(sandbox: Sandbox, { store, queue, tell, heard, ...outside }: Outside): World {
  const { host } = sandbox;
  const io: World['io'] = (name, call, options = {}) => {
    expectOptions(options, { door: 'world.io', known, docs });
    const { resends = false, takesMs = callMs.provider } = options;
    return sandbox.io(name, call, { takesMs, lateMs: outside.lateMs, faults: resends ? resendFaults : callFaults });
  };

  const noTable = () => Promise.reject(new Error('@pawl/testing: there is no DynamoDB in the world of a sweep'));
  const through: World['options']['store'] = {
    aws: { dynamodb: { call: noTable, region: noTable }, sqs: queueClientOf(sandbox, queue, ownLateMs) },
    read: (id) =>
      sandbox.io('store.read', () => store.read(id), { takesMs: callMs.store, faults: sentAgainReadFaults }),
    write: (write) =>
      sandbox.io(`store.write ${write.next.status}`, () => store.write(write), {
        takesMs: callMs.store,
        lateMs: ownLateMs,
        faults: resendFaults,
      }),
  };

  return {
    options: {
      store: through,
      host,
      onEvent: (event) => {
        // What a dead worker believes is no part of the story.
        if (!sandbox.isAlive) return;
        tell(sandbox.worker, `pawl: ${event.type}`);
        heard(event);
      },
    },
    deadLetterQueueUrl,
    io,
    wrap<T extends object>(name: string, client: T, options: CallOptions = {}): Wrapped<T> {
      expectOptions(options, { door: 'world.wrap', known, docs });
      return new Proxy(client, {
        get(target, property) {
          const value: unknown = Reflect.get(target, property);
          if (typeof value !== 'function' || typeof property === 'symbol') return value;
          return (...args: unknown[]) => io(`${name}.${property}`, () => value.apply(target, args), options);
        },
      }) as Wrapped<T>;
    },
  };
}
