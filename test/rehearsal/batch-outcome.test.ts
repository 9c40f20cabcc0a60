import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../lib/rehearsal/engine/lambda/sandbox.ts';
import { dispositionsOf } from '../../lib/rehearsal/services/sqs/batch-outcome.ts';

const ids = ['a', 'b', 'c'];
const deletedBy = (outcome: Outcome, reports = true) =>
  [...dispositionsOf(outcome, ids, reports)].filter(([, disposition]) => disposition === 'delete').map(([id]) => id);
const response = (value: unknown): Outcome => ({ kind: 'response', value });
const failing = (...failed: unknown[]) =>
  response({ batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) });

describe('with ReportBatchItemFailures', () => {
  test.each([[null], [undefined], [''], [{}], [{ batchItemFailures: null }], [{ batchItemFailures: [] }]])(
    '%j means that everything succeeded',
    (value) => {
      expect(deletedBy(response(value))).toEqual(ids);
    },
  );

  test('only the named messages come back', () => {
    expect(deletedBy(failing('b'))).toEqual(['a', 'c']);
    expect(deletedBy(failing('a', 'b', 'c', 'a'))).toEqual([]);
  });

  test.each([
    ['an unknown identifier', failing('b', 'z')],
    ['an empty identifier', failing('')],
    ['no identifier', response({ batchItemFailures: [{ id: 'b' }] })],
    ['an identifier that is no text', failing(1)],
    ['an entry that is nothing', response({ batchItemFailures: [null] })],
    ['failures that are no list', response({ batchItemFailures: { itemIdentifier: 'a' } })],
    ['a list', response(['a'])],
    ['a text', response('done')],
  ])('%s fails the whole batch', (_, outcome) => {
    expect(deletedBy(outcome)).toEqual([]);
  });
});

test('without it a response is ignored, and everything is deleted', () => {
  expect(deletedBy(failing('b'), false)).toEqual(ids);
  expect(deletedBy(response('done'), false)).toEqual(ids);
});

test.each([false, true])('an invocation without a response deletes nothing (reports: %s)', (reports) => {
  expect(deletedBy({ kind: 'error', error: { name: 'Error', message: 'no' } }, reports)).toEqual([]);
  expect(deletedBy({ kind: 'timed-out' }, reports)).toEqual([]);
  expect(deletedBy({ kind: 'crashed' }, reports)).toEqual([]);
});
