import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { grantClaims, grantLocks } from '../../../lib/cdk/index.ts';
import type { ClaimRights } from '../../../lib/pawl/deployment/claim-rights.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type ClaimStore, InDoubtError, once } from '../../../lib/pawl/index.ts';
import { claimHeld, dynamoLockStore, forEachItem, readProgress, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { bodyField, eachMessage, requestKey, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import {
  dynamoStore,
  individualDynamoStore,
  markRestored,
  restoredTable,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import { commit, eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { grantedBy, judgedClient } from '../../support/judged.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * Roles for one operation each, in a table that teams share. What pawl sends is judged by the evaluator of `doctor` and the constructs, by the policy in the
 * template, and is refused as AWS would refuse it: pawl works with its own right, and does nothing with that of another team.
 */

const endpoint = inject('dynamoEndpoint');
const admin = localClient(endpoint);
let tableName: string;
let queues: Awaited<ReturnType<typeof startQueues>>;
beforeAll(async () => {
  tableName = await claimsTable(admin);
  await markRestored({ tableName, aws: sdk({ dynamodb: admin }), cutOff: new Date(1000), by: 'ada', note: '' });
  queues = await startQueues();
});
afterAll(async () => {
  await queues.stop();
  admin.destroy();
});

/** The role of one team. Its names have signs that mean something in IAM's patterns. */
const own: ClaimRights = { operations: ['pay*$?'], sends: ['send-email'] };
const other: ClaimRights = { operations: ['pay*', 'send-email'], sends: ['pay*$?'] };
const [operation = ''] = own.operations ?? [];

const claimsRole = (rights: ClaimRights) => grantedBy((table, role) => grantClaims(table, role, rights));
const locksRole = (rights: ClaimRights) =>
  grantedBy((table, role) => {
    grantClaims(table, role, rights);
    grantLocks(table, role, rights);
  });

/** What a feature did. */
interface Used {
  readonly client: DynamoDBClient;
  /** Call it where the effect happens. */
  readonly effect: () => void;
}

const deliver = async (
  handler: (event: ReturnType<typeof sqsEvent>, invocation: ReturnType<typeof context>) => Promise<unknown>,
) => {
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const receiveCount of [1, 2]) {
    await handler(sqsEvent(...ids.map((orderId) => sqsRecord({ orderId }, { receiveCount }))), context());
  }
};

const consumer = (store: ClaimStore, { effect }: Used) =>
  eachMessage(
    {
      operation,
      store,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: () => undefined,
    },
    async () => effect(),
  );

const claims: Readonly<Record<string, (used: Used) => Promise<unknown>>> = {
  'a batch, and its duplicates': (used) =>
    deliver(consumer(dynamoStore({ tableName, aws: sdk({ dynamodb: used.client }) }), used)),
  'messages one by one, without PartiQL': (used) =>
    deliver(consumer(individualDynamoStore({ tableName, aws: sdk({ dynamodb: used.client }) }), used)),
  'a restored table': (used) =>
    deliver(consumer(dynamoStore({ tableName, aws: sdk({ dynamodb: used.client }), restored: restoredTable }), used)),
  'attempts in doubt, and the decision to park': async ({ client, effect }) => {
    const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
    let now = Date.now();
    const host = { ...nodeHost, now: () => now };
    const options = { operation, store, host, key: (id: string) => id, onAbandoned: 'retry' } as const;
    const id = randomUUID();
    const doubtful = once(options, async () => {
      effect();
      throw new InDoubtError('no answer');
    });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await doubtful.outcome(id).catch(() => undefined);
      now += 3_600_000;
    }
  },
  'a producer': async ({ client, effect }) => {
    const send = sendOnce({
      operation: 'send-email',
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
      queueUrl: queues.orders.url,
      aws: sdk({ sqs: queues.functionClient }),
    });
    const intent = randomUUID();
    for (let time = 0; time < 2; time += 1) {
      const sent = await send({ key: requestKey(), intent, body: {} });
      if (sent.outcome === 'sent') effect();
    }
  },
  'writes that are committed with the completion': async ({ client, effect }) => {
    const store = transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
    const options = {
      operation,
      store,
      key: bodyField('orderId'),
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: () => undefined,
    };
    await deliver(eachTransaction(options, () => []));
    await deliver(
      eachMessage({ ...options, onAbandoned: 'park' }, async (_, claim) => {
        effect();
        await commit(claim, []);
      }),
    );
  },
};

const locks: Readonly<Record<string, (used: Used) => Promise<unknown>>> = {
  'locks, and work larger than a transaction under a claim': async ({ client, effect }) => {
    const claim = { operation, key: randomUUID(), fence: 1 };
    const store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
    const rules = { holder: claim.key, unlock: { onSuccess: 'unlock', onFailure: 'keep' } } as const;
    const pay = once(
      {
        operation,
        store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
        key: (id: string) => id,
        onAbandoned: 'park',
      },
      async (id) => {
        await resourceLocks({ store }).withLock([randomUUID(), randomUUID()], rules, async (lock) => {
          const work = { store, id, work: 'repay' };
          await forEachItem([1, 2, 3], { ...work, fence: claimHeld({ ...claim, fence: 1 }, tableName) }, () => []);
          await forEachItem([1, 2], { ...work, work: 'more', fence: store.stillHeld(lock) }, () => []);
          await readProgress(work);
          effect();
        });
      },
    );
    await pay(claim.key);
  },
};

async function used(statements: ReturnType<typeof claimsRole>, feature: (used: Used) => Promise<unknown>) {
  const { client, asked } = judgedClient(endpoint, statements);
  let effects = 0;
  const effect = () => {
    effects += 1;
  };
  const ended = await feature({ client, effect }).then(
    () => 'ended',
    (error: unknown) => String(error),
  );
  client.destroy();
  const refused = asked.filter(({ decision }) => decision !== 'allowed');
  return { ended, effects, asked, refused };
}

describe('with the right of its own operation', () => {
  test.each([
    ...Object.entries(claims).map(([name, feature]) => [name, claimsRole(own), feature] as const),
    ...Object.entries(locks).map(([name, feature]) => [name, locksRole(own), feature] as const),
  ])('%s: all is allowed', async (_, statements, feature) => {
    const { ended, effects, asked, refused } = await used(statements, feature);
    expect(ended).toBe('ended');
    expect(effects).toBeGreaterThan(0);
    expect(asked.length).toBeGreaterThan(0);
    expect(refused).toEqual([]);
  });
});

describe('with the right of another team', () => {
  /** What every role in the table may do. */
  const EXCEPTIONS: readonly string[] = ['dynamodb:GetItem #restored', 'dynamodb:DescribeTable '];
  const LOCK_EXCEPTIONS = ['#lock#', '#resource#', '#work#'];

  test.each(Object.entries(claims))(
    '%s: nothing happens, and all but what is listed is refused',
    async (_, feature) => {
      const { effects, asked, refused } = await used(claimsRole(other), feature);
      expect(effects).toBe(0);
      expect(refused.length).toBeGreaterThan(0);
      expect(new Set(refused.map(({ decision }) => decision))).toEqual(new Set(['other keys']));
      const allowed = asked.filter(({ decision }) => decision === 'allowed');
      const reached = allowed.map(({ action, leadingKeys }) => `${action} ${leadingKeys.join(' ')}`);
      expect(reached.filter((one) => !EXCEPTIONS.includes(one))).toEqual([]);
    },
  );

  test('the mark of a restored table is read with every right, and is written with none', async () => {
    const { asked } = await used(claimsRole(other), claims['a restored table'] ?? (() => Promise.reject()));
    const allowed = asked.filter(({ decision }) => decision === 'allowed');
    expect(new Set(allowed.map(({ action, leadingKeys }) => `${action} ${leadingKeys.join(' ')}`))).toEqual(
      new Set(EXCEPTIONS),
    );
    const { client } = judgedClient(endpoint, claimsRole(other));
    const unmarked = { tableName: await claimsTable(admin), aws: sdk({ dynamodb: client }) };
    const marked = markRestored({ ...unmarked, cutOff: new Date(1000), by: 'eve', note: '' });
    await expect(marked).rejects.toThrow('dynamodb:PutItem');
    client.destroy();
  });

  test.each(Object.entries(locks))('%s: it claims nothing', async (_, feature) => {
    const { effects, asked } = await used(locksRole(other), feature);
    expect(effects).toBe(0);
    expect(asked.filter(({ decision }) => decision === 'allowed')).toEqual([]);
  });

  test('locks belong to the whole table: a team that may lock reaches the locks of every other one, and no claim by them', async () => {
    const { client, asked } = judgedClient(endpoint, locksRole(other));
    const store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
    const rules = { holder: 'theirs', unlock: { onSuccess: 'unlock', onFailure: 'keep' } } as const;
    const resource = randomUUID();
    await resourceLocks({ store }).withLock([resource], rules, async () => undefined);
    const work = { store, id: 'theirs', work: 'repay' };
    const fence = claimHeld({ operation, key: 'order-1', fence: 1 }, tableName);
    await expect(forEachItem([1], { ...work, fence }, () => [])).rejects.toThrow('ConditionCheckItem');
    await readProgress(work);
    client.destroy();
    const allowed = asked.filter(({ decision }) => decision === 'allowed').flatMap(({ leadingKeys }) => leadingKeys);
    expect(allowed.filter((key) => !LOCK_EXCEPTIONS.some((kind) => key.startsWith(kind)))).toEqual([]);
    expect(LOCK_EXCEPTIONS.filter((kind) => !allowed.some((key) => key.startsWith(kind)))).toEqual([]);
  });
});
