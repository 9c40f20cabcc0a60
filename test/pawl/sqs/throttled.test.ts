import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimStore, memoryStore, once } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A store, and how long each claim is waited for, and each read. */
function setUp() {
  const memory = memoryStore();
  const waits: (number | undefined)[] = [];
  const readWaits: (number | undefined)[] = [];
  const store: ClaimStore = {
    read(id, waitsMs) {
      readWaits.push(waitsMs);
      return memory.read(id);
    },
    write(write) {
      if (write.next.status === 'in-flight') waits.push(write.waitsMs);
      return memory.write(write);
    },
  };
  const host = virtualHost();
  return {
    common: { operation: 'mail', store, onAbandoned: 'retry', onEvent: () => {}, host } as const,
    waits,
    readWaits,
    invocation: context(30_000, host.now),
  };
}

const event = () => sqsEvent(sqsRecord({ id: 'a' }));
const key = bodyField('id');

describe('a store that throttles is given time for a claim', () => {
  it.each([
    ['of all that is left before a handler could not start any more', {}, 29_000],
    ['less what the handler takes', { timeoutMs: 5000 }, 24_000],
  ])('by eachMessage: %s', async (_, options, expected) => {
    const { common, waits, invocation } = setUp();
    const handler = eachMessage({ ...common, ...options, key, aws: noQueue }, async () => {});
    await handler(event(), invocation);
    expect(waits).toEqual([expected]);
  });

  it('by sqsOnce, of the half in which messages are claimed: the handler starts when all of them are', async () => {
    const { common, waits, invocation } = setUp();
    const handler = middy(async () => ({ batchItemFailures: [] })).use(sqsOnce({ ...common, key, aws: noQueue }));
    await handler(event() as SQSEvent, invocation as Context);
    expect(waits).toEqual([15_000]);
  });

  it('but by once of none of it: who called is still there, and may ask again', async () => {
    const { common, waits } = setUp();
    await once<string, void>({ ...common, key: (one) => one }, async () => {})('a');
    expect(waits).toEqual([undefined]);
  });
});

describe('a store that throttles is given time to read what was received before', () => {
  const again = () =>
    sqsEvent(sqsRecord({ id: 'a' }, { receiveCount: 2 }), sqsRecord({ id: 'b' }, { receiveCount: 2 }));

  it('by eachMessage: all that is left', async () => {
    const { common, readWaits, invocation } = setUp();
    await eachMessage({ ...common, key, aws: noQueue }, async () => {})(again(), invocation);
    expect(readWaits).toEqual([29_000, 29_000]);
  });

  it('by eachMessage in a FIFO group, where nothing is looked at ahead', async () => {
    const { common, readWaits, invocation } = setUp();
    const one = sqsRecord({ id: 'a' }, { receiveCount: 2, group: 'g' });
    await eachMessage({ ...common, key, aws: noQueue }, async () => {})(sqsEvent(one), invocation);
    expect(readWaits).toEqual([29_000]);
  });

  it('by sqsOnce: of the half in which messages are claimed', async () => {
    const { common, readWaits, invocation } = setUp();
    const handler = middy(async () => ({ batchItemFailures: [] })).use(sqsOnce({ ...common, key, aws: noQueue }));
    await handler(again() as SQSEvent, invocation as Context);
    expect(readWaits).toEqual([15_000, 15_000]);
  });
});
