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

test('finds an intent with an ending, such as a file name, and not one that only begins with it', () => {
  const { namedIn } = intentsOf('upload-1', 'upload-17', 'v1', '17', 'example', 'scan17');
  expect(namedIn('{"key":"in/upload-1.csv"}')).toEqual(['upload-1']);
  expect(namedIn('{"key":"in%2Fupload-17.tar.gz"}')).toEqual(['upload-17']);
  expect(namedIn('in/scan17.pdf')).toEqual(['scan17']);
  expect(namedIn('upload-170.csv reupload-1.csv upload-1x.csv v1.2 17.5 www.example.com')).toEqual([]);
});

test('finds an intent of several parts inside of a word, the longest one, if the text names none as a word', () => {
  const { namedIn } = intentsOf('order-1', 'order-1-2', '2026-11', '17');
  expect(namedIn('invoice_order-1_final.pdf')).toEqual(['order-1']);
  expect(namedIn('retry-order-1-2')).toEqual(['order-1-2']);
  expect(namedIn('order-1 in invoice_order-1-2_final.pdf')).toEqual(['order-1']);
  expect(namedIn('2026-11-23 customer-17 order-12 reorder-1')).toEqual([]);
});

test('finds an intent behind an escape of JSON or of an address', () => {
  const { namedIn } = intentsOf('order-1');
  expect(namedIn(JSON.stringify({ text: 'Dear Ada,\norder-1\thas left.' }))).toEqual(['order-1']);
  expect(namedIn(String.raw`{"text":"\u003cb\u003eorder-1\u003c/b\u003e"}`)).toEqual(['order-1']);
  expect(namedIn('q=id%3Dorder-1%26all')).toEqual(['order-1']);
});
