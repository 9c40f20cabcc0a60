import { expect, it } from 'vitest';
import { receiveProblems } from '../../../lib/pawl/deployment/wiring-receives.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const batchSize = 10;

/** How many messages of a batch run in one invocation, if each of them takes as long as it may, and each request to the store a moment. */
async function ranIn(timeoutSeconds: number, handlerTimeoutSeconds: number): Promise<number> {
  const host = virtualHost();
  const memory = memoryStore();
  const takes = (ms: number) => new Promise<void>((resolve) => host.after(ms, resolve));
  let ran = 0;
  const handler = eachMessage(
    {
      operation: 'send-email',
      store: {
        ...memory,
        async write(write) {
          await takes(5);
          return memory.write(write);
        },
      },
      key: bodyField('id'),
      onAbandoned: 'retry',
      concurrency: 1,
      timeoutMs: handlerTimeoutSeconds * 1000,
      aws: noQueue,
      onEvent: () => undefined,
      host,
    },
    async () => {
      ran++;
      await takes(handlerTimeoutSeconds * 1000);
    },
  );
  const batch = Array.from({ length: batchSize }, (_, n) => sqsRecord({ id: `order-${n}` }));
  const response = handler(sqsEvent(...batch), context(timeoutSeconds * 1000, host.now));
  await host.advance(timeoutSeconds * 1000);
  await response;
  return ran;
}

/** As the rule about receives counts them; 0 where the rule about the handler's time refuses the consumer, and all of a batch where nothing is left over. */
function turnsByTheRules(timeoutSeconds: number, handlerTimeoutSeconds: number): number {
  const facts = { batchSize, fifo: false, concurrency: 1, maxReceiveCount: 1 };
  const problems = receiveProblems({ ...facts, timeoutSeconds, handlerTimeoutSeconds });
  if (problems.some(({ rule }) => rule === 'handlerTimeout')) return 0;
  const said = problems.map(({ text }) => /has time for (\d+) of/.exec(text)?.[1]).find((one) => one !== undefined);
  return said === undefined ? batchSize : Number(said);
}

it.each([2, 7, 10, 30])('as many messages have their turn in %i s as the rules count', async (timeoutSeconds) => {
  for (let handlerTimeoutSeconds = 1; handlerTimeoutSeconds <= timeoutSeconds; handlerTimeoutSeconds++) {
    const ran = await ranIn(timeoutSeconds, handlerTimeoutSeconds);
    expect([handlerTimeoutSeconds, ran]).toEqual([
      handlerTimeoutSeconds,
      turnsByTheRules(timeoutSeconds, handlerTimeoutSeconds),
    ]);
  }
});
