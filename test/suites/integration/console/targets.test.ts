import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startConsole } from '../../../../lib/cli/console/server.ts';
import { type DeadLettersSeen, operator } from '../../../../lib/pawl/operate/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { openPage } from '../../../support/console-client.ts';
import { makeWorld } from '../../../support/ended/world.ts';

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

/** A console over one dead letter. SQS of this machine has no ListDeadLetterSourceQueues: nor may every operator call it. */
async function opened(sources?: readonly string[]) {
  const world = await makeWorld(inject('dynamoEndpoint'), sqs);
  await world.letter('order-1', { status: 'released' });
  const other = await sqs.createQueue(`${new URL(world.queue.url).pathname.split('/').at(-1)}-other`);
  const real = operator({ store: world.store, aws: sdk({ sqs: sqs.client }), onEvent: () => undefined });
  const operate = sources === undefined ? real : { ...real, sourcesOf: async () => sources };
  const { url: queueUrl } = world.dead;
  const served = await startConsole({
    desks: new Map([['claims', { operate }]]),
    title: 'claims',
    write: true,
    user: 'maria',
    queues: [{ url: queueUrl, name: 'dead', to: undefined }],
  });
  const { post } = await openPage(served);
  const { letters } = JSON.parse((await post('/api/dead-letters', { queueUrl })).text);
  const wanted = { kind: 'redrive', queueUrl, messageIds: [letters[0].messageId] };
  return {
    world,
    other,
    targets: async () => JSON.parse((await post('/api/dead-letters/targets', { queueUrl })).text),
    plan: (more: object) => post('/api/plan', { ...wanted, ...more }),
    look: (finder: object) => post('/api/dead-letters', { queueUrl, ...finder }),
    act: (planId: string) => post('/api/act', { planId, by: 'maria', note: 'n' }),
    async stop() {
      await served.stop();
      world.stop();
    },
  };
}

it('says why it does not know where messages go, and redrives to the queue that the operator names', async () => {
  const { world, targets, plan, act, stop } = await opened();
  expect(await targets()).toMatchObject({ sources: [], error: expect.stringContaining('ListDeadLetterSourceQueues') });
  expect(await plan({})).toMatchObject({ status: 502 });
  const shown = JSON.parse((await plan({ to: world.queue.url })).text);
  expect(shown).toMatchObject({ count: 1, to: world.queue.url, isSource: true });
  await act(shown.planId);
  expect([await world.queuedBodies(), await world.deadBodies()]).toEqual([['order-1'], []]);
  await stop();
});

it('offers the queues that share a dead-letter queue, and warns of one that does not feed it', async () => {
  const shared = ['https://sqs/1/a', 'https://sqs/1/b'];
  const { other, targets, plan, stop } = await opened(shared);
  expect(await targets()).toEqual({ sources: shared });
  expect(JSON.parse((await plan({ to: other.url })).text)).toMatchObject({ count: 1, isSource: false });
  await stop();
});

it('finds the claims of messages that SQS has moved, by the operation and the key of their consumer', async () => {
  const { world, look, stop } = await opened();
  const moved = { QueueUrl: world.dead.url, MessageBody: JSON.stringify({ orderId: 'order-1' }) };
  await sqs.client.send(new SendMessageCommand(moved));
  const claims = async (finder: object) => {
    const { letters }: DeadLettersSeen = JSON.parse((await look(finder)).text);
    return letters.map(({ claimId = 'not known', claim }) => `${claimId} ${claim?.status ?? ''}`).toSorted();
  };
  const known = 'send-email#order-1 released';
  expect(await claims({})).toEqual(['not known ', known]);
  expect(await claims({ operation: 'send-email', key: 'body:orderId' })).toEqual([known, known]);
  expect(await look({ operation: 'send-email', key: 'orderId' })).toMatchObject({
    status: 400,
    text: 'key: expected body:<path>, attribute:<name> or message-id.',
  });
  await stop();
});
