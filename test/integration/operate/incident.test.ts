import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type OperateEvent, operator } from '../../../lib/operate/index.ts';
import { dynamoStore } from '../../../lib/stores/dynamodb/index.ts';
import { collect } from '../../support/collect.ts';
import { mailing, startIncident } from '../../support/incident.ts';
import { loseAnswersOf } from '../../support/lost-answers.ts';
import { envOf, runPawl } from '../../support/pawl-command.ts';
import { record } from '../../support/records.ts';
import { localClient } from '../../support/tables.ts';

/** 40 mails are parked and 10 orders are rejected, after workers were killed. The first 30 mails have reached their readers. */
let incident: Awaited<ReturnType<typeof startIncident>>;
beforeEach(async () => {
  incident = await startIncident({ dynamoEndpoint: inject('dynamoEndpoint') });
});
afterEach(() => incident.stop());

const isIn = (outbox: readonly string[]) => (key: string | undefined) => key !== undefined && outbox.includes(key);

/** What has to be true in the end, however it was done. */
async function expectSettled(outbox: readonly string[]): Promise<void> {
  await incident.deliverMails();
  const { sent, mailKeys, store, sqs } = incident;
  expect([...sent].sort()).toEqual(mailKeys.filter((key) => !outbox.includes(key)).sort());
  for (const key of mailKeys) {
    expect(await store.read(`${mailing}#${key}`)).toMatchObject({ status: 'completed', resolution: { by: 'maria' } });
  }
  expect(await sqs.depth('mails-dlq')).toEqual({ ready: 0, delayed: 0, inFlight: 0 });
  expect(await sqs.depth('orders-dlq')).toEqual({ ready: 10, delayed: 0, inFlight: 0 });
}

it('a resolution is stored once, although DynamoDB loses the answer of every first write', async () => {
  const { tableName, mailKeys } = incident;
  const client = localClient(inject('dynamoEndpoint'));
  const lost = loseAnswersOf(client);
  const store = dynamoStore({ tableName, client });
  const events: OperateEvent[] = [];
  const operate = operator({ store, onEvent: (event) => events.push(event) });
  const died = record({ id: `${mailing}#died`, leaseUntil: Date.now() - 60_000 });
  await incident.store.write({ next: died, seen: undefined });
  const claims = [{ id: died.id }, ...mailKeys.slice(0, 5).map((key) => ({ operation: mailing, key }))];
  const plan = await operate.planResolutions({ claims, verdict: 'applied', by: 'maria', note: 'seen' });
  const results = await collect(operate.resolveAll(plan));
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(6).fill('resolved'));
  expect(lost()).toBeGreaterThan(0);
  expect(events.filter(({ type }) => type === 'resolved')).toHaveLength(6);
  // Granted, parked, resolved: no write came twice.
  expect(await incident.store.read(died.id)).toMatchObject({ status: 'completed', rev: 3 });
  client.destroy();
});

describe('an incident of 40 parked mails and 10 rejected orders', () => {
  it('is seen and settled with a script', async () => {
    const { store, client, mails, orders, mailKeys } = incident;
    const outbox = mailKeys.slice(0, 30);
    const operate = operator({ store, sqsClient: client, onEvent: () => undefined });

    const open = (await collect(operate.openClaims({ operation: mailing }))).flatMap(({ claims }) => claims);
    expect(open).toHaveLength(40);
    expect(open.every(({ state, reason }) => state === 'parked' && reason === 'abandoned')).toBe(true);
    expect((await operate.deadLetters({ queueUrl: orders.deadLetters.url })).letters).toHaveLength(10);

    // Nothing may go back before it is decided.
    const before = await operate.deadLetters({ queueUrl: mails.deadLetters.url });
    const where = { from: mails.deadLetters.url, to: mails.queue.url, by: 'maria', note: 'after the incident' };
    expect(await operate.planRedrive({ ...where, letters: before.letters })).toMatchObject({ count: 0 });

    const arrived = isIn(outbox);
    for (const [verdict, claims] of [
      ['applied', open.filter(({ key }) => arrived(key))],
      ['not-applied', open.filter(({ key }) => !arrived(key))],
    ] as const) {
      const plan = await operate.planResolutions({ claims, verdict, by: 'maria', note: 'asked the mail service' });
      expect(plan.count).toBe(claims.length);
      for await (const { outcome } of operate.resolveAll(plan)) expect(outcome).toBe('resolved');
    }

    const { letters } = await operate.deadLetters({ queueUrl: mails.deadLetters.url });
    const plan = await operate.planRedrive({ ...where, letters });
    const ofEach = Object.groupBy(plan.items, ({ will }) => will);
    expect([ofEach.acknowledge?.length, ofEach.run?.length, ofEach.stay]).toEqual([30, 10, undefined]);
    for await (const { outcome } of operate.redrive(plan)) expect(outcome).toBe('redriven');

    const rejected = await operate.deadLetters({ queueUrl: orders.deadLetters.url });
    const ofOrders = { from: orders.deadLetters.url, to: orders.queue.url, letters: rejected.letters };
    const refused = await operate.planRedrive({ ...ofOrders, by: 'maria', note: '' });
    expect(refused.items.map((item) => item.will === 'stay' && item.whyNot)).toEqual(Array(10).fill('rejected'));
    await expectSettled(outbox);
  });

  it('is seen and settled with the command line alone', async () => {
    const { tableName, mails, orders, mailKeys } = incident;
    const env = envOf(incident, inject('dynamoEndpoint'));
    const table = ['--table', tableName];
    const outbox = mailKeys.slice(0, 30);
    const acted = ['--by', 'maria', '--note', 'asked the mail service'];
    const [dead, queue] = [mails.deadLetters.url, mails.queue.url];
    const pawl = (...args: readonly string[]) => runPawl([...args, ...table], env);

    const open = await pawl('claims', '--json', '--operation', mailing, '--status', 'parked');
    expect([open.code, open.lines().length]).toEqual([1, 41]);

    const ids = outbox.map((key) => `${mailing}#${key}`);
    const applied = await pawl('resolve', ...ids, 'applied', '--yes', '--json', ...acted);
    expect([applied.code, applied.lines().at(-1)]).toEqual([0, { kind: 'summary', resolved: 30, refused: 0 }]);
    const rest = await pawl('resolve', 'not-applied', '--operation', mailing, '--yes', ...acted);
    expect([rest.code, rest.out]).toEqual([0, expect.stringContaining('10 claims resolved as not-applied, 0 not.')]);

    const redriven = await pawl('redrive', '--queue', dead, '--to', queue, '--by', 'maria', '--yes');
    expect([redriven.code, redriven.out]).toEqual([0, expect.stringContaining('40 messages redriven, 0 not.')]);
    const refused = await pawl(
      'redrive',
      '--queue',
      orders.deadLetters.url,
      '--to',
      orders.queue.url,
      '--yes',
      '--json',
    );
    expect([refused.code, refused.lines().at(-1)]).toEqual([1, { kind: 'summary', planned: 0, stay: 10 }]);
    await expectSettled(outbox);
  });
});
