import { describe, expect, test } from 'vitest';
import { headerKey } from '../../../lib/pawl/http/index.ts';
import { type ClaimEvent, memoryStore, once } from '../../../lib/pawl/index.ts';
import {
  bodyField,
  compositeKey,
  deadLetterQueue,
  eachMessage,
  entityKey,
  type MessageKey,
  messageAttribute,
  sentKey,
} from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { expectAdvice, type Mistake, untyped } from './mistake.ts';

/** What is reported of a message with this body: it is set aside, or it comes again. */
async function reported(key: MessageKey<unknown>, body: unknown, more: object = {}): Promise<string> {
  const events: ClaimEvent[] = [];
  const onEvent = (event: ClaimEvent) => events.push(event);
  const options = {
    operation: 'orders',
    store: memoryStore(),
    key,
    onAbandoned: 'retry',
    onEvent,
    aws: noQueue,
  };
  const host = virtualHost();
  const handler = eachMessage(untyped({ ...options, host, ...more }), () => undefined);
  await handler(sqsEvent(sqsRecord(body)), context(30_000, host.now));
  const said = events.flatMap((event) =>
    event.type === 'undeliverable' || event.type === 'author-error' ? [event.error.message] : [],
  );
  return said[0] ?? 'no event';
}

const mistakes: readonly Mistake[] = [
  {
    mistake: 'a field of the key that is misspelt',
    make: () => reported(bodyField('orderID'), { orderId: 7 }),
    wrong: 'the key is missing or empty',
    expected: "the body has no field 'orderID'",
    toDo: "field 'orderID'",
    code: 'missing-key',
  },
  {
    mistake: 'a nested field of the key that is misspelt',
    make: () => reported(bodyField('customer.ID'), { customer: { id: 7 } }),
    wrong: 'the key is missing or empty',
    expected: 'the body has no field',
    toDo: "'customer.ID'",
    code: 'missing-key',
  },
  {
    mistake: 'a part of a key that is not sent',
    make: () => reported(compositeKey(bodyField('customer'), bodyField('month')), { customer: 'c-1' }),
    wrong: 'the key is missing or empty',
    expected: 'the body has no field',
    toDo: "'month'",
    code: 'missing-key',
  },
  {
    mistake: 'a field of the key that is empty',
    make: () => reported(bodyField('orderId'), { orderId: '' }),
    wrong: 'the key is missing or empty',
    expected: "the field 'orderId' of the body",
    toDo: 'is empty',
    code: 'missing-key',
  },
  {
    mistake: 'a field of the key that is null',
    make: () => reported(bodyField('orderId'), { orderId: null }),
    wrong: 'the key is missing or empty',
    expected: "the field 'orderId' of the body",
    toDo: 'is null',
    code: 'missing-key',
  },
  {
    mistake: 'a message that sendOnce did not send',
    make: () => reported(sentKey(), {}),
    wrong: 'the key is missing or empty',
    expected: "the message has no attribute 'idempotency-key'",
    toDo: 'of type String',
    code: 'missing-key',
  },
  {
    mistake: 'the field of once that is missing',
    make: () =>
      once(
        { operation: 'o', store: memoryStore(), key: bodyField('orderId'), onAbandoned: 'retry' },
        () => undefined,
      ).outcome({ body: {} }),
    wrong: 'the key is missing or empty',
    expected: 'the body has no field',
    toDo: "'orderId'",
    code: 'missing-key',
  },
  {
    mistake: 'a key that is an object',
    make: () => reported(bodyField('order'), { order: { id: 'secret' } }),
    wrong: 'the key is of type object',
    expected: 'expected well-formed text',
    toDo: 'or a safe integer',
    code: 'invalid-key',
  },
  {
    mistake: 'a key that is a fraction',
    make: () => reported(bodyField('id'), { id: 0.5 }),
    wrong: 'the key is 0.5',
    expected: 'expected well-formed text',
    toDo: 'or a safe integer',
    code: 'invalid-key',
  },
  {
    mistake: 'a key function that is async',
    make: () =>
      reported(
        untyped(async () => 'k'),
        {},
      ),
    wrong: 'it returned a promise',
    expected: 'key: expected a function that returns text or a number',
    toDo: 'Make it a function that is not async',
    code: 'author-error',
  },
  {
    mistake: 'a fingerprint that is no text',
    make: () => reported(() => 'k', {}, { fingerprint: () => ({ amount: 1 }) }),
    wrong: 'it returned a value of type object',
    expected: 'fingerprint: expected a function',
    toDo: 'that returns text',
    code: 'author-error',
  },
  {
    mistake: 'a body that is no JSON',
    make: () => reported(bodyField('orderId'), 'order 7'),
    wrong: 'the body',
    expected: 'JSON',
    toDo: 'is not JSON',
    code: 'invalid-message',
  },
  {
    mistake: 'a body that the schema does not allow',
    make: () => {
      const validate = () => ({ issues: [{ path: ['customer', 'id'] }] });
      return reported(bodyField('orderId'), { customer: { id: 'secret' } }, { schema: { '~standard': { validate } } });
    },
    wrong: 'the body does not match',
    expected: 'the schema',
    toDo: 'at: customer.id',
    code: 'invalid-message',
  },
  {
    mistake: 'a field without its name',
    make: () => bodyField(untyped(undefined)),
    wrong: 'got undefined',
    expected: 'bodyField: expected the name of a field',
    toDo: "a path such as 'order.id'",
    code: 'wrong-key-option',
  },
  {
    mistake: 'a path as a list',
    make: () => bodyField(untyped(['order', 'id'])),
    wrong: 'got a list of 2',
    expected: 'bodyField: expected the name of a field',
    toDo: "'order.id'",
    code: 'wrong-key-option',
  },
  {
    mistake: 'a composite key of names',
    make: () => compositeKey(untyped('customerId'), untyped('month')),
    wrong: 'got "customerId"',
    expected: 'compositeKey: expected functions',
    toDo: "bodyField('customerId')",
    code: 'wrong-key-option',
  },
  {
    mistake: 'a composite key of nothing',
    make: () => compositeKey(),
    wrong: 'got "none"',
    expected: 'compositeKey: expected at least one part',
    toDo: "bodyField('customerId')",
    code: 'wrong-key-option',
  },
  {
    mistake: 'an attribute without its name',
    make: () => messageAttribute(untyped(undefined)),
    wrong: 'got undefined',
    expected: 'messageAttribute: expected the name of an attribute',
    toDo: "'idempotency-key'",
    code: 'wrong-key-option',
  },
  {
    mistake: 'the name of a header in place of options',
    make: () => headerKey(untyped('X-Request-Id')),
    wrong: 'got "X-Request-Id"',
    expected: 'headerKey: expected options',
    toDo: "headerKey({ name: 'X-Request-Id' })",
    code: 'wrong-key-option',
  },
  {
    mistake: 'a part of an entity’s key that is missing',
    make: () => entityKey('payment', undefined),
    wrong: 'the key',
    expected: 'is missing',
    toDo: 'or empty',
    code: 'missing-key',
  },
];

describe('a key', () => {
  test.each(mistakes)('$mistake: says what is wrong, what was expected and what to do', expectAdvice);
});

test('a dead letter says which field of its key is missing', async () => {
  const sent: string[] = [];
  const deadLetters = {
    ...deadLetterQueue('https://sqs/dead'),
    send: async (_client: unknown, _record: unknown, _reason: string, error: string) => sent.push(error),
  };
  await reported(bodyField('orderID'), { orderId: 7 }, { deadLetters });
  expect(sent).toEqual([
    "InvalidMessageError: the key is missing or empty: the body has no field 'orderID'. See node_modules/pawl/docs/errors.md#missing-key",
  ]);
});
