import { describe, expect, it } from 'vitest';
import {
  bodyField,
  compositeKey,
  type Message,
  type MessageKey,
  messageAttribute,
  messageId,
  sentKey,
} from '../../../lib/pawl/sqs/index.ts';
import { messageOf } from '../../../lib/pawl/sqs/message.ts';
import { sqsRecord } from '../../support/lambda.ts';

const message = (body: unknown, attributes: Record<string, string> = {}): Message<unknown> => {
  const messageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue, dataType: 'String' }]),
  );
  return messageOf(sqsRecord({}, { messageId: 'm-1', messageAttributes }), body);
};

describe('bodyField', () => {
  it.each([
    [{ order: { id: 'o-1' } }, 'o-1'],
    [{ order: { id: 0 } }, 0],
    [{ order: {} }, undefined],
    [{ order: 'text' }, undefined],
    [{ order: null }, undefined],
    [null, undefined],
    ['text', undefined],
    [{}, undefined],
  ])('finds its path in %j: %j', (body, key) => {
    expect(bodyField('order.id')(message(body))).toBe(key);
  });

  it('looks at fields of their own only', () => {
    expect(bodyField('constructor')(message({}))).toBeUndefined();
    expect(bodyField('order.length')(message({ order: 'text' }))).toBeUndefined();
  });
});

describe('messageAttribute', () => {
  it('is the text of an attribute, and nothing where there is none', () => {
    const sent = message({}, { 'idempotency-key': 'k-1' });
    expect([messageAttribute('idempotency-key')(sent), sentKey()(sent)]).toEqual(['k-1', 'k-1']);
    expect(messageAttribute('toString')(sent)).toBeUndefined();
    expect(sentKey()(message({}))).toBeUndefined();
    const { record, ...rest } = message({});
    const { messageAttributes: _, ...bare } = record;
    expect(sentKey()({ ...rest, record: bare } as Message<unknown>)).toBeUndefined();
  });
});

describe('compositeKey', () => {
  const of = (...parts: unknown[]) =>
    compositeKey(...parts.map((part) => (() => part) as MessageKey<unknown>))(message({}));

  it('keeps its parts apart', () => {
    expect(of('c-17', '2026-11')).toBe('c-17/2026-11');
    expect(of('a', 7)).toBe('a/7');
    expect(of('a/b', 'c')).not.toBe(of('a', 'b/c'));
    expect(of('a', 'bc')).not.toBe(of('ab', 'c'));
  });

  it.each([undefined, null, ''])('is missing when a part is: %j', (part) => {
    expect(of('a', part)).toBeUndefined();
    expect(of(part, 'a')).toBeUndefined();
  });

  it.each([0.5, 2 ** 53, true, { id: 1 }])('hands on a part that is no key, to be refused by name: %j', (part) => {
    expect(of('a', part)).toBe(part);
  });
});

it('messageId is the id that SQS gave', () => {
  expect(messageId()(message({}))).toBe('m-1');
});
