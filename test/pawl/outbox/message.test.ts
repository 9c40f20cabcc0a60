import { describe, expect, it } from 'vitest';
import { eventBuses } from '../../../lib/pawl/outbox/destinations/event-buses.ts';
import { topics } from '../../../lib/pawl/outbox/destinations/topics.ts';
import { dynamoOutbox, type LargeBodies, type OutboxMessage, queues } from '../../../lib/pawl/outbox/index.ts';
import { noQueue } from '../../support/lambda.ts';

const queue = 'https://sqs.eu-central-1.amazonaws.com/123456789012/receipts';
const fifo = `${queue}.fifo`;
const topic = 'arn:aws:sns:eu-central-1:123456789012:orders';
const bus = 'arn:aws:events:eu-central-1:123456789012:event-bus/shop';
const event = { to: bus, source: 'shop', detailType: 'Paid' };

const outboxWith = (largeBodies?: LargeBodies) =>
  dynamoOutbox({
    tableName: 'outbox',
    aws: noQueue,
    destinations: [queues({ aws: noQueue }), topics(), eventBuses()],
    ...(largeBodies && { largeBodies }),
  });
const untyped = (message: object) => message as OutboxMessage;
const base = { key: 'k', body: { a: 1 } };

describe('a message that its destination does not take', () => {
  const refusals: readonly (readonly [string, object, RegExp])[] = [
    ['without an address', { to: undefined }, /to: expected an address of queues\(\) .* topics\(\) .*; got undefined/],
    ['with an empty address', { to: '' }, /to: expected .*; got ""/],
    [
      'to the ARN of a queue',
      { to: 'arn:aws:sqs:eu-central-1:123456789012:receipts' },
      /to: expected an address of .*the URL of a queue/,
    ],
    ['without its key', { to: queue, key: '' }, /the key is missing or empty/],
    ['without a body', { to: queue, body: undefined }, /cannot be written as JSON; got a value of type undefined/],
    [
      'with a body that holds a bigint',
      { to: queue, body: { a: 1n } },
      /cannot be written as JSON; got a value of type object/,
    ],
    ['to a FIFO queue without a group', { to: fifo }, /group: expected the message group/],
    ['to a FIFO topic without a group', { to: `${topic}.fifo` }, /group: expected the message group/],
    ['to a FIFO queue with a delay', { to: fifo, group: 'g', delaySeconds: 1 }, /delaySeconds: expected none/],
    [
      'to a queue with too long a delay',
      { to: queue, delaySeconds: 901 },
      /delaySeconds: expected a whole number, 0 to 900; got 901/,
    ],
    ['to a topic with a delay', { to: topic, delaySeconds: 1 }, /delaySeconds: expected none/],
    ['with a group that SQS does not take', { to: queue, group: 'a b' }, /group: expected a message group/],
    ['to a queue with a source', { to: queue, source: 'shop' }, /source: expected none/],
    ['to a topic with a type', { to: topic, detailType: 'Paid' }, /detailType: expected none/],
    ['with an attribute that is no text', { to: queue, attributes: { a: 1 } }, /attributes.a: expected a text; got 1/],
    [
      'with an attribute in place of its key',
      { to: topic, attributes: { 'idempotency-key': 'x' } },
      /attributes.idempotency-key: expected none/,
    ],
    [
      'with a key that SQS does not take',
      { to: queue, key: 'k\u0000' },
      /key: expected characters that SQS takes.*; got "others"/,
    ],
    ['with a key that no queue behind a topic takes', { to: topic, key: 'k\uffff' }, /key: expected characters/],
    [
      'with an attribute that SQS does not take',
      { to: queue, attributes: { color: '\u001b[31m' } },
      /attributes.color: expected characters/,
    ],
    ['with half of a character', { to: queue, attributes: { a: '\ud800' } }, /attributes.a: expected characters/],
    [
      'with a name of AWS',
      { to: queue, attributes: { 'AWS.Trace': 'x' } },
      /attributes: expected names .*; got "AWS.Trace"/,
    ],
    ['with a name that SQS does not take', { to: topic, attributes: { 'a b': 'x' } }, /attributes: expected names/],
    ['with a name that ends in a dot', { to: queue, attributes: { 'a.': 'x' } }, /attributes: expected names/],
    [
      'with more attributes than SQS takes beside the key and the mark of a body in S3',
      { to: queue, attributes: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a${n}`, 'x'])) },
      /attributes: expected at most 8.*; got 9/,
    ],
    ['to an event bus without its source', { ...event, source: undefined }, /source: expected the source/],
    ['to an event bus with a source of AWS', { ...event, source: 'aws.shop' }, /source: expected a source of your own/],
    ['to an event bus with a long type', { ...event, detailType: 'x'.repeat(129) }, /detailType: expected at most 128/],
    ['to an event bus without its type', { ...event, detailType: '' }, /detailType: expected the type/],
    ['to an event bus with a group', { ...event, group: 'g' }, /group: expected none/],
    ['to an event bus with attributes', { ...event, attributes: { a: 'b' } }, /attributes: expected none/],
    ['to an event bus with a delay', { ...event, delaySeconds: 1 }, /delaySeconds: expected none/],
    ['to an event bus with a list', { ...event, body: [1] }, /body: expected an object/],
    [
      'to an event bus with a key in its detail',
      { ...event, body: { 'idempotency-key': 'x' } },
      /body.idempotency-key: expected none/,
    ],
  ];

  it.each(refusals)('is refused before its commit: %s', (_, given, said) => {
    expect(() => outboxWith().message(untyped({ ...base, ...given }))).toThrow(said);
  });

  it('says which function a topic needs, where the outbox has queues only', () => {
    const { message } = dynamoOutbox({ tableName: 'outbox', aws: noQueue });
    expect(() => message({ ...base, to: topic })).toThrow(/add topics\(\) or eventBuses\(\) to destinations/);
  });

  it('never quotes its body', () => {
    const given = untyped({ ...event, ...base, body: 'secret-body' });
    expect(() => outboxWith().message(given)).toThrow(/^(?!.*secret-body)/s);
  });
});

it('takes the names and texts that SQS takes, and a key of any text for an event bus', () => {
  const { message } = outboxWith();
  const attributes = { a: 'x', 'a.b-c_D.9': 'é\t\r\n\u{1f600}\ufffd', ['n'.repeat(256)]: 'x' };
  expect(() => message({ ...base, to: queue, attributes, key: 'order 1/é' })).not.toThrow();
  expect(() => message({ ...event, ...base, key: 'k\u0000' })).not.toThrow();
});

describe('a body', () => {
  it('has no character that SQS does not take, and says the same', async () => {
    const body = { text: 'a\uffff\ufffe\u0000\u001b\ud800é', name: '\\uffff' };
    const { writes } = await outboxWith().prepare([outboxWith().message({ ...base, to: queue, body })]);
    const [put] = writes as readonly { readonly Put: { readonly Item: { readonly body: string } } }[];
    const text = put?.Put.Item.body ?? '';
    expect(text).not.toMatch(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
    expect(JSON.parse(text)).toEqual(body);
  });

  const bytes = (count: number) => 'x'.repeat(count - 2);
  const beside = 'idempotency-key'.length + 'String'.length + 1;
  const inItem = 400 * 1024 - 16 * 1024 - beside;

  it('that is one byte too large for an item is refused with the numbers, and the largest one is not', () => {
    const { message } = outboxWith();
    expect(() => message({ ...base, to: queue, body: bytes(inItem) })).not.toThrow();
    expect(() => message({ ...base, to: queue, body: bytes(inItem + 1) })).toThrow(
      `has ${inItem + 1} bytes, and ${beside} stand beside it; expected at most ${inItem} for queues(). Set largeBodies`,
    );
  });

  it('counts in bytes, with its attributes', () => {
    const { message } = outboxWith();
    expect(() => message({ ...base, to: queue, body: 'é'.repeat(inItem / 2) })).toThrow(/expected at most/);
    expect(() => message({ ...base, to: queue, body: bytes(inItem), attributes: { a: 'b' } })).toThrow(
      /expected at most/,
    );
  });

  it('that SNS or EventBridge does not take is refused, though an item would hold it', () => {
    const { message } = outboxWith();
    expect(() => message({ ...base, to: topic, body: bytes(2 ** 18) })).toThrow(
      /expected at most 2621\d\d for topics\(\)/,
    );
    expect(() => message({ ...event, key: 'k', body: { a: bytes(2 ** 18) } })).toThrow(
      /expected at most 2621\d\d for eventBuses\(\)\. See/,
    );
  });

  it('that is large goes where largeBodies keeps it, and not to an event bus', () => {
    const { message } = outboxWith({ keep: async () => 'pointer' });
    expect(() => message({ ...base, to: queue, body: bytes(2 ** 21) })).not.toThrow();
    expect(() => message({ ...event, key: 'k', body: { a: bytes(2 ** 19) } })).toThrow(/expected at most/);
  });
});
