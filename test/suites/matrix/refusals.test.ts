import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { claimOf, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import {
  type Claim,
  failOpen,
  memoryStore,
  OptionError,
  once,
  reconcile,
  renewedLease,
  step,
} from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, s3Events, sendOnce, snsEnvelope } from '../../../lib/pawl/sqs/index.ts';
import {
  commit,
  commitStep,
  eachTransaction,
  inPhases,
  type TransactionHandler,
} from '../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { add, idOf, operation } from './outside.ts';
import { cells, type Door, type Feature } from './table.ts';

type Body = { readonly payment: string };

const common = { operation, key: bodyField('payment'), onEvent: () => undefined };
const forBatch = { ...common, onAbandoned: 'retry', store: memoryStore() } as const;
const forHttp = { ...forBatch, caller: 'anyone' };
const forTransactions = { ...common, store: memoryTransactions(memoryStore()).store };
const asks = reconcile<unknown>({ ask: () => ({ verdict: 'inconclusive' }), settleMs: 1000 });
const open = () => failOpen(memoryStore(), () => undefined);
const writes: TransactionHandler<Body> = ({ body }) => [add(body.payment)];

/** What a program without types gives. */
const untyped = (options: object) => options as never;

/** For each cell that is refused, how a program without types would write it. */
const refused: Partial<Record<`${Feature} behind ${Door}`, () => unknown>> = {
  'renewedLease behind sqsOnce': () => sqsOnce(untyped({ ...forBatch, lease: renewedLease(6000) })),
  'park behind eachTransaction': () => eachTransaction(untyped({ ...forTransactions, onAbandoned: 'park' }), writes),
  'reconcile behind eachTransaction': () => eachTransaction(untyped({ ...forTransactions, onAbandoned: asks }), writes),
  'envelope behind once': () => once(untyped({ ...forBatch, envelope: snsEnvelope() }), () => undefined),
  'envelope behind onceOverHttp': () => onceOverHttp(untyped({ ...forHttp, envelope: snsEnvelope() }), () => undefined),
  'envelope behind httpOnce': () => httpOnce(untyped({ ...forHttp, envelope: snsEnvelope() })),
  'renewedLease behind eachTransaction': () =>
    eachTransaction(untyped({ ...forTransactions, lease: renewedLease(6000) }), writes),
  'failOpen behind eachTransaction': () => eachTransaction(untyped({ ...forTransactions, store: open() }), writes),
};

describe('what a door has no use for is refused when it is set up, with a sentence', () => {
  const expected = cells.flatMap(({ feature, door, cell }) =>
    cell.kind === 'refused' ? [[`${feature} behind ${door}` as const, cell.sentence] as const] : [],
  );

  test('every refusal of the matrix is tried', () => {
    expect(Object.keys(refused).toSorted()).toEqual(expected.map(([name]) => name).toSorted());
  });

  test.each(expected)('%s', (name, sentence) => {
    expect(refused[name]).toThrow(OptionError);
    expect(refused[name]).toThrow(sentence);
  });

  test.each([
    ['sqsOnce', 'timeoutMs', () => sqsOnce(untyped({ ...forBatch, timeoutMs: 1000 }))],
    ['sqsOnce', 'marksEffect', () => sqsOnce(untyped({ ...forBatch, marksEffect: true }))],
    [
      'eachTransaction',
      'marksEffect',
      () => eachTransaction(untyped({ ...forTransactions, marksEffect: true }), writes),
    ],
  ])('%s: %s', (door, option, setUp) => {
    expect(setUp).toThrow(`${option}: ${door} does not take it`);
  });

  test.each([
    ['once', 'schema', () => once(untyped({ ...forBatch, schema: {} }), () => undefined)],
    ['once', 'deadLetters', () => once(untyped({ ...forBatch, deadLetters: {} }), () => undefined)],
    ['once', 'isFinal', () => once(untyped({ ...forBatch, isFinal: () => true }), () => undefined)],
    ['onceOverHttp', 'schema', () => onceOverHttp(untyped({ ...forHttp, schema: {} }), () => undefined)],
    ['httpOnce', 'onInFlight', () => httpOnce(untyped({ ...forHttp, onInFlight: 'discard' }))],
    ['eachMessage', 'caller', () => eachMessage(untyped({ ...forBatch, caller: 'anyone' }), () => undefined)],
    ['sqsOnce', 'required', () => sqsOnce(untyped({ ...forBatch, required: false }))],
    ['eachTransaction', 'isFinal', () => eachTransaction(untyped({ ...forTransactions, isFinal: () => true }), writes)],
  ])('%s: %s, which is of another door', (door, option, setUp) => {
    expect(setUp).toThrow(OptionError);
    expect(setUp).toThrow(`${option}: ${door} does not take it`);
  });

  test('sqsOnce: s3Events(), also inside another envelope', () => {
    const sentence = 'envelope: sqsOnce does not take s3Events(): one message can hold several bodies';
    for (const envelope of [s3Events(), [snsEnvelope(), s3Events()]]) {
      expect(() => sqsOnce(untyped({ ...forBatch, envelope }))).toThrow(sentence);
    }
    expect(() => sqsOnce(untyped({ ...forBatch, envelope: s3Events() }))).toThrow(OptionError);
  });

  test('sendOnce: envelope, which is of consumers', () => {
    const producer = { operation, store: memoryStore(), queueUrl: 'https://sqs/q', envelope: snsEnvelope() };
    expect(() => sendOnce(untyped(producer))).toThrow(
      'envelope: sendOnce does not take it: it sends the body as it is',
    );
  });

  test('eachTransaction without any store', () => {
    expect(() => eachTransaction(untyped({ ...forTransactions, store: undefined }), writes)).toThrow(
      'store: expected a claim store',
    );
  });

  test('an option that is undefined is none', () => {
    expect(() => sqsOnce(untyped({ ...forBatch, lease: undefined }))).not.toThrow();
  });
});

/** A claim as a program without types may make it up from a message. */
const madeUp: Claim = {
  operation,
  key: 'p-1',
  effectKey: 'pay#p-1',
  attempt: 1,
  fence: 1,
  signal: new AbortController().signal,
  remainingMs: () => 30_000,
  effect: async (start) => start(),
};

/** What needs a claim, with one that is made up. @param ran hears of whatever ran */
const withMadeUp: Partial<Record<Feature, (ran: () => undefined) => Promise<unknown>>> = {
  step: (ran) => step(madeUp, 'charge', ran, { onAbandoned: 'retry' }),
  stepUnderPark: (ran) => step(madeUp, 'charge', ran, { onAbandoned: 'park' }),
  commit: () => commit(madeUp, [add('p-1')]),
  commitStep: (ran) =>
    commitStep(madeUp, 'reserve', () => {
      ran();
      return [add('p-1')];
    }),
  inPhases: (ran) => inPhases({ execute: ran, record: () => [add('p-1')], onAbandoned: 'retry' })('p-1', madeUp),
};

/** What came of a message whose handler did this, and what the handler was given. */
async function tried(door: Door, attempt: () => Promise<unknown>) {
  const claims = memoryStore();
  const { items, store } = memoryTransactions(claims);
  const given: unknown[][] = [];
  const errors: unknown[] = [];
  const run = async (...args: unknown[]) => {
    given.push(args);
    await (async () => attempt())().catch((error: unknown) => {
      errors.push(error);
      throw error;
    });
  };
  const batch = middy((...args: [SQSEvent, Context]) => Promise.allSettled(args[0].Records.map(() => run(...args))), {
    timeoutEarlyInMillis: 0,
  }).use(sqsOnce({ ...forBatch, store, backoffSeconds: () => undefined }));
  const transaction = eachTransaction<Body>(
    { ...forTransactions, store, backoffSeconds: () => undefined },
    async (...args) => {
      await run(...args);
      return [];
    },
  );
  const event = sqsEvent(sqsRecord({ payment: 'p-1' }));
  const lambda = context();
  const answer = door === 'sqsOnce' ? batch(event as SQSEvent, lambda as Context) : transaction(event, lambda);
  const comesAgain = failuresOf(await answer).length === 1;
  return { comesAgain, items, record: await claims.read(idOf('p-1')), given, errors };
}

describe('where no claim is handed over, nothing passes for one', () => {
  const withoutClaim = cells.flatMap(({ feature, door, cell }) =>
    cell.kind === 'no-claim' ? [[feature, door, cell.sentence] as const] : [],
  );

  test.each(withoutClaim)('%s behind %s', async (feature, door, sentence) => {
    let ran = 0;
    const attempt = withMadeUp[feature];
    expect(attempt !== undefined).toBe(sentence !== undefined);
    const failing = () => Promise.reject(new Error('nothing to call it with'));
    const { comesAgain, items, record, given, errors } = await tried(
      door,
      attempt ? () => attempt(() => void ran++) : failing,
    );
    expect({ ran, items: items.size, comesAgain, status: record?.status }).toEqual({
      ran: 0,
      items: 0,
      comesAgain: true,
      status: 'released',
    });
    for (const error of errors) expect(String(error)).toContain(sentence ?? 'nothing to call it with');
    expect(given.length).toBeGreaterThan(0);
    for (const args of given) {
      // The event, Lambda's context, and Middy's signal; or the message.
      expect(args).toHaveLength(door === 'sqsOnce' ? 3 : 1);
      for (const one of args) {
        expect(one).not.toHaveProperty('effectKey');
        expect(claimOf(one as object)).toBeUndefined();
      }
    }
  });
});
