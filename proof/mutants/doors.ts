import { breaks, type Mutant } from './mutant.ts';

/** Breakages of the doors of SQS: the way from a batch to what becomes of its messages, and Middy. */

type Disposition = typeof import('../../lib/sqs/fate.ts');
type EachMessage = typeof import('../../lib/sqs/each-message.ts');
type InOrder = typeof import('../../lib/sqs/in-order.ts');
type Message = typeof import('../../lib/sqs/message.ts');
type Queue = typeof import('../../lib/sqs/queue.ts');
type Consumer = typeof import('../../lib/sqs/consumer.ts');
type Records = typeof import('../../lib/claims/record.ts');
type Responses = typeof import('../../lib/middy/responses.ts');

const ofDisposition = (what: string, breakage: (original: Disposition) => Partial<Disposition>): Mutant =>
  breaks<Disposition>(what, 'lib/sqs/fate.ts', breakage);
const ofConsumer = (
  what: string,
  broken: (consumer: ReturnType<Consumer['createConsumer']>) => Partial<typeof consumer>,
): Mutant =>
  breaks<Consumer>(what, 'lib/sqs/consumer.ts', ({ createConsumer }) => ({
    createConsumer(options) {
      const consumer = createConsumer(options);
      return { ...consumer, ...(broken(consumer as never) as Partial<typeof consumer>) };
    },
  }));

export const doors: readonly Mutant[] = [
  ofDisposition('a duplicate in flight is acknowledged', ({ fateOfRefused, done }) => ({
    fateOfRefused: (refused, ...rest) => (refused.kind === 'in-flight' ? done : fateOfRefused(refused, ...rest)),
  })),
  ofDisposition('a lost completion lets the effect repeat', ({ fateOfRun, again }) => ({
    fateOfRun: (ran) => (ran.recorded === 'lost' ? again : fateOfRun(ran)),
  })),
  ofDisposition('a parked message is acknowledged', ({ fateOfRun, fateOfRefused, done }) => ({
    fateOfRun: (ran) => (ran.recorded === 'parked' ? done : fateOfRun(ran)),
    fateOfRefused: (refused, ...rest) => (refused.kind === 'parked' ? done : fateOfRefused(refused, ...rest)),
  })),
  ofDisposition('a store that is down acknowledges', ({ fateOfRefused, done }) => ({
    fateOfRefused: (refused, ...rest) => (refused.kind === 'unavailable' ? done : fateOfRefused(refused, ...rest)),
  })),
  breaks<InOrder>('the rest of a message group runs after a failure', 'lib/sqs/in-order.ts', ({ inOrder }) => ({
    async inOrder(batch, step, makeWay) {
      for (const one of batch) await inOrder([one], step, makeWay);
    },
  })),
  breaks<InOrder>('a message group of a standard queue is kept in order', 'lib/sqs/in-order.ts', () => ({
    groupOf: ({ record }) => record.attributes.MessageGroupId,
  })),
  breaks<Records>('a redelivery is discarded as a duplicate in flight', 'lib/claims/record.ts', ({ sourceOf }) => ({
    sourceOf: (record) => (sourceOf(record) === undefined ? undefined : 'another message'),
  })),
  breaks<Records>(
    'a duplicate is discarded although it is not known which message holds the claim',
    'lib/claims/record.ts',
    ({ sourceOf }) => ({ sourceOf: (record) => sourceOf(record) ?? 'another message' }),
  ),
  breaks<Message>('every delivery counts as the first', 'lib/sqs/message.ts', () => ({ receiveCountOf: () => 1 })),
  breaks<typeof import('../../lib/sqs/limit.ts')>(
    'what may have killed a worker is not run alone',
    'lib/sqs/limit.ts',
    ({ createLimit }) => ({
      createLimit(most) {
        const inTurn = createLimit(most);
        return (task) => inTurn(task);
      },
    }),
  ),
  breaks<EachMessage>('what may have killed a worker is not held back', 'lib/sqs/each-message.ts', ({ eachBy }) => ({
    eachBy: (options, way) =>
      eachBy(options, (consumer) => {
        const tryOne = way(consumer);
        return (one, deadline) => tryOne(one, deadline, true);
      }),
  })),
  breaks<Queue>('a message that is in no dead-letter queue is acknowledged', 'lib/sqs/queue.ts', ({ sqsQueue }) => ({
    sqsQueue(options) {
      const queue = sqsQueue(options);
      const bury: typeof queue.bury = async (batch, until) => {
        await queue.bury(batch, until);
        if (options.deadLetters !== undefined) return;
        for (const one of batch) if (one.fate?.fate === 'dead-letter') one.isBuried = true;
      };
      return { ...queue, bury };
    },
  })),
  breaks<Queue>('a failed send to the dead-letter queue acknowledges', 'lib/sqs/queue.ts', ({ sqsQueue }) => ({
    sqsQueue(options) {
      const queue = sqsQueue(options);
      const bury: typeof queue.bury = async (batch, until) => {
        await queue.bury(batch, until);
        if (options.deadLetters === undefined) return;
        for (const one of batch) if (one.fate?.fate === 'dead-letter') one.isBuried = true;
      };
      return { ...queue, bury };
    },
  })),
  ofConsumer('a message that had no turn is acknowledged', ({ conclude }) => ({
    conclude(batch, invocation) {
      for (const one of batch) one.fate ??= { fate: 'done' };
      return conclude(batch, invocation);
    },
  })),
  breaks<typeof import('../../lib/middy/early-answers.ts')>(
    'what a middleware set before the handler is taken for its response',
    'lib/middy/early-answers.ts',
    ({ watchForEarlyAnswer }) => ({
      watchForEarlyAnswer: (request, conclude) =>
        watchForEarlyAnswer(request, (response, handlerHasAnswered) =>
          conclude(response, handlerHasAnswered || response !== undefined),
        ),
    }),
  ),
  breaks<Responses>('a claim is freed while its handler still runs', 'lib/middy/responses.ts', ({ toldOfAll }) => ({
    toldOfAll: (status, reason) => toldOfAll(status === 'running' ? 'rejected' : status, reason),
  })),
  breaks<Message>(
    'a handler that changes its event changes which messages are acknowledged',
    'lib/sqs/message.ts',
    () => ({ copyOf: (record) => record }),
  ),
  breaks<Responses>(
    'a response with too few results is taken for done',
    'lib/middy/responses.ts',
    ({ understand }) => ({
      understand(response, handed) {
        if (!Array.isArray(response)) return understand(response, handed);
        const missing = Math.max(0, handed.messageIds.length - response.length);
        return understand([...response, ...Array(missing).fill({ status: 'fulfilled' })], handed);
      },
    }),
  ),
];
