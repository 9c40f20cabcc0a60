import { expect, test } from 'vitest';
import type { CarriedOut } from '../../../lib/rehearsal/file/carry-out.ts';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { type OwnFaults, withOwnFaults } from '../../../lib/rehearsal/file/own-faults.ts';
import type { ProviderFault } from '../../../lib/rehearsal/provider.ts';
import type { StreamRecord } from '../../../lib/rehearsal/services/streams/stream-client.ts';

const place = { stack: 'App', construct: 'Mails/Send' };
const call = { sandbox: 'SANDBOX0001', operation: 'PutItem', body: '{"id":"order-1"}' };
const ok = { status: 200, body: '{}' };

const none = { kill: 0, redeliver: 0, loseAnswer: 0, throttle: 0, freeze: 0, provider: 0, ttl: 0, indexLag: 0 };

/** The faults of a run in which nothing is drawn, or this at every call of a provider. */
function faultsOf(own: OwnFaults | undefined, drawn?: ProviderFault) {
  const intents = createIntents();
  intents.add('order-1');
  const journal = createJournal(() => 1_770_000_000_000);
  const killed: string[] = [];
  const carried: CarriedOut = {
    ...{ stats: none, planned: none, workOf: () => [], readsIndex: () => false, hasRead: () => false },
    ...{ mayRemember: () => false, remembers: () => undefined, s3: {} },
    watch: {},
    wasDisturbed: () => false,
    disturb: () => undefined,
    dynamodb: {},
    delivery: () => ({}),
    streamDelivery: () => ({}),
    eventDelivery: () => ({}),
    killCaller: (sandbox) => void killed.push(sandbox),
    atProvider: () => drawn,
  };
  const faults = withOwnFaults(carried, own, { intents, journal });
  const told = () => journal.entries.map(({ at: _, ...entry }) => entry);
  return { ...faults, told, killed };
}

test('a worker that a rule of the caller kills at the store is in the story of what it worked on', () => {
  const { engine, told } = faultsOf({ dynamodb: { onResponse: () => 'kill' } });
  expect(engine.dynamodb?.onRequest?.(call)).toBe('pass');
  expect(told()).toEqual([]);
  expect(engine.dynamodb?.onResponse?.(call, ok)).toBe('kill');
  const moment = 'when DynamoDB had carried out its PutItem, before the response';
  expect(told()).toEqual([{ kind: 'killed', sandbox: 'SANDBOX0001', moment, intents: ['order-1'] }]);
});

test('a request or a response that a rule of the caller drops is in the story, with the service', () => {
  const { engine, told } = faultsOf({ sqs: { onRequest: () => 'drop', onResponse: () => 'drop' } });
  expect(engine.sqs?.onRequest?.(call)).toBe('drop');
  expect(engine.sqs?.onResponse?.(call, ok)).toBe('drop');
  expect(told()).toMatchObject([
    { kind: 'failed', line: 'sends PutItem to SQS, which DOES NOT GET IT', intents: ['order-1'] },
    { kind: 'failed', line: 'THE RESPONSE of SQS to its PutItem IS LOST', intents: ['order-1'] },
  ]);
});

test('a message that a rule of the caller delivers again is in the story, and one that it leaves alone is not', async () => {
  const { engine, told } = faultsOf({
    delivery: () => ({ forgetsDeletion: () => true, deliversTwice: ({ Body }) => Body === 'order-1' }),
  });
  const { forgetsDeletion, deliversTwice } = engine.delivery?.({ ...place, handler: 'App/Fn' }) ?? {};
  expect(deliversTwice?.({ Body: 'order-2' })).toBe(false);
  expect(told()).toEqual([]);
  expect(deliversTwice?.({ Body: 'order-1' })).toBe(true);
  expect(await forgetsDeletion?.({ Body: 'order-1' })).toBe(true);
  expect(told()).toMatchObject([
    { kind: 'visible-while-handled', construct: place.construct, intents: ['order-1'] },
    { kind: 'acknowledged', forgotten: true, intents: ['order-1'] },
  ]);
});

test('a worker that a rule of the caller kills at a provider is in the story when it dies, and not before', () => {
  const { atProvider, killCaller, told, killed } = faultsOf({ provider: () => ({ kind: 'kill-applied' }) });
  expect(atProvider('order-1', 'MAILER_URL', 'SANDBOX0001')).toEqual({ kind: 'kill-applied' });
  expect(told()).toEqual([]);
  killCaller('SANDBOX0001');
  const moment = 'when the provider had done it, before the response';
  expect(told()).toEqual([{ kind: 'killed', sandbox: 'SANDBOX0001', moment, intents: ['order-1'] }]);
  expect(killed).toEqual(['SANDBOX0001']);
});

test('what is drawn from the seed comes before the rules of the caller, and stays as it is without them', () => {
  const drawn: ProviderFault = { kind: 'hang-before' };
  const rule: OwnFaults = { provider: () => ({ kind: 'drop-applied' }) };
  expect(faultsOf(rule, drawn).atProvider('order-1', 'MAILER_URL', undefined)).toEqual(drawn);
  expect(faultsOf(rule).atProvider('order-1', 'MAILER_URL', undefined)).toEqual({ kind: 'drop-applied' });
  expect(faultsOf(undefined, drawn).atProvider('order-1', 'MAILER_URL', undefined)).toEqual(drawn);
});

test('a rule of the caller reaches SNS, S3, streams and event buses as well, and is in the story', () => {
  const { engine, told } = faultsOf({
    sns: { onRequest: () => 'drop' },
    s3: { onRequest: () => 'kill' },
    streamDelivery: () => ({ forgetsCheckpoint: () => true }),
    eventDelivery: () => ({ deliversTwice: () => true }),
  });
  expect(engine.sns?.onRequest?.({ ...call, operation: 'Publish' })).toBe('drop');
  expect(engine.s3?.onRequest?.({ ...call, operation: 'PutObject' })).toBe('kill');
  expect(engine.streamDelivery?.(place)?.forgetsCheckpoint?.([recordOf('order-1')])).toBe(true);
  const event = { id: '1', source: 'orders', 'detail-type': 'Placed', detail: { orderId: 'order-1' } };
  expect(engine.eventDelivery?.(place)?.deliversTwice?.(event)).toBe(true);
  expect(told()).toMatchObject([
    { kind: 'failed', line: 'sends Publish to SNS, which DOES NOT GET IT', intents: ['order-1'] },
    { kind: 'killed', moment: 'as it sent PutObject to S3, which did not get it', intents: ['order-1'] },
    { kind: 'place-forgotten', construct: 'Mails/Send', intents: ['order-1'] },
    { kind: 'event-twice', construct: 'Mails/Send', intents: ['order-1'] },
  ]);
});

function recordOf(id: string): StreamRecord {
  return { eventID: '1', eventName: 'INSERT', dynamodb: { SequenceNumber: '1', Keys: { id: { S: id } } } };
}
