import { breaks, type Mutant } from './mutant.ts';

/** Breakages of the doors of SQS: the way from a batch to what becomes of its messages, and Middy. */

type Disposition = typeof import('../../lib/pawl/sqs/disposition.ts');
type BatchMates = typeof import('../../lib/pawl/sqs/batch-mates.ts');
type EachMessage = typeof import('../../lib/pawl/sqs/each-by.ts');
type InOrder = typeof import('../../lib/pawl/sqs/in-order.ts');
type Message = typeof import('../../lib/pawl/sqs/message.ts');
type Queue = typeof import('../../lib/pawl/sqs/queue.ts');
type Records = typeof import('../../lib/pawl/rules/record.ts');
type Responses = typeof import('../../lib/pawl/middy/responses.ts');
type Delivery = Parameters<InstanceType<Queue['SqsQueue']>['deadLetter']>[0][number];

const ofDisposition = (what: string, breakage: (original: Disposition) => Partial<Disposition>): Mutant =>
  breaks<Disposition>(what, 'lib/pawl/sqs/disposition.ts', breakage);

/** A queue that takes every message that is to be dead-lettered for one that is in its dead-letter queue. */
const ofQueue = (what: string, withoutOne: boolean): Mutant =>
  breaks<Queue>(what, 'lib/pawl/sqs/queue.ts', ({ SqsQueue }) => ({
    SqsQueue: class extends SqsQueue {
      readonly #takes: boolean;
      constructor(options: ConstructorParameters<typeof SqsQueue>[0]) {
        super(options);
        this.#takes = (options.deadLetters === undefined) === withoutOne;
      }
      override async deadLetter(batch: readonly Delivery[], until: number) {
        await super.deadLetter(batch, until);
        for (const one of this.#takes ? batch : []) {
          if (one.disposition?.kind === 'dead-lettered') one.isInDeadLetterQueue = true;
        }
      }
    },
  }));

export const doors: readonly Mutant[] = [
  ofDisposition('a duplicate in flight is acknowledged', ({ dispositionOfRefused, acknowledged }) => ({
    dispositionOfRefused: (refused, ...rest) =>
      refused.kind === 'in-flight' ? acknowledged : dispositionOfRefused(refused, ...rest),
  })),
  ofDisposition('a lost completion lets the effect repeat', ({ dispositionOfRun, returned }) => ({
    dispositionOfRun: (result) => (result.recorded === 'lost' ? returned : dispositionOfRun(result)),
  })),
  ofDisposition('a parked message is acknowledged', ({ dispositionOfRun, dispositionOfRefused, acknowledged }) => ({
    dispositionOfRun: (result) => (result.recorded === 'parked' ? acknowledged : dispositionOfRun(result)),
    dispositionOfRefused: (refused, ...rest) =>
      refused.kind === 'parked' ? acknowledged : dispositionOfRefused(refused, ...rest),
  })),
  ofDisposition('a store that is down acknowledges', ({ dispositionOfRefused, acknowledged }) => ({
    dispositionOfRefused: (refused, ...rest) =>
      refused.kind === 'unavailable' ? acknowledged : dispositionOfRefused(refused, ...rest),
  })),
  ofDisposition(
    'a copy shares the outcome of a message that was discarded because of it',
    ({ dispositionOfRefused, acknowledged }) => ({
      dispositionOfRefused(...args) {
        const disposition = dispositionOfRefused(...args);
        return disposition.kind === 'acknowledged' ? acknowledged : disposition;
      },
    }),
  ),
  breaks<InOrder>('the rest of a message group runs after a failure', 'lib/pawl/sqs/in-order.ts', ({ inOrder }) => ({
    async inOrder(batch, step, makeWay) {
      for (const one of batch) await inOrder([one], step, makeWay);
    },
  })),
  breaks<InOrder>('a message group of a standard queue is kept in order', 'lib/pawl/sqs/in-order.ts', () => ({
    groupOf: ({ record }) => record.attributes?.MessageGroupId,
  })),
  breaks<typeof import('../../lib/pawl/sqs/conclude.ts')>(
    'a message that had no turn is acknowledged',
    'lib/pawl/sqs/conclude.ts',
    ({ conclude }) => ({
      conclude(consumer, batch, invocation) {
        for (const one of batch) one.disposition ??= { kind: 'acknowledged' };
        return conclude(consumer, batch, invocation);
      },
    }),
  ),
  breaks<Records>('a redelivery is discarded as a duplicate in flight', 'lib/pawl/rules/record.ts', ({ sourceOf }) => ({
    sourceOf: (record) => (sourceOf(record) === undefined ? undefined : 'another message'),
  })),
  breaks<Records>(
    'a duplicate is discarded although it is not known which message holds the claim',
    'lib/pawl/rules/record.ts',
    ({ sourceOf }) => ({ sourceOf: (record) => sourceOf(record) ?? 'another message' }),
  ),
  breaks<typeof import('../../lib/pawl/sqs/claim-message.ts')>(
    'a message starts however little time is left',
    'lib/pawl/sqs/claim-message.ts',
    ({ claimMessage }) => ({
      claimMessage: (consumer, ...rest) =>
        claimMessage({ ...consumer, settings: { ...consumer.settings, marginMs: -1e9 } }, ...rest),
    }),
  ),
  breaks<BatchMates>('a repeated key runs twice in one batch', 'lib/pawl/sqs/batch-mates.ts', ({ BatchMates }) => ({
    BatchMates: class<One extends Parameters<InstanceType<typeof BatchMates>['meet']>[0]> extends BatchMates<One> {
      override meet(one: One) {
        const encounter = super.meet(one);
        return encounter.kind === 'repeat' ? ({ kind: 'first' } as const) : encounter;
      }
    },
  })),
  breaks<BatchMates>(
    'another intent shares the outcome of the first in its batch',
    'lib/pawl/sqs/batch-mates.ts',
    ({ BatchMates }) => ({
      BatchMates: class<One extends Parameters<InstanceType<typeof BatchMates>['meet']>[0]> extends BatchMates<One> {
        override meet(one: One) {
          const encounter = super.meet(one);
          if (encounter.kind !== 'other-intent') return encounter;
          return { kind: 'repeat', original: encounter.predecessor } as const;
        }
      },
    }),
  ),
  breaks<BatchMates>(
    'a repeated key has its outcome before its first has ended',
    'lib/pawl/sqs/batch-mates.ts',
    ({ BatchMates }) => ({
      BatchMates: class<One extends Parameters<InstanceType<typeof BatchMates>['meet']>[0]> extends BatchMates<One> {
        override meet(one: One) {
          const encounter = super.meet(one);
          if (encounter.kind !== 'repeat') return encounter;
          const original = Object.create(encounter.original, { ended: { value: undefined } });
          return { kind: 'repeat', original } as const;
        }
      },
    }),
  ),
  breaks<EachMessage>('what may have killed a worker is not held back', 'lib/pawl/sqs/each-by.ts', ({ eachBy }) => ({
    eachBy: (options, tryMessage) =>
      eachBy(options, (consumer, one, deadline, _, heard) => tryMessage(consumer, one, deadline, true, heard)),
  })),
  breaks<typeof import('../../lib/pawl/sqs/limit.ts')>(
    'what may have killed a worker is not run alone',
    'lib/pawl/sqs/limit.ts',
    ({ createLimit }) => ({
      createLimit(most) {
        const { inTurn, each } = createLimit(most);
        return { inTurn: (task) => inTurn(task), each };
      },
    }),
  ),
  ofQueue('a message that is in no dead-letter queue, because there is none, is acknowledged', true),
  ofQueue('a failed send to the dead-letter queue acknowledges', false),
  breaks<Message>('every delivery counts as the first', 'lib/pawl/sqs/message.ts', () => ({ receiveCountOf: () => 1 })),
  breaks<Message>(
    'a handler that changes its event changes which messages are acknowledged',
    'lib/pawl/sqs/message.ts',
    () => ({ copyOf: (record) => record }),
  ),
  breaks<typeof import('../../lib/pawl/middy/watched-request.ts')>(
    'what a middleware set before the handler is taken for its response',
    'lib/pawl/middy/watched-request.ts',
    ({ watchRequest }) => {
      const broken = new WeakSet<object>();
      return {
        watchRequest(request, watcher, state) {
          if (!broken.has(watcher)) {
            const { endEarly } = watcher;
            // In place: a watch is told apart by its watcher.
            watcher.endEarly = (watch, response) =>
              endEarly({ ...watch, handlerHasAnswered: watch.handlerHasAnswered || response !== undefined }, response);
            broken.add(watcher);
          }
          return watchRequest(request, watcher, state);
        },
      };
    },
  ),
  breaks<Responses>(
    'a claim is freed while its handler still runs',
    'lib/pawl/middy/responses.ts',
    ({ sameForAll }) => ({
      sameForAll: (status, reason) => sameForAll(status === 'running' ? 'rejected' : status, reason),
    }),
  ),
  breaks<Responses>(
    'a response with too few results is taken for done',
    'lib/pawl/middy/responses.ts',
    ({ understand }) => ({
      understand(response, handed) {
        if (!Array.isArray(response)) return understand(response, handed);
        const missing = Math.max(0, handed.messageIds.length - response.length);
        return understand([...response, ...Array(missing).fill({ status: 'fulfilled' })], handed);
      },
    }),
  ),
];
