import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type OperateEvent, operator } from '../../../../lib/pawl/operate/index.ts';
import type { ClaimRecord } from '../../../../lib/pawl/rules/record.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { collect } from '../../../support/collect.ts';
import { makeWorld, operation, type World } from '../../../support/ended/world.ts';

/* Dead letters that can never run, and who deleted them. */

let sqs: SqsLocal;
let world: World;
const events: OperateEvent[] = [];
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());
beforeEach(async () => {
  events.length = 0;
  world = await makeWorld(inject('dynamoEndpoint'), sqs);
});

const acted = { by: 'maria', note: 'an order of the test shop' };
const operate = () =>
  operator({ store: world.store, aws: sdk({ sqs: sqs.client }), onEvent: (event) => events.push(event) });
const letters = async () => (await operate().deadLetters({ queueUrl: world.dead.url })).letters;
async function planned(evenInDoubt = false) {
  return operate().planDiscard({ from: world.dead.url, letters: await letters(), evenInDoubt, ...acted });
}

const now = () => Date.now();

describe('a letter that is discarded', () => {
  it.each([
    ['rejected', { status: 'rejected' }],
    ['completed', { status: 'completed' }],
    ['released, with nothing in doubt', { status: 'released' }],
  ] as const satisfies readonly (readonly [string, Partial<ClaimRecord>])[])(
    'is gone, and its claim says who deleted it and why, and is what it was: %s',
    async (_, claim) => {
      await world.letter('order-1', claim);
      const plan = await planned();
      expect(plan).toMatchObject({ count: 1, items: [{ will: 'discard', claim: claim.status, inDoubt: false }] });
      const [result] = await collect(operate().discard(plan));
      expect(result).toMatchObject({ outcome: 'discarded', recorded: true, claimId: world.id('order-1') });
      const record = await world.store.read(world.id('order-1'));
      expect(record).toMatchObject({ status: claim.status, discarded: { messageId: result?.messageId, ...acted } });
      expect(await operate().readClaim({ operation, key: 'order-1' })).toMatchObject({ discarded: acted });
      expect([await world.deadBodies(), await world.hidden()]).toEqual([[], 0]);
      expect(events).toMatchObject([
        { type: 'discarded', id: record?.id, claim: claim.status, recorded: true, ...acted },
      ]);
    },
  );

  it('is gone without a word of doubt where a worker abandoned it whose effect is one transaction with its completion', async () => {
    await world.letter('order-1', { status: 'in-flight', fence: 2, atomic: 2, leaseUntil: now() - 60_000 });
    expect(await planned()).toMatchObject({ count: 1, items: [{ will: 'discard', inDoubt: false }] });
  });

  it('leaves an event alone where it has no claim: it never ran', async () => {
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    await sqs.client.send(
      new SendMessageCommand({
        QueueUrl: world.dead.url,
        MessageBody: '{',
        MessageAttributes: { 'pawl-reason': text('invalid-message') },
      }),
    );
    const plan = await planned();
    expect(plan.items).toMatchObject([{ will: 'discard', claim: 'none' }]);
    expect(await collect(operate().discard(plan))).toMatchObject([{ outcome: 'discarded', recorded: false }]);
    expect(events).toMatchObject([{ type: 'discarded', reason: 'invalid-message', recorded: false, ...acted }]);
    expect(await world.deadBodies()).toEqual([]);
  });
});

describe('a letter whose effect may have happened', () => {
  it.each([
    ['parked', { status: 'parked' }],
    ['released in doubt', { status: 'released', unknownAt: now() - 60_000 }],
    [
      'released with a step in doubt',
      { status: 'released', checkpoints: JSON.stringify([{ name: 'charge', state: 'started', at: now() - 60_000 }]) },
    ],
    ['of a worker that died', { status: 'in-flight' }],
  ] as const satisfies readonly (readonly [string, Partial<ClaimRecord>])[])(
    'stays, unless that is said; then its claim stays open: %s',
    async (_, claim) => {
      await world.letter('order-1', claim);
      expect((await planned()).items).toMatchObject([{ will: 'stay', whyNot: 'in-doubt' }]);
      const plan = await planned(true);
      expect(plan.items).toMatchObject([{ will: 'discard', inDoubt: true }]);
      expect(await collect(operate().discard(plan))).toMatchObject([{ outcome: 'discarded', recorded: true }]);
      expect(await operate().readClaim({ operation, key: 'order-1' })).toMatchObject({ status: claim.status });
      expect((await operate().resolve({ operation, key: 'order-1' }, 'applied', acted)).outcome).toBe('resolved');
      expect(await operate().readClaim({ operation, key: 'order-1' })).toMatchObject({ discarded: acted });
      expect(events[0]).toMatchObject({ type: 'discarded', inDoubt: true });
    },
  );

  it('stays, where SQS moved it and its claim is not known', async () => {
    await sqs.client.send(new SendMessageCommand({ QueueUrl: world.dead.url, MessageBody: '{}' }));
    expect((await planned()).items).toMatchObject([{ will: 'stay', whyNot: 'claim-not-known' }]);
  });
});

/** A letter whose claim the table does not have. */
async function letterOfAnother(reason: string): Promise<void> {
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  const MessageAttributes = { 'pawl-reason': text(reason), 'pawl-claim': text(world.id('elsewhere')) };
  await sqs.client.send(
    new SendMessageCommand({ QueueUrl: world.dead.url, MessageBody: 'elsewhere', MessageAttributes }),
  );
}

describe('a letter whose claim is not in the table: the table is another one, or has forgotten it', () => {
  it.each(['parked', 'receives-used-up'])('stays, where pawl has parked it: %s', async (reason) => {
    await letterOfAnother(reason);
    expect((await planned()).items).toMatchObject([{ will: 'stay', whyNot: 'claim-not-known' }]);
    const redrive = { from: world.dead.url, to: world.queue.url, letters: await letters(), ...acted };
    expect((await operate().planRedrive(redrive)).items).toMatchObject([{ will: 'consumer-decides' }]);
    expect((await planned(true)).items).toMatchObject([{ will: 'discard', claim: 'none', inDoubt: true }]);
  });

  it('is gone, where nothing was applied: a claim that was rejected expires', async () => {
    await letterOfAnother('rejected');
    expect(await collect(operate().discard(await planned()))).toMatchObject([
      { outcome: 'discarded', recorded: false },
    ]);
  });
});

describe('a letter whose key was reused', () => {
  it('stays while the claim under the key is in doubt: it may be its own, if the rule of its fingerprint has changed between two receives', async () => {
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    for (const [key, claim] of [
      ['died', { status: 'in-flight' }],
      ['done', { status: 'completed' }],
    ] as const) {
      await world.claim(key, claim);
      const MessageAttributes = { 'pawl-reason': text('key-reused'), 'pawl-claim': text(world.id(key)) };
      await sqs.client.send(new SendMessageCommand({ QueueUrl: world.dead.url, MessageBody: key, MessageAttributes }));
    }
    const { items } = await planned();
    expect(items.find(({ claimId }) => claimId === world.id('died'))).toMatchObject({
      will: 'stay',
      whyNot: 'in-doubt',
    });
    expect(items.find(({ claimId }) => claimId === world.id('done'))).toMatchObject({ will: 'discard', claim: 'none' });
    expect(await collect(operate().discard(await planned(true)))).toMatchObject([
      { recorded: false },
      { recorded: false },
    ]);
  });
});

describe('a letter of a key that was observed as well', () => {
  const seen = { deliveries: 1, done: 0, failed: 0, other: 0, again: {} };
  const run = { run: 'a', at: now() - 60_000, until: now() - 50_000 };
  const observedTo = (observed: object) => ({ observed: JSON.stringify({ ...seen, ...observed }) });

  it('stays where an observed run may have had the effect, beside a claim that had not', async () => {
    const failed = observedTo({ failed: 1, runs: [{ ...run, end: 'failed' }] });
    await world.letter('order-1', { status: 'released', ...failed });
    expect((await planned()).items).toMatchObject([{ will: 'stay', whyNot: 'in-doubt' }]);
  });

  it('stays where its key stands for several payloads: nobody knows which of them was done', async () => {
    const two = observedTo({ done: 1, other: 1, runs: [{ ...run, end: 'done' }] });
    await world.letter('order-1', { status: 'completed', claimId: '#observed', ...two });
    expect((await planned()).items).toMatchObject([{ will: 'stay', whyNot: 'in-doubt' }]);
  });

  it('is not promised to be acknowledged where a run was observed beside its claim: its consumer may still observe', async () => {
    await world.letter('order-1', { status: 'completed', ...observedTo({ done: 1, runs: [{ ...run, end: 'done' }] }) });
    await world.letter('order-2', { status: 'completed' });
    const redrive = { from: world.dead.url, to: world.queue.url, letters: await letters(), ...acted };
    const { items } = await operate().planRedrive(redrive);
    expect(Object.fromEntries(items.map(({ claimId, will }) => [claimId, will]))).toEqual({
      [world.id('order-1')]: 'consumer-decides',
      [world.id('order-2')]: 'acknowledge',
    });
  });
});

describe('a worker that holds the claim', () => {
  it('keeps its letter, also against a discard in doubt', async () => {
    await world.letter('order-1', { status: 'in-flight', leaseUntil: now() + 600_000 });
    expect((await planned(true)).items).toMatchObject([{ will: 'stay', whyNot: 'in-flight' }]);
  });

  it('keeps its letter where a later version wrote it, also against a discard in doubt, and if it was written since the plan', async () => {
    await world.letter('order-1', { status: 'rejected' });
    const early = await planned(true);
    const Item = { id: { S: world.id('order-1') }, v: { N: '3' }, status: { S: 'paused' } };
    await world.dynamo.send(new PutItemCommand({ TableName: world.tableName, Item }));
    expect(await planned(true)).toMatchObject({ count: 0, items: [{ will: 'stay', whyNot: 'foreign' }] });
    expect(await collect(operate().discard(early))).toMatchObject([{ outcome: 'stays', whyNot: 'foreign' }]);
    expect(await world.deadBodies()).toEqual(['order-1']);
  });

  it('keeps its letter if it began between the plan and the act', async () => {
    await world.letter('order-1', { status: 'released' });
    const plan = await planned();
    const seen = await world.store.read(world.id('order-1'));
    if (seen === undefined) throw new Error('there is no claim');
    const grant = { ...seen, status: 'in-flight', claimId: 'other', leaseUntil: now() + 600_000 } as const;
    await world.store.write({ next: { ...grant, fence: seen.fence + 1, rev: seen.rev + 1 }, seen });
    expect(await collect(operate().discard(plan))).toMatchObject([{ outcome: 'stays', whyNot: 'in-flight' }]);
    expect([await world.deadBodies(), await world.hidden(), events]).toEqual([['order-1'], 0, []]);
  });

  it('keeps its letter if it begins between the read and the write of the discard', async () => {
    await world.letter('order-1', { status: 'released' });
    const plan = await planned();
    const { store } = world;
    const { read } = store;
    let isFirst = true;
    const racing = {
      ...store,
      async read(id: string) {
        const seen = await read(id);
        if (seen === undefined || !isFirst) return seen;
        isFirst = false;
        const grant = { ...seen, status: 'in-flight', claimId: 'other', leaseUntil: now() + 600_000 } as const;
        await store.write({ next: { ...grant, fence: seen.fence + 1, rev: seen.rev + 1 }, seen });
        return seen;
      },
    };
    const desk = operator({ store: racing, aws: sdk({ sqs: sqs.client }), onEvent: () => undefined });
    expect(await collect(desk.discard(plan))).toMatchObject([{ outcome: 'stays', whyNot: 'in-flight' }]);
    expect((await read(world.id('order-1')))?.discarded).toBeUndefined();
    expect(await world.deadBodies()).toEqual(['order-1']);
  });
});

it('a discard that was killed before it deleted the letter is done by the next one, and recorded once', async () => {
  await world.letter('order-1', { status: 'rejected' });
  const [letter] = await letters();
  const seen = await world.store.read(world.id('order-1'));
  if (seen === undefined || letter === undefined) throw new Error('there is no claim');
  const discarded = { messageId: letter.messageId, by: 'anna', note: 'killed', at: new Date().toISOString() };
  await world.store.write({ next: { ...seen, discarded, rev: seen.rev + 1 }, seen });
  expect(await collect(operate().discard(await planned()))).toMatchObject([{ outcome: 'discarded', recorded: true }]);
  expect((await world.store.read(world.id('order-1')))?.discarded).toEqual(discarded);
  expect(await world.deadBodies()).toEqual([]);
});
