import { describe, expect, test } from 'vitest';
import { memoryStore, once } from '../../../lib/pawl/index.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { untyped, warnedBy } from './mistake.ts';

let operations = 0;
/** A function of `once`, of an operation of its own: a warning comes once. */
function calls(more: object = {}, fn: () => unknown = () => 'done') {
  const operation = `calls-${++operations}`;
  const store = memoryStore();
  const options = { operation, store, key: (input: { id: string }) => input.id, onAbandoned: 'retry', onEvent() {} };
  return Object.assign(once<{ id: string }, unknown>(untyped({ ...options, ...more }), fn), { operation, store });
}

/** How a call was refused. */
async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'it was not refused',
    ({ message }: Error) => message,
  );
}

describe('a call of once', () => {
  test.each([
    [{ context: {} }, 'context'],
    [{ ctx: {} }, 'ctx'],
    [{ foo: 1 }, 'foo'],
    [{ remainingMs: () => 30_000, signal: AbortSignal.abort() }, 'signal'],
    [{ redelivred: true }, 'redelivred'],
  ])('refuses an option that is none, by both of its ways, and runs nothing: %o', async (given, name) => {
    let runs = 0;
    const call = calls({}, () => ++runs);
    await warnedBy(async () => {
      for (const way of [call, call.outcome]) {
        const said = await refusal(way({ id: '1' }, untyped(given)));
        expect(said).toContain(`a call of once: there is no option '${name}'`);
        expect(said).toMatch(
          /See node_modules\/pawl\/docs\/\S+ and node_modules\/pawl\/docs\/errors\.md#unknown-option$/,
        );
      }
    });
    expect(runs).toBe(0);
  });

  test('says each reason for which it was refused, once', async () => {
    const call = calls();
    const warned = await warnedBy(async () => {
      for (const input of [{ id: '' }, { id: {} }, { id: '' }]) await refusal(call(untyped(input)));
      for (const given of [{ foo: 1 }, { getRemainingTimeInMillis: () => 1 }, { bar: 1 }]) {
        await refusal(call({ id: '1' }, untyped(given)));
      }
    });
    expect(warned.match(/#[\w-]+$/gm)).toEqual(['#missing-key', '#invalid-key', '#unknown-option', '#wrong-option']);
  });

  test.each(['attributes', 'fingerprint'])('refuses an async function: %s', async (option) => {
    const call = calls({ [option]: () => Promise.reject(new Error('late')) });
    let said = '';
    const unhandled = await unhandledRejections(async () => {
      await warnedBy(async () => {
        said = await refusal(call({ id: '1' }));
      });
    });
    expect(said).toContain(`${option}: expected a value; got a promise`);
    expect(unhandled).toEqual([]);
    expect(call.store.records()).toEqual([]);
  });
});

const one = (eventSource: string) => ({ eventSource });
const kafka = (...values: string[]) => ({ 'orders-0': values.slice(1), 'orders-1': values.slice(0, 1) });

describe('an event of several records', () => {
  test.each<[string, (...values: string[]) => unknown]>([
    ['DynamoDB Streams', (...values) => ({ Records: values.map((eventID) => ({ eventID, ...one('aws:dynamodb') })) })],
    ['SNS', (...values) => ({ Records: values.map((Sns) => ({ EventSource: 'aws:sns', Sns })) })],
    ['Kafka', (...values) => ({ ...one('aws:kafka'), records: kafka(...values) })],
    ['Kafka elsewhere', (...values) => ({ ...one('SelfManagedKafka'), records: kafka(...values) })],
    ['ActiveMQ', (...messages) => ({ ...one('aws:mq'), messages })],
    ['RabbitMQ', (...values) => ({ ...one('aws:rmq'), rmqMessagesByQueue: { 'orders::/': values } })],
    ['DocumentDB', (...events) => ({ ...one('aws:docdb'), events })],
    ['Firehose', (...values) => ({ invocationId: 'i', records: values.map((recordId) => ({ recordId })) })],
    ['ReceiveMessage', (...values) => ({ Messages: values.map((ReceiptHandle) => ({ ReceiptHandle })) })],
    ['what was received, as a list', (...values) => values.map((ReceiptHandle) => ({ ReceiptHandle }))],
    ['a list of records', (...values) => values.map((eventID) => ({ eventID, ...one('aws:kinesis') }))],
  ])('is refused, and one of one record is not: %s', async (_, event) => {
    const call = calls({ key: () => 'first' });
    await warnedBy(async () => {
      for (const several of [event('a', 'b', 'c'), event('a', 'b')]) {
        expect(await refusal(call(untyped(several)))).toMatch(/got an event of [23] records.*#wrong-event$/);
      }
    });
    expect(await call(untyped(event('a')))).toBe('done');
  });

  test.each([
    ['line items', { id: 'order-1', Records: [{ sku: 1 }, { sku: 2 }] }],
    ['sources of its own', { Records: [{ eventSource: 'web' }, { eventSource: 'shop' }] }],
    ['messages', { Messages: [{ MessageId: '1' }, { MessageId: '2' }] }],
    ['records', { records: [{ recordId: '1' }, { recordId: '2' }] }],
    ['events', { eventSource: 'web', events: [1, 2] }],
    ['a list', [{ id: 1 }, { id: 2 }]],
    ['no lists', { eventSource: 'aws:kafka', records: null, events: 'two' }],
    ['lists of nothing', { Records: [], Messages: [], records: {} }],
  ])('is not what an author’s own input is: %s', async (_, input) => {
    expect(await calls({ key: () => 'own' })(untyped(input))).toBe('done');
  });
});

describe('a classifier', () => {
  test.each([
    ['another word', () => 'retriable', "it returned another text. Did you mean 'retryable'?"],
    [
      'a text of the error',
      (error: Error) => error.message,
      'it returned another text. Such an error counts as unknown',
    ],
    ['what is no word', () => true, 'it returned a value of type boolean. Such an error counts as unknown'],
    ['a promise', async () => 'retryable', 'it returned a promise. Such an error counts as unknown'],
    [
      'an error that it throws',
      () => {
        throw new Error('in classify');
      },
      'it threw an error. Such an error counts as unknown',
    ],
  ])('of which nothing is known is said, once, and is unknown: %s', async (_, classify, said) => {
    const call = calls({ classify, onAbandoned: 'park' }, () => {
      throw new Error('card 4111');
    });
    const warned = await warnedBy(async () => {
      for (const id of ['1', '2']) await refusal(call({ id }));
    });
    expect(warned).toContain(
      `classify of '${call.operation}': expected 'retryable', 'rejected', 'unknown' or undefined; ${said}`,
    );
    expect(warned).toMatch(/^[^\n]*See node_modules\/pawl\/docs\/errors\.md#author-error$/);
    expect(warned).not.toMatch(/4111|in classify/);
    expect(call.store.records()).toMatchObject([{ status: 'parked' }, { status: 'parked' }]);
  });

  test.each(['retryable', 'rejected', 'unknown', undefined])(
    'is not warned of where it says a word: %s',
    async (said) => {
      const call = calls({ classify: () => said }, () => Promise.reject(new Error('reset')));
      expect(await warnedBy(() => refusal(call({ id: '1' })))).toBe('');
    },
  );
});
