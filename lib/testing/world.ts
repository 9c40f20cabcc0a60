import type { ClaimEvent } from '../claims/events.ts';
import type { ClaimStore } from '../claims/store.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { SqsOptions } from '../sqs/options.ts';
import { callFaults, type Fault, readFaults, resendFaults } from './faults.ts';
import type { QueueCalls } from './queue.ts';
import type { Sandbox } from './sandbox.ts';

/** How long calls take, in milliseconds of the virtual clock: a provider is slower than a table. */
const callMs = { store: 4, queue: 10, provider: 40 } as const;

/** How long after the worker gave it up a request to the store or to the queue may still be applied, in milliseconds. */
const lateMs = 10_000;

const sentAgainReadFaults: readonly Fault[] = [...readFaults, 'resend'];

const deadLetterQueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/swept-dead-letters';

/** An object whose methods all answer promises, as those of a wrapped client do. */
export type Wrapped<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : T[Name];
};

/** How a call is made. */
export interface CallOptions {
  /**
   * The client sends again by itself when an answer is lost, as the AWS SDK does unless `maxAttempts` is 1.
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
const docs = 'docs/testing.md';

/** What a handler is given instead of the world, in one sandbox. */
export interface World {
  /** To be spread into the options of `eachMessage`, `sqsOnce` or `once`: whatever pawl itself does is then swept as well. */
  readonly options: {
    readonly store: ClaimStore;
    readonly host: Host;
    readonly sqsClient: NonNullable<SqsOptions<unknown>['sqsClient']>;
    readonly onEvent: (event: ClaimEvent) => void;
  };
  /** For `deadLetterQueue(…)`. Without it, what can never run is left to the queue's own redrive policy. */
  readonly deadLetterQueueUrl: string;
  /**
   * Makes one call to the outside an await boundary. What a handler awaits and this does not see is not swept.
   *
   * @param name as it is to be read in a story, e.g. `ses.send`
   * @param call what is made of it; made twice where the client sends again
   * @example
   * await claim.effect(() => world.io('ses.send', () => ses.send(mail)));
   */
  io<T>(name: string, call: () => Promise<T> | T, options?: CallOptions): Promise<T>;
  /**
   * Makes every call of every method an await boundary, and every answer a promise.
   *
   * @example
   * const mailer = world.wrap('mailer', fakeMailer);
   */
  wrap<T extends object>(name: string, client: T, options?: CallOptions): Wrapped<T>;
}

interface Outside {
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

  const through: ClaimStore = {
    read: (id) =>
      sandbox.io('store.read', () => store.read(id), { takesMs: callMs.store, faults: sentAgainReadFaults }),
    write: (write) =>
      sandbox.io(`store.write ${write.next.status}`, () => store.write(write), {
        takesMs: callMs.store,
        lateMs,
        faults: resendFaults,
      }),
  };

  /** Of what SQS can do, what a consumer of pawl asks of its client. */
  async function send({ input }: { readonly input: QueueCall }): Promise<object> {
    const entries = input.Entries ?? [input];
    const copies = input.QueueUrl === deadLetterQueueUrl;
    if (input.AttributeNames !== undefined) {
      const RedrivePolicy = JSON.stringify({ maxReceiveCount: queue?.maxReceiveCount });
      const call = { takesMs: callMs.queue, lateMs, faults: resendFaults };
      return sandbox.io('sqs.getQueueAttributes', () => ({ Attributes: { RedrivePolicy } }), call);
    }
    return sandbox.io(
      copies ? 'sqs.sendMessage' : 'sqs.changeMessageVisibility',
      () => {
        const failed: QueueFailure[] = [];
        for (const entry of entries) {
          const Code = copies ? bury(entry) : changeVisibility(entry);
          if (Code !== undefined) failed.push({ Id: entry.Id, Code, SenderFault: true });
        }
        const [first] = failed;
        // A call about one message fails as a whole.
        if (first && input.Entries === undefined) throw Object.assign(new Error(first.Code), { name: first.Code });
        const successful = entries.filter(({ Id }) => !failed.some((one) => one.Id === Id));
        return { Successful: successful.map(({ Id }) => ({ Id })), Failed: failed };
      },
      { takesMs: callMs.queue, lateMs, faults: resendFaults },
    );
  }

  function changeVisibility({ ReceiptHandle, VisibilityTimeout = 0 }: QueueEntry): string | undefined {
    if (ReceiptHandle === undefined || queue === undefined) {
      throw new Error(
        "pawl/testing: its sqsClient changes visibilities of the queue's messages, and sends to world.deadLetterQueueUrl",
      );
    }
    return queue.setVisibility(ReceiptHandle, VisibilityTimeout);
  }

  function bury({ MessageBody: body = '', MessageAttributes: about }: QueueEntry): undefined {
    const said = (name: string) => about?.[name]?.StringValue;
    queue?.deadLetter({ messageId: said('pawl-source-message-id'), body, reason: said('pawl-reason') });
  }

  return {
    options: {
      store: through,
      host,
      sqsClient: { send } as unknown as World['options']['sqsClient'],
      onEvent: (event) => {
        // What one that is dead believes is no part of the story.
        if (!sandbox.isAlive()) return;
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

/** A call to SQS: about one message, or about several in entries. */
interface QueueCall extends QueueEntry {
  readonly QueueUrl?: string;
  readonly AttributeNames?: readonly string[];
  readonly Entries?: readonly QueueEntry[];
}

interface QueueFailure {
  readonly Id: string | undefined;
  readonly Code: string;
  readonly SenderFault: boolean;
}

interface QueueEntry {
  readonly Id?: string;
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
  readonly MessageBody?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}
