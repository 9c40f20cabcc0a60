import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type OperateEvent, operator } from '../../../../lib/pawl/operate/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { collect } from '../../../support/collect.ts';
import { runCommand } from '../../../support/in-process.ts';
import { mailing, startIncident } from '../../../support/incident.ts';
import { loseAnswersOf } from '../../../support/lost-answers.ts';
import { envOf } from '../../../support/pawl-command.ts';
import { record } from '../../../support/records.ts';
import { localClient } from '../../../support/tables.ts';
import { expectSettled, settleByCommands } from './settle.ts';

/** 40 mails are parked and 10 orders are rejected, after workers were killed. The first 30 mails have reached their readers. */
let incident: Awaited<ReturnType<typeof startIncident>>;
beforeEach(async () => {
  incident = await startIncident({ dynamoEndpoint: inject('dynamoEndpoint') });
});
afterEach(() => incident.stop());

const isIn = (outbox: readonly string[]) => (key: string | undefined) => key !== undefined && outbox.includes(key);

it('a resolution is stored once, although DynamoDB loses the answer of every first write', async () => {
  const { tableName, mailKeys } = incident;
  const client = localClient(inject('dynamoEndpoint'));
  const lost = loseAnswersOf(client);
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
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
    const operate = operator({ store, aws: sdk({ sqs: client }), onEvent: () => undefined });

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
    await expectSettled(incident, outbox);
  });

  it('is seen and settled with the commands alone', async () => {
    const outbox = incident.mailKeys.slice(0, 30);
    for (const [name, value] of Object.entries(envOf(incident, inject('dynamoEndpoint')))) vi.stubEnv(name, value);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await settleByCommands(incident, outbox, runCommand);
    await expectSettled(incident, outbox);
  });
});
