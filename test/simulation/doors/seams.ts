import type { MiddlewareObj } from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { SQSEvent } from 'aws-lambda';
import type { InvocationContext } from '../../../lib/sqs/event.ts';
import type { FaultRates } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { createRandom } from '../world/random.ts';
import type { DoorsSimulation } from './simulation.ts';

/** What meets the library from outside of it: other middlewares, handlers that answer as they like, and bugs of its user's. */
export interface Seams {
  /** Middy's own middleware around `sqsOnce`, which answers for the records that it sees. */
  readonly hasPartialBatchFailure: boolean;
  /** A batch handler that has failed answers what Lambda does not understand. */
  readonly answersOddly: boolean;
  /** So long before the end of an invocation another middleware answers, while the handler is still at work. */
  readonly answersEarlyMs: number | undefined;
  /** Steps and handlers return as much as the library keeps of them. */
  readonly isBulky: boolean;
  /** A deployment with a bug, which is taken back. */
  readonly bug: Bug | undefined;
}

export interface Bug {
  /** The author's key function throws; or another middleware has parsed the bodies before the library sees them. */
  readonly kind: 'key' | 'parsed';
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Circumstances {
  readonly seed: number;
  readonly door: string;
  readonly shape: string;
  readonly faults: FaultRates;
  readonly marginMs: number;
  readonly traffic: { readonly forMs: number };
}

/** From a stream of its own: seeds without any of it mean what they meant before. */
export function drawSeams({ seed, door, shape, faults, marginMs, traffic }: Circumstances): Seams {
  const { chance, pick, between } = createRandom(seed + 0x5b_0000_0000);
  const isBatch = door === 'sqs-once';
  const isHttp = door === 'http' || door === 'http-once';
  const hasPartialBatchFailure = chance(0.4);
  const answersOddly = chance(0.2);
  // What comes near to the end is told by a clock: with a wrong one it cannot be.
  const answersEarly = chance(0.4) && faults.clockJumps === 0 && faults.clockWrong === 0 && marginMs > 0;
  const hasBug = chance(0.1);
  const fromMs = between(0, traffic.forMs);
  // Short enough that no message uses up its receives in it.
  const bug: Bug = { kind: isBatch ? pick(['key', 'parsed']) : 'key', fromMs, untilMs: fromMs + between(500, 3000) };
  const isBulky = chance(0.1);
  return {
    isBulky: shape === 'steps' && isBulky,
    hasPartialBatchFailure: isBatch && hasPartialBatchFailure,
    answersOddly: isBatch && answersOddly,
    answersEarlyMs: (isBatch || isHttp) && answersEarly ? marginMs / 4 : undefined,
    bug: hasBug && (isBatch || door === 'each-message') && faults.deliveredTwice === 0 ? bug : undefined,
  };
}

export type SeamsAtWork = ReturnType<typeof createSeams>;

/** What a seed chose of it, in one sandbox. */
export function createSeams({ scenario, world, lambda }: DoorsSimulation, sandbox: Sandbox) {
  const { hasPartialBatchFailure, answersOddly, answersEarlyMs, isBulky, bug } = scenario.seams;
  const hasBug = (kind: Bug['kind']) => bug?.kind === kind && world.time >= bug.fromMs && world.time < bug.untilMs;

  /** As `@middy/event-normalizer` does; but the event is the event source's as well, here. */
  function parseBodies(request: { event: SQSEvent }): void {
    if (!hasBug('parsed')) return;
    const Records = request.event.Records.map((record) => ({ ...record, body: JSON.parse(record.body) }));
    request.event = { ...request.event, Records };
  }

  return {
    /** The middlewares around `sqsOnce`. */
    around(): readonly MiddlewareObj<SQSEvent>[] {
      const others: MiddlewareObj<SQSEvent>[] = [];
      if (hasPartialBatchFailure) others.push(sqsPartialBatchFailure({ logger: () => undefined }));
      if (bug?.kind === 'parsed') others.push({ before: parseBodies });
      return others;
    },

    /** What a step, or a handler, returns. */
    returned(value: string, bytes: number): string {
      return isBulky ? value.padEnd(bytes, '.') : value;
    },

    /** The author's key function, with its bug. */
    keyed<Read extends (...args: never[]) => unknown>(read: Read): Read {
      return ((...args) => {
        if (hasBug('key')) throw new TypeError("Cannot read properties of undefined (reading 'id')");
        return read(...args);
      }) as Read;
    },

    /** What a batch handler answers some of whose messages have failed. */
    failedAnswer(otherwise: unknown, failures: readonly object[]): unknown {
      if (!answersOddly || failures.length === 0) return otherwise;
      return world.random.pick<unknown>([
        [],
        { statusCode: 500 },
        { batchItemFailure: failures },
        { batchItemFailures: failures.length },
        'failed',
      ]);
    },

    /** Answers for a handler that is still at work, as Middy's early time-out does. */
    async early<T>(context: InvocationContext, answers: readonly [T, ...T[]], work: Promise<T>): Promise<T> {
      if (answersEarlyMs === undefined) return work;
      const { promise, resolve } = Promise.withResolvers<T>();
      const cancel = sandbox.after(context.getRemainingTimeInMillis() - answersEarlyMs, () => {
        const answer = world.random.pick(answers);
        world.note(sandbox.name, 'answers early:', JSON.stringify(answer) ?? 'nothing');
        // What is still at work would go on in the next invocation of this sandbox. That is nothing that a library could prevent.
        world.after(answersEarlyMs, () => lambda.kill(sandbox, 'its handler never ended'));
        resolve(answer);
      });
      work.then(cancel, cancel);
      return Promise.race([work, promise]);
    },
  };
}
