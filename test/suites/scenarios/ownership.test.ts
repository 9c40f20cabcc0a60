import type { SQSEvent } from 'aws-lambda';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { loseAnswersOf } from '../../support/lost-answers.ts';
import { localClient } from '../../support/tables.ts';
import { aheadBy, gate, order, queueServer, setUp } from './support.ts';

const orderIds = (event: SQSEvent): string[] => event.Records.map(({ body }) => JSON.parse(body).orderId);

describe('1 · a late worker cannot free or overwrite the claim of the one that took over from it', () => {
  const lateWorkers = ['fails', 'returns'].flatMap((ends) =>
    [false, true].map((completed) => ({ ends, completed, when: completed ? 'has completed' : 'still runs' })),
  );

  it.each(lateWorkers)(
    'when it $ends while the second $when, nothing changes and no third run starts',
    async ({ ends, completed }) => {
      const { worker, read, typesOf } = await setUp();
      const ledger: string[] = [];
      const run = (name: string, work: Promise<string> | (() => Promise<string>)) => () => {
        ledger.push(name);
        return typeof work === 'function' ? work() : work;
      };
      const [first, second] = [gate<string>(), gate<string>()];
      const later = { host: aheadBy(60_000) };
      const call = { remainingMs: () => 20_000 };

      const late = worker(run('first', first.work))('order-1', call);
      await first.begun;
      const taking = worker(run('second', second.work), later)('order-1', call);
      await second.begun;
      if (completed) {
        second.end('second');
        await taking;
      }

      const before = await read('order-1');
      if (ends === 'fails') {
        first.fail(new Error('socket hang up'));
        await expect(late).rejects.toThrow('socket hang up');
      } else {
        first.end('first');
        await late;
      }
      expect(await read('order-1')).toEqual(before);
      expect(typesOf()).toContain('stale-claim');

      const third = worker(run('third', Promise.resolve('third')), later);
      const replay = { outcome: 'completed', replayed: true, result: 'second' };
      expect(await third('order-1', call)).toMatchObject(completed ? replay : { outcome: 'in-flight' });
      second.end('second');
      await taking;
      expect(await third('order-1', call)).toMatchObject(replay);
      expect(ledger).toEqual(['first', 'second']);
      expect(await read('order-1')).toMatchObject({ status: 'completed', fence: 2, result: '"second"' });
    },
  );
});

describe('2 · the error hook of the middleware touches only the claims of its own request', () => {
  /** The error hook has something to undo as well: the claim of `mine`, beside that of somebody else. */
  function failing(scenario: Awaited<ReturnType<typeof setUp>>, options = {}) {
    return scenario.existing((event) => {
      throw new Error(`mail server unavailable for ${orderIds(event)}`);
    }, options);
  }

  it('leaves alone a duplicate that is in flight elsewhere', async () => {
    const scenario = await setUp();
    const { existing, read } = scenario;
    const sqsClient = (await queueServer()).functionClient;
    const ledger: string[] = [];
    const winner = gate();
    const charge = (event: SQSEvent) => {
      ledger.push(...orderIds(event));
      return winner.work();
    };
    const winning = existing(charge)(order('theirs'));
    await winner.begun;
    const before = await read('theirs');

    const [theirs, mine] = [order('theirs'), order('mine')];
    const both = [theirs.messageId, mine.messageId].sort();
    expect(await failing(scenario, { aws: sdk({ sqs: sqsClient }) })(theirs, mine)).toEqual(both);
    expect(await read('theirs')).toEqual(before);
    expect(await read('mine')).toMatchObject({ status: 'released' });
    expect(await existing(charge, { aws: sdk({ sqs: sqsClient }) })(theirs)).toEqual([theirs.messageId]);

    winner.end();
    expect(await winning).toEqual([]);
    expect(await existing(charge)(theirs, mine)).toEqual([]);
    expect(ledger).toEqual(['theirs', 'mine']);
  });

  it('leaves alone a completed key that arrives with another payload', async () => {
    const scenario = await setUp();
    const { existing, read } = scenario;
    const ledger: string[] = [];
    const charge = (event: SQSEvent) => void ledger.push(...orderIds(event));
    expect(await existing(charge)(order('theirs', 500))).toEqual([]);
    const before = await read('theirs');
    expect(before).toMatchObject({ status: 'completed' });

    const [theirs, mine] = [order('theirs', 999), order('mine')];
    const both = [theirs.messageId, mine.messageId].sort();
    expect(await failing(scenario)(theirs, mine)).toEqual(both);
    expect(await read('theirs')).toEqual(before);
    expect(await existing(charge)(order('theirs', 500))).toEqual([]);
    expect(ledger).toEqual(['theirs']);
  });

  it('leaves alone a message whose own claim was throttled', async () => {
    const scenario = await setUp();
    const { existing, read, refusing } = scenario;
    const ledger: string[] = [];
    const winner = gate();
    const winning = existing((event) => {
      ledger.push(...orderIds(event));
      return winner.work();
    })(order('theirs'));
    await winner.begun;
    const before = await read('theirs');

    const store = refusing(({ id = '', status }) => status === 'in-flight' && id.endsWith('#theirs'));
    const [theirs, mine] = [order('theirs'), order('mine')];
    const both = [theirs.messageId, mine.messageId].sort();
    expect(await failing(scenario, { store, remainingMs: 4000 })(theirs, mine)).toEqual(both);
    expect(await read('theirs')).toEqual(before);
    winner.end();
    expect(await winning).toEqual([]);
    expect(ledger).toEqual(['theirs']);
    expect(await read('theirs')).toMatchObject({ status: 'completed' });
  });
});

describe('3 · if another middleware fails after the handler, the handler does not run again', () => {
  const metrics = {
    after: () => {
      throw new Error('the metrics could not be flushed');
    },
  };

  it('if pawl is used last, the completion stays', async () => {
    const { existing, read } = await setUp();
    const ledger: string[] = [];
    const charge = (event: SQSEvent) => void ledger.push(...orderIds(event));
    await expect(existing(charge, { others: [metrics] })(order('a'))).rejects.toThrow('metrics');
    expect(await read('a')).toMatchObject({ status: 'completed' });
    expect(await existing(charge)(order('a'))).toEqual([]);
    expect(ledger).toEqual(['a']);
  });

  it('if pawl is used earlier, it cannot tell whose failure it was, and the policy decides', async () => {
    const { existing, read } = await setUp();
    const ledger: string[] = [];
    const charge = (event: SQSEvent) => void ledger.push(...orderIds(event));
    const message = order('a');
    const misplaced = existing(charge, { inner: [metrics], onAbandoned: 'park' });
    expect(await misplaced(message)).toEqual([message.messageId]);
    expect(await read('a')).toMatchObject({ status: 'parked', error: { name: 'outcome-unknown' } });
    expect(await misplaced(message)).toEqual([message.messageId]);
    expect(ledger).toEqual(['a']);
  });
});

it('4 · an early timeout leaves the claim with the handler that is still running', async () => {
  const { existing, read, typesOf } = await setUp();
  const sqsClient = (await queueServer()).functionClient;
  const ledger: string[] = [];
  const slow = gate();
  const charge = (event: SQSEvent) => {
    ledger.push(...orderIds(event));
    return slow.work();
  };
  const options = { onAbandoned: 'park', aws: sdk({ sqs: sqsClient }) } as const;
  const message = order('a');
  // Middy answers for the handler after 200 ms; the handler goes on.
  const early = existing(charge, { ...options, remainingMs: 10_000, timeoutEarlyInMillis: 9800 });
  expect(await early(message)).toEqual([message.messageId]);
  expect(await read('a')).toMatchObject({ status: 'in-flight', fence: 1 });
  expect(await existing(charge, options)(message)).toEqual([message.messageId]);
  slow.end();

  // What became of it was never said, so after the lease it is for the policy to decide; here, that it never runs twice.
  const later = existing(charge, { ...options, host: aheadBy(60_000) });
  expect(await later(message)).toEqual([message.messageId]);
  expect(await read('a')).toMatchObject({ status: 'parked', error: { name: 'abandoned' } });
  expect(typesOf()).not.toContain('released');
  expect(ledger).toEqual(['a']);
});

it('18 · a worker recognises its own write after the response was lost', async () => {
  const { consumer, read, tableName, typesOf } = await setUp();
  const client = localClient(inject('dynamoEndpoint'));
  onTestFinished(() => client.destroy());
  const lost = loseAnswersOf(client);
  const ledger: string[] = [];
  const charge = consumer(
    ({ body }, { attempt }) => {
      if (body.orderId === 'b' && attempt === 1) throw new Error('declined for now');
      ledger.push(body.orderId);
    },
    { store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }) },
  );
  const [a, b] = [order('a'), order('b')];
  expect(await charge(a, b)).toEqual([b.messageId]);
  expect(await charge(b)).toEqual([]);
  // Of two claims in one request, of what became of them in another, of a takeover and of a completion.
  expect(lost()).toBe(4);
  expect(ledger).toEqual(['a', 'b']);
  expect(await read('a')).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await read('b')).toMatchObject({ status: 'completed', attempts: 2 });
  expect(typesOf()).not.toContain('stale-claim');
});
