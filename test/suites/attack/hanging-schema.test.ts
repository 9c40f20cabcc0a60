import { expect, test } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Order {
  readonly id: string;
}

/** A schema that looks something up, and never gets a response for one of the orders. */
const looksUp = {
  '~standard': {
    validate: (value: unknown) =>
      (value as Order).id === 'hangs' ? new Promise<never>(() => {}) : { value: value as Order },
  },
};

/** Delivers an order that hangs in its schema together with a healthy one. */
async function deliver() {
  const host = virtualHost();
  const ran: string[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: memoryStore(),
      schema: looksUp,
      key: bodyField('id'),
      onAbandoned: 'park',
      aws: noQueue,
      onEvent: () => {},
      host,
    },
    ({ body }) => ran.push(body.id),
  );
  handler(sqsEvent(sqsRecord({ id: 'hangs' }), sqsRecord({ id: 'healthy' })), context(30_000, host.now)).catch(
    () => {},
  );
  await host.advance(29_999);
  return ran;
}

test('a schema that never settles for one message does not keep the others of its batch from running', async () => {
  expect(await deliver()).toEqual(['healthy']);
});
