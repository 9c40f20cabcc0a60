import { expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { OptionError, RejectedError } from '../../../lib/pawl/index.ts';
import { bodyField, deadLetterQueue, eachMessage, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context } from '../../support/lambda.ts';
import { order, queueServer, setUp } from './support.ts';

/* Holes that the scenarios found in pawl, each closed. */

it('6 · a limit for results beyond what an item holds is refused at set-up: its completions would never be written', async () => {
  const { worker } = await setUp();
  expect(() => worker(() => 'x', { maxResultBytes: 1_000_000 })).toThrow(OptionError);
});

it('8 · a timeoutMs longer than the default lease gets a lease that holds it', async () => {
  const { worker } = await setUp();
  expect(await worker(() => 'done', { timeoutMs: 90_000 })('a')).toMatchObject({
    outcome: 'completed',
    result: 'done',
  });
});

it('13 · of a message, the error of its handler is reported although its release failed', async () => {
  const { consumer, refusing, events } = await setUp();
  let spentMs = 0;
  const host = { ...nodeHost, now: () => Date.now() + spentMs };
  const charge = consumer(
    () => {
      spentMs = 29_000;
      throw new Error('the card was declined');
    },
    { store: refusing(({ status }) => status === 'released'), host },
  );
  await charge(order('a'));
  expect(JSON.stringify(events)).toContain('the card was declined');
});

it('5 · a handler that changes its record does not change what is dead-lettered', async () => {
  const { store } = await setUp();
  const queues = await queueServer();
  const charge = eachMessage(
    {
      operation: 'c',
      store,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      deadLetters: deadLetterQueue(queues.deadLetters.url),
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: () => undefined,
    },
    ({ record }) => {
      Object.assign(record.messageAttributes, { 'trace-id': { dataType: 'String', stringValue: 'forged' } });
      throw new RejectedError('no');
    },
  );
  await queues.send({ orderId: 'a' }, { 'trace-id': 't-1' });
  await queues.deliver((event: SqsEvent) => charge(event, context()));
  const { Records } = await queues.receive(queues.deadLetters);
  expect(Records[0]?.messageAttributes['trace-id']?.stringValue).toBe('t-1');
});
