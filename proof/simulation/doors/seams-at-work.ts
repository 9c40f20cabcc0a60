import type { MiddlewareObj } from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { SQSEvent } from 'aws-lambda';
import type { InvocationContext } from '../../../lib/pawl/sqs/event.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Bug } from './seams.ts';
import type { DoorsSimulation } from './simulation.ts';

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
