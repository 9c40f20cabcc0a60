import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { SetupError } from '../../../lib/pawl/kernel/errors.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import {
  bodyField,
  type DeadLetters,
  eachMessage,
  type SqsOptions,
  s3EventKey,
  s3Events,
} from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { s3Record } from '../../support/notifications.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const denied = new SetupError('the role may not perform dynamodb:PutItem', 'access-denied');

/** A consumer whose role may not write the claims whose ids have this text. */
function setUp(mayNotWrite: string, own: Partial<SqsOptions<unknown>> = {}, effect: () => void = () => undefined) {
  const memory = memoryStore();
  const events: ClaimEvent[] = [];
  const ran: unknown[] = [];
  const store: ClaimStore = {
    ...memory,
    async write(write) {
      if (write.next.id.includes(mayNotWrite)) throw denied;
      return memory.write(write);
    },
  };
  const options: SqsOptions<unknown> = {
    operation: 'send-email',
    store,
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    aws: noQueue,
    backoffSeconds: () => undefined,
    onEvent: (event) => events.push(event),
    host: virtualHost(),
    ...own,
  };
  const doors = {
    eachMessage: eachMessage(options, ({ body }) => {
      ran.push(body);
      return effect();
    }),
    sqsOnce: middy(async () => {
      ran.push('batch');
      return effect();
    }).use(sqsOnce({ ...options, envelope: [] })),
  };
  const call = (door: keyof typeof doors, ...records: ReturnType<typeof sqsRecord>[]) =>
    doors[door](sqsEvent(...records), context(30_000, options.host?.now) as never);
  const types = () => events.map(({ type }) => type);
  return { call, types, ran };
}

const order = sqsRecord({ orderId: 'a' });
const withoutKey = sqsRecord({});

describe.each(['eachMessage', 'sqsOnce'] as const)(
  '%s, of which nothing can run before an operator changes something',
  (door) => {
    it('fails its invocation, also beside a message that can never run and has no dead-letter queue', async () => {
      const { call, types, ran } = setUp('#');
      await expect(call(door, withoutKey, order)).rejects.toBe(denied);
      expect(types().toSorted()).toEqual(['store-unavailable', 'undeliverable']);
      expect(ran).toEqual([]);
    });

    it('fails its invocation where the copy for the dead-letter queue is refused as well', async () => {
      const deadLetters: DeadLetters = { send: () => Promise.reject(new Error('no')) };
      const { call } = setUp('#', { deadLetters });
      await expect(call(door, withoutKey, order)).rejects.toBe(denied);
    });

    it('returns its batch response once a copy is safe in the dead-letter queue: failed, it would make that copy again', async () => {
      const { call } = setUp('#', { deadLetters: { send: async () => undefined } });
      expect(failuresOf(await call(door, withoutKey, order))).toEqual([order.messageId]);
    });

    it('returns its batch response where another message was granted its claim, also if it has failed', async () => {
      const { call, ran } = setUp('#a', {}, () => {
        throw new Error('no');
      });
      const other = sqsRecord({ orderId: 'b' });
      expect(failuresOf(await call(door, other, order))).toEqual([order.messageId, other.messageId].sort());
      expect(ran).toHaveLength(1);
    });
  },
);

describe('a message of several bodies', () => {
  const bodies = sqsRecord({ Records: [s3Record('a'), s3Record('b')] });
  const ofS3 = { key: s3EventKey(), envelope: s3Events() };

  it('fails its invocation when none of them can run', async () => {
    await expect(setUp('#', ofS3).call('eachMessage', bodies)).rejects.toBe(denied);
  });

  it('comes again without a failed invocation when one of them has run', async () => {
    const { call, ran } = setUp('/b/', ofS3);
    expect(failuresOf(await call('eachMessage', bodies))).toEqual([bodies.messageId]);
    expect(ran).toHaveLength(1);
  });
});
