import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { aheadBy, order, setUp } from './support.ts';

class Receipt {
  readonly id = 'r-1';
  readonly #secret = 'not for JSON';
  toString(): string {
    return `${this.id} ${this.#secret.length}`;
  }
}

describe('6 · a result that cannot be stored as it is does not repeat the effect', () => {
  const notRecorded = { recorded: false, result: undefined };

  it.each([
    ['undefined inside', { id: 'r-1', note: undefined }, { recorded: true, result: { id: 'r-1' } }],
    ['a Date', { at: new Date(0) }, { recorded: true, result: { at: '1970-01-01T00:00:00.000Z' } }],
    ['a class instance', new Receipt(), { recorded: true, result: { id: 'r-1' } }],
    ['an integer beyond 2^53', { id: 2 ** 60 }, { recorded: true, result: { id: 2 ** 60 } }],
    ['a BigInt', { cents: 500n }, notRecorded],
    ['more than 400 KB', 'x'.repeat(500_000), notRecorded],
  ])('%s', async (_, result: unknown, replay) => {
    const { worker, read } = await setUp();
    const ledger: string[] = [];
    const charge = worker(({ key }) => {
      ledger.push(key);
      return result;
    });
    expect(await charge('a')).toEqual({ outcome: 'completed', replayed: false, result });
    expect(await charge('a')).toEqual({ outcome: 'completed', replayed: true, ...replay });
    expect(await read('a')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(ledger).toEqual(['a']);
  });
});

describe('7 · an effect whose completion cannot be written is not repeated', () => {
  it('the write is repeated until it succeeds, within the time that is left', async () => {
    const { consumer, read, refusing } = await setUp();
    const ledger: string[] = [];
    let failures = 3;
    const store = refusing(({ status }) => status === 'completed' && failures-- > 0);
    const charge = consumer(({ body }) => ledger.push(body.orderId), { store });
    expect(await charge(order('a'))).toEqual([]);
    expect(await read('a')).toMatchObject({ status: 'completed' });
    expect(await charge(order('a'))).toEqual([]);
    expect(ledger).toEqual(['a']);
  });

  it('if every try fails, the message is acknowledged, the loss is reported, and a later copy waits for a decision', async () => {
    const { consumer, read, refusing, typesOf } = await setUp();
    const ledger: string[] = [];
    const store = refusing(({ status }) => status === 'completed');
    let spentMs = 0;
    // Almost all of the invocation's time went into the effect: the test need not wait for the last try.
    const host = { ...nodeHost, now: () => Date.now() + spentMs };
    const slow = consumer(
      ({ body }) => {
        ledger.push(body.orderId);
        spentMs = 29_000;
      },
      { store, host, onAbandoned: 'park' },
    );
    expect(await slow(order('a'))).toEqual([]);
    expect(typesOf()).toContain('completion-lost');

    const later = consumer(({ body }) => ledger.push(body.orderId), { onAbandoned: 'park', host: aheadBy(60_000) });
    const copy = order('a');
    expect(await later(copy)).toEqual([copy.messageId]);
    expect(await read('a')).toMatchObject({ status: 'parked' });
    expect(ledger).toEqual(['a']);
  });
});

describe('13 · a release that fails does not hide the handler’s error', () => {
  it('the caller gets the handler’s error, and an event reports the failure of the store', async () => {
    const { worker, refusing, events } = await setUp();
    const store = refusing(({ status }) => status === 'released');
    let spentMs = 0;
    const host = { ...nodeHost, now: () => Date.now() + spentMs };
    const charge = worker(
      () => {
        spentMs = 27_000;
        throw new Error('the card was declined');
      },
      { store, host },
    );
    await expect(charge('a', { remainingMs: () => 30_000 })).rejects.toThrow('the card was declined');
    expect(events.at(-1)).toMatchObject({
      type: 'outcome-lost',
      error: { message: 'the card was declined' },
      storeError: { message: 'the table is throttled' },
    });
  });

  it('the batch response names only the failed message, which runs again after the lease', async () => {
    const { existing, refusing, read } = await setUp();
    const ledger: string[] = [];
    const store = refusing(({ status }) => status === 'released');
    let spentMs = 0;
    const host = { ...nodeHost, now: () => Date.now() + spentMs };
    const failing = existing(
      ({ Records }) => {
        spentMs = 29_000;
        return { batchItemFailures: Records.slice(1).map(({ messageId }) => ({ itemIdentifier: messageId })) };
      },
      { store, host },
    );
    const [a, b] = [order('a'), order('b')];
    expect(await failing(a, b)).toEqual([b.messageId]);
    expect(await read('a')).toMatchObject({ status: 'completed' });
    const later = existing(({ Records }) => void ledger.push(...Records.map(({ messageId }) => messageId)), {
      host: aheadBy(60_000),
    });
    expect(await later(a, b)).toEqual([]);
    expect(ledger).toEqual([b.messageId]);
  });
});

it('14 · a replayed result is a fresh copy for each reader', async () => {
  const { worker } = await setUp();
  type Answer = { cards: string[] };
  const charge = worker<Answer>(() => ({ cards: ['c-1'] }));
  const answers: Answer[] = [];
  for (let call = 1; call <= 3; call++) {
    const answer = await charge('a');
    if (answer.outcome !== 'completed' || answer.result === undefined) throw new Error(`got ${answer.outcome}`);
    expect(answer).toMatchObject({ replayed: call > 1, result: { cards: ['c-1'] } });
    answer.result.cards.push('forged');
    answers.push(answer.result);
  }
  expect(new Set(answers).size).toBe(3);
});

describe('15 · a handler that returns nothing completes its claim', () => {
  it('as a function', async () => {
    const { worker } = await setUp();
    const ledger: string[] = [];
    const charge = worker(({ key }) => void ledger.push(key));
    await charge('a');
    expect(await charge('a')).toEqual({ outcome: 'completed', replayed: true, result: undefined, recorded: true });
    expect(ledger).toEqual(['a']);
  });

  it.each(['eachMessage', 'sqsOnce'])('as a handler of messages, with %s', async (adapter) => {
    const { consumer, existing, read } = await setUp();
    const ledger: string[] = [];
    const charge =
      adapter === 'eachMessage'
        ? consumer(({ record }) => void ledger.push(record.messageId))
        : existing((event: SQSEvent) => void ledger.push(...event.Records.map(({ messageId }) => messageId)));
    const [first, second] = [order('a'), order('a')];
    expect(await charge(first)).toEqual([]);
    expect(await charge(second)).toEqual([]);
    expect(ledger).toEqual([first.messageId]);
    expect(await read('a')).toMatchObject({ status: 'completed' });
  });
});
