import { expect, inject, it } from 'vitest';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { readBody, startHttpServer } from '../../../lib/rehearsal/engine/http.ts';
import { eventually } from '../../support/eventually.ts';
import { startFunctions } from '../../support/functions.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

it('a message in a batch of ten that kills its worker every time: the other nine are done before it is tried a third time', async () => {
  const dynamoEndpoint = inject('dynamoEndpoint');
  const client = localClient(dynamoEndpoint);
  const tableName = await claimsTable(client);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => client.destroy());

  const done = new Set<string>();
  /** What was done by the time the poison was started for the nth time. */
  const doneAtStart: string[][] = [];
  const effects = await startHttpServer(async (request, response) => {
    const effectKey = String(await readBody(request));
    if (effectKey === 'resize-image#poison') doneAtStart.push([...done]);
    // The policy is 'retry', so the provider has to honour the effect key: of what was in flight at the first kill, some
    // may have been applied, and is asked for again.
    else done.add(effectKey.slice('resize-image#'.length));
    response.end();
  });
  stack.defer(() => effects.stop());
  const functions = stack.use(await startFunctions({ fixture: 'poison.ts', dynamoEndpoint }));
  const consumer = await functions.startConsumer({
    name: 'images',
    environment: { CLAIMS_TABLE: tableName, EFFECTS_URL: effects.endpoint },
    timeoutMs: 3_000,
    visibilitySeconds: 5,
    batchSize: 10,
    sandboxes: 1,
  });
  const others = Array.from({ length: 9 }, (_, n) => `image-${n}`);
  // In the middle, and sent at once, so that all ten are in flight together when it kills for the first time.
  const all = [...others.slice(0, 4), 'poison', ...others.slice(4)];
  await Promise.all(all.map((orderId) => functions.send(consumer, { orderId })));

  const claims = resolverOf({
    operation: 'resize-image',
    store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  });
  await eventually('the poison is parked, and the queue is empty', async () => {
    expect(await claims.read('poison')).toMatchObject({ status: 'parked', error: { name: 'abandoned-too-often' } });
    expect(await functions.sqs.depth('images')).toEqual({ ready: 0, delayed: 0, inFlight: 0 });
  });
  expect(doneAtStart).toHaveLength(3);
  expect(doneAtStart[2]?.toSorted()).toEqual(others);
  expect([...done].toSorted()).toEqual(others);
  expect(await functions.sqs.depth('images-dead')).toMatchObject({ ready: 1 });
});
