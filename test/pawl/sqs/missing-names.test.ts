import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/engine/events.ts';
import { onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { failOpen, InvalidMessageError, memoryStore, once, rememberCompleted } from '../../../lib/pawl/index.ts';
import { dynamoLockStore, forEachItem, readProgress, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import {
  bodyField,
  deadLetterQueue,
  decoded,
  eachMessage,
  type InvocationContext,
  type SqsEvent,
  type SqsOptions,
  sendOnce,
} from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eachTransaction, type TransactionalStore, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A client of SQS that keeps what was sent with it. */
function recordingClient() {
  const sent: string[] = [];
  const client = new SQSClient({ region: 'eu-west-1' });
  client.send = async (command: { readonly constructor: { readonly name: string } }) => {
    sent.push(command.constructor.name);
    return {};
  };
  return { client, sent };
}

const missing = [undefined, ''];
const stores: Readonly<Record<string, (tableName: string | undefined) => ClaimStore>> = {
  dynamoStore: (tableName) => dynamoStore({ tableName }),
  individualDynamoStore: (tableName) => individualDynamoStore({ tableName }),
  transactionalStore: (tableName) => transactionalStore(dynamoStore({ tableName })),
  'rememberCompleted(dynamoStore)': (tableName) => rememberCompleted(dynamoStore({ tableName })),
  'failOpen(dynamoStore)': (tableName) => failOpen(dynamoStore({ tableName }), () => undefined),
};

describe('a store without the name of its table', () => {
  for (const [name, make] of Object.entries(stores)) {
    it.each(missing)(
      `${name}: is made, and refuses each read and write with the variable that is missing: %j`,
      async (tableName) => {
        const store = make(tableName);
        await expect(store.read('a#b')).rejects.toThrow(
          /tableName: .*CLAIMS_TABLE.* See node_modules\/pawl\/docs\/errors\.md#missing-environment$/,
        );
        await expect(store.write({ next: { id: 'a#b' } as never, seen: undefined })).rejects.toThrow(/CLAIMS_TABLE/);
      },
    );
  }

  it('refuses to carry writes of the application', async () => {
    const store = transactionalStore(dynamoStore({ tableName: undefined }));
    await expect(store.commit({ next: { id: 'a#b' } as never, seen: undefined }, [])).rejects.toThrow(/CLAIMS_TABLE/);
  });
});

type Handler = (event: SqsEvent, invocation: InvocationContext) => Promise<unknown>;
type Options = Partial<SqsOptions<unknown>> & Pick<SqsOptions<unknown>, 'store'>;

const consumers: Readonly<Record<string, (options: SqsOptions<unknown>, ran: () => void) => Handler>> = {
  eachMessage: (options, ran) => eachMessage(options, ran),
  sqsOnce: (options, ran) => {
    const handler = middy(async () => ran(), { timeoutEarlyInMillis: 0 }).use(sqsOnce(options));
    return (event, invocation) => handler(event, invocation as never);
  },
  eachTransaction: ({ store, onAbandoned: _, ...options }, ran) =>
    eachTransaction({ ...options, store: transactional(store) }, () => {
      ran();
      return [];
    }),
};

/** A store that can commit: whether it does is not what these tests are about. */
function transactional(store: ClaimStore): TransactionalStore {
  return { commit: refuse, ...store };
}

async function refuse(): Promise<never> {
  throw new Error('nothing is committed here');
}

/** A batch of one message that may run and two that never can, in a consumer of which a name is missing. */
async function deliver(door: string, own: Options) {
  const { client, sent } = recordingClient();
  const events: ClaimEvent[] = [];
  let runs = 0;
  const options: SqsOptions<unknown> = {
    operation: 'send-email',
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    aws: sdk({ sqs: client }),
    onEvent: (event) => events.push(event),
    ...own,
  };
  const handler = consumers[door]?.(options, () => {
    runs += 1;
  });
  const batch = [sqsRecord({ orderId: 'a' }), { ...sqsRecord({}), body: 'not JSON' }, sqsRecord({ noKey: true })];
  const response = await handler?.(sqsEvent(...batch), context());
  return {
    failed: failuresOf(response).length,
    runs,
    events,
    dead: sent.filter((name) => name === 'SendMessageCommand'),
  };
}

describe.each(Object.keys(consumers))('%s', (door) => {
  const deadLetters = deadLetterQueue('https://sqs.eu-west-1.amazonaws.com/123456789012/dead');

  it.each(missing)(
    'returns all messages, reports CLAIMS_TABLE, and dead-letters none, without a table: %j',
    async (tableName) => {
      for (const [name, make] of Object.entries(stores)) {
        if (door === 'eachTransaction' && name.startsWith('failOpen')) continue;
        const { failed, runs, events, dead } = await deliver(door, { store: make(tableName), deadLetters });
        expect({ name, failed, runs, dead }).toEqual({ name, failed: 3, runs: 0, dead: [] });
        expect(events.map(({ type }) => type)).toEqual(['store-unavailable', 'store-unavailable', 'store-unavailable']);
        expect(JSON.stringify(events[0])).toContain('CLAIMS_TABLE');
      }
    },
  );

  it.each(missing)('returns all messages, and reports DEAD_LETTER_QUEUE_URL, without that queue: %j', async (url) => {
    const { failed, runs, events } = await deliver(door, { store: memoryStore(), deadLetters: deadLetterQueue(url) });
    expect({ failed, runs }).toEqual({ failed: 3, runs: 0 });
    expect(events.map(({ type }) => type)).toEqual(['queue-call-failed', 'queue-call-failed', 'queue-call-failed']);
    expect(JSON.stringify(events[0])).toContain('DEAD_LETTER_QUEUE_URL');
  });

  it.each(missing)(
    'opens no envelope without a table, and dead-letters none that it could not open: %j',
    async (tableName) => {
      let opened = 0;
      const envelope = decoded(() => {
        opened += 1;
        throw new InvalidMessageError('invalid-message', 'no such encoding');
      });
      const { failed, events, dead } = await deliver(door, {
        store: dynamoStore({ tableName }),
        deadLetters,
        envelope,
      });
      expect({ failed, opened, dead }).toEqual({ failed: 3, opened: 0, dead: [] });
      expect(events.map(({ type }) => type)).toEqual(['store-unavailable', 'store-unavailable', 'store-unavailable']);
    },
  );
});

describe('the other doors, without a table', () => {
  const store = () => dynamoStore({ tableName: undefined });
  let runs = 0;
  const run = () => {
    runs += 1;
    return { statusCode: 200 };
  };

  it('once rejects its first call, and runs nothing', async () => {
    const call = once({ operation: 'pay', store: store(), key: () => 'k', onAbandoned: 'retry' }, run).outcome;
    await expect(call({})).rejects.toThrow(/nothing was run.*CLAIMS_TABLE/);
    await expect(call({})).rejects.toMatchObject({ code: 'missing-environment' });
    expect(runs).toBe(0);
  });

  it('onceOverHttp asks the client to come again, reports CLAIMS_TABLE, and runs nothing', async () => {
    const events: ClaimEvent[] = [];
    const onEvent = (event: ClaimEvent) => events.push(event);
    const api = onceOverHttp(
      { operation: 'pay', store: store(), caller: 'anyone', onAbandoned: 'retry', onEvent },
      run,
    );
    const event = apiGatewayV2({ method: 'POST', path: '/', headers: { 'idempotency-key': '"k"' }, body: '{}' });
    expect(await api(event, context())).toMatchObject({ statusCode: 503 });
    expect(JSON.stringify(events)).toContain('CLAIMS_TABLE');
    expect(runs).toBe(0);
  });

  it('sendOnce rejects its first call at once, without a table as without a queue, and keeps no key', async () => {
    const { client, sent } = recordingClient();
    const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/refunds';
    const message = { key: 'k', body: {} };
    const unnamed = sendOnce({
      operation: 'refund',
      store: store(),
      queueUrl,
      aws: sdk({ sqs: client }),
      host: virtualHost(),
    });
    await expect(unnamed(message)).rejects.toThrow(/CLAIMS_TABLE/);
    const kept = memoryStore();
    const nowhere = sendOnce({ operation: 'refund', store: kept, queueUrl: undefined, aws: sdk({ sqs: client }) });
    await expect(nowhere(message)).rejects.toThrow(/queueUrl/);
    const later = sendOnce({ operation: 'refund', store: kept, queueUrl, aws: sdk({ sqs: client }) });
    expect(await later(message)).toMatchObject({ outcome: 'sent', replayed: false });
    expect(sent).toEqual(['SendMessageCommand']);
  });

  it('locks, parked claims and large work reject their first calls at once', async () => {
    const lockStore = dynamoLockStore(dynamoStore({ tableName: undefined }));
    // Its clock stands still: a second try would wait for ever.
    const locks = resourceLocks({ store: lockStore, host: virtualHost() });
    await expect(locks.lockAll([['debt', 1]], { holder: 'a' })).rejects.toThrow(/CLAIMS_TABLE/);
    await expect(locks.read([['debt', 1]])).rejects.toThrow(/CLAIMS_TABLE/);
    expect(() => lockStore.stillHeld({ id: 'a' })).toThrow(/CLAIMS_TABLE/);
    await expect(resolverOf({ operation: 'pay', store: store() }).read('k')).rejects.toThrow(/CLAIMS_TABLE/);
    const fence = { ConditionCheck: { TableName: 't', Key: {}, ConditionExpression: 'x' } };
    const work = { id: 'a', work: 'repay', store: lockStore };
    await expect(forEachItem([1], { ...work, fence }, () => [])).rejects.toThrow(/CLAIMS_TABLE/);
    await expect(readProgress(work)).rejects.toThrow(/CLAIMS_TABLE/);
  });
});
