import { setImmediate } from 'node:timers/promises';
import type { ClaimStore } from '../../lib/pawl/index.ts';
import { bodyField } from '../../lib/pawl/payload/keys.ts';
import { eachMessage, type SqsEvent } from '../../lib/pawl/sqs/index.ts';

/**
 * A program, with `--expose-gc`: what a batch of 10,000 messages holds for each of them while it runs, in bytes. It prints JSON: `perWaiting` for a message
 * that has not had its turn, `perOver` for one that is done.
 */
const size = 10_000;

/** It keeps nothing, so that what is measured is the batch. */
const store: ClaimStore = {
  read: async () => undefined,
  async write() {
    await setImmediate();
    return { applied: true };
  },
};

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

let handled = 0;
let atFirst = 0;
let atLast = 0;

const handler = eachMessage({ operation: 'send-email', store, key: bodyField('order'), onAbandoned: 'retry' }, () => {
  handled++;
  if (handled === 1) atFirst = heapBytes();
  if (handled === size) atLast = heapBytes();
});

function batch(from: number, count: number): SqsEvent {
  const record = (_: unknown, index: number) => ({
    messageId: `message-${from + index}`,
    receiptHandle: 'handle',
    body: JSON.stringify({ order: `order-${from + index}`, items: [{ sku: 'GIFT-25', quantity: 1 }] }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:orders',
  });
  return { Records: Array.from({ length: count }, record) };
}

const context = { getRemainingTimeInMillis: () => 900_000 };
await handler(batch(size, 1_000), context);
handled = 0;
const event = batch(0, size);
const before = heapBytes();
const { batchItemFailures } = await handler(event, context);
if (batchItemFailures.length > 0 || handled !== size) throw new Error(`${handled} of ${size} messages were handled`);
console.log(JSON.stringify({ perWaiting: (atFirst - before) / size, perOver: (atLast - before) / size }));
