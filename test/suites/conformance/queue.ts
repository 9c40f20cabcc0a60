import { once } from '../../../lib/pawl/index.ts';
import { RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import {
  bodyField,
  deadLetterQueue,
  eachMessage,
  type InvocationContext,
  type SqsEvent,
  type SqsOptions,
  type SqsRecord,
} from '../../../lib/pawl/sqs/index.ts';
import type { CrashSweepOptions, SweptHandler, SweptMessage, World } from '../../../lib/testing/index.ts';
import { type AnyMiddleware, loadCore, loadStack, type Middy, swept, type Told, type Wrap } from './middlewares.ts';
import { hidesReasons, type Position, type Tried } from './table.ts';

interface Received {
  readonly record: SqsRecord;
  readonly context: InvocationContext;
}

interface Order {
  readonly orderId: string;
}

const orderOf = (orderId: string): SweptMessage => ({ body: { orderId } });

/**
 * Two workers take two each at once: the copy of the first order is held elsewhere, and its batch-mate may run. The last order fails
 * twice before its mail.
 */
const messages = [orderOf('o-1'), orderOf('o-2'), orderOf('o-1'), orderOf('o-3')];
const failing: Readonly<Record<string, number>> = { 'o-3': 2 };

/** A provider that sends whatever it is asked to. */
const mailer = () => ({ sent: [] as string[], failed: 0, told: {} as Told });
type Mailer = ReturnType<typeof mailer>;

/** A record whose body may have been parsed; or what an envelope held, which is all that a handler behind it is given. */
type Given = { readonly body: string | Order } | Order;

const orderIn = (given: Given): Order => {
  if ('orderId' in given) return given;
  return typeof given.body === 'string' ? JSON.parse(given.body) : given.body;
};

/** Pawl's side of the outside. */
type Wiring = Pick<World, 'options' | 'deadLetterQueueUrl'>;

/** What a cell is: the author's handler, other people's middleware and pawl, each in its place. */
export async function queueHandler(tried: Tried) {
  const middy = await loadCore(tried.core);
  const theirs = await loadStack(tried);
  return (wiring: Wiring, send: Send, wrap: Wrap = (stack) => stack, told: Told = {}): SweptHandler =>
    wired[tried.position](wiring, middy, wrap(theirs(told)), send);
}

/** The sweep of one cell. */
export async function queueSweep(tried: Tried): Promise<CrashSweepOptions<Mailer>> {
  const build = await queueHandler(tried);
  return {
    messages,
    provider: mailer,
    handler: (world, provider) =>
      build(world, sendMail(world, provider), (stack) => swept(world, stack), provider.told),
    effects: ({ sent }, { body }) => sent.filter((orderId) => orderId === (body as Order).orderId).length,
    // Where the middleware hides what was thrown, it is in doubt: the last order waits for a person.
    expected: (_, { body }) => (hidesReasons(tried) && (body as Order).orderId === 'o-3' ? 'dead-letter' : 1),
    batchSize: 2,
    // What is done and comes back for ever is stuck, and not dead-lettered.
    maxReceiveCount: 1000,
  };
}

const givenIn = (event: SqsEvent | readonly Order[]): readonly Given[] => ('Records' in event ? event.Records : event);

type Send = (given: Given) => Promise<void>;

function sendMail(world: World, provider: Mailer): Send {
  return async (given) => {
    const { orderId } = orderIn(given);
    if (provider.failed < (failing[orderId] ?? 0)) {
      provider.failed++;
      throw new RetryableError('the mail server is busy');
    }
    await world.io('mailer.send', () => provider.sent.push(orderId));
  };
}

type Wire = (wiring: Wiring, middy: Middy, theirs: readonly AnyMiddleware[], send: Send) => SweptHandler;

const noEarlyTimeout = { timeoutEarlyInMillis: 0 };

const optionsIn = ({ options, deadLetterQueueUrl }: Wiring): SqsOptions<Order> => ({
  ...options,
  operation: 'mail',
  key: bodyField('orderId'),
  onAbandoned: 'park',
  deadLetters: deadLetterQueue(deadLetterQueueUrl),
});

const beside =
  (position: 'outside' | 'inside'): Wire =>
  (wiring, middy, theirs, send) => {
    const ours = sqsOnce(optionsIn(wiring)) as AnyMiddleware;
    const handler = middy(
      async (event: SqsEvent | readonly Order[]) => Promise.allSettled(givenIn(event).map(send)),
      noEarlyTimeout,
    );
    return handler.use(position === 'outside' ? [...theirs, ours] : [ours, ...theirs]) as SweptHandler;
  };

const aroundEachMessage: Wire = (wiring, middy, theirs, send) =>
  middy(eachMessage(optionsIn(wiring), send) as never, noEarlyTimeout).use([...theirs]) as SweptHandler;

/** Middy handles one message there, and `once` is around it. */
const insideOnce: Wire = (wiring, middy, theirs, send) => {
  const handler = middy(
    async (event: SqsEvent | readonly Order[]) => Promise.all(givenIn(event).map(send)),
    noEarlyTimeout,
  ).use([...theirs]) as SweptHandler as (event: SqsEvent, context: InvocationContext) => Promise<unknown>;
  const mail = once(
    {
      ...wiring.options,
      operation: 'mail',
      key: ({ record }: Received) => orderIn(record).orderId,
      fingerprint: ({ record }: Received) => record.body,
      onAbandoned: 'park',
    },
    ({ record, context }) => handler({ Records: [record] }, context),
  );
  const deadLetters = deadLetterQueue(wiring.deadLetterQueueUrl);
  const { sqs } = wiring.options.store.aws;
  return async ({ Records }: SqsEvent, context: InvocationContext) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const record of Records) {
      const { outcome } = await mail
        .outcome({ record, context }, { remainingMs: context.getRemainingTimeInMillis })
        .catch(() => ({ outcome: 'threw' }));
      // A person decides about it. In the queue it would come back until its receives are used up.
      if (outcome === 'parked') await deadLetters.send(sqs, record, 'parked', 'in doubt');
      else if (outcome !== 'completed') batchItemFailures.push({ itemIdentifier: record.messageId });
    }
    return { batchItemFailures };
  };
};

const wired: Readonly<Record<Position, Wire>> = {
  outside: beside('outside'),
  inside: beside('inside'),
  around: aroundEachMessage,
  whole: insideOnce,
};
