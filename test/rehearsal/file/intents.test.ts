import { expect, test } from 'vitest';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';

function intentsOf(...all: readonly string[]) {
  const intents = createIntents();
  for (const intent of all) intents.add(intent);
  return intents;
}

test('finds an intent in a body, in a key and in a path, and not as a part of another word', () => {
  const { namedIn } = intentsOf('order-1', 'order-17');
  expect(namedIn('{"orderId":"order-17"}')).toEqual(['order-17']);
  expect(namedIn('{"Key":{"id":{"S":"send-mail#order-1"}}}')).toEqual(['order-1']);
  expect(namedIn('/mails/order-17?again=true')).toEqual(['order-17']);
  expect(namedIn('order-170 reorder-1 order-1x')).toEqual([]);
});

test('finds all that a text names, each once, in the sequence of the text', () => {
  const { namedIn } = intentsOf('a-1', 'b-2');
  expect(namedIn('b-2 a-1 b-2')).toEqual(['b-2', 'a-1']);
});

test('finds an intent in JSON inside of JSON, and at the end of a sentence', () => {
  const { namedIn } = intentsOf('order-1');
  expect(namedIn(JSON.stringify({ Body: JSON.stringify({ id: 'order-1' }) }))).toEqual(['order-1']);
  expect(namedIn('It failed for order-1.')).toEqual(['order-1']);
});

test('finds an intent with spaces and signs', () => {
  const { namedIn } = intentsOf('Ada & Grace: 1', 'a/b');
  expect(namedIn('for Ada & Grace: 1, and no other')).toEqual(['Ada & Grace: 1']);
  expect(namedIn('for Ada & Grace: 17')).toEqual([]);
  expect(namedIn('xa/b a/bc a/b')).toEqual(['a/b']);
});
