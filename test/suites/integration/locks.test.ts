import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import {
  type DynamoLockStore,
  dynamoLockStore,
  fencedBy,
  type Lock,
  type Resource,
  ResourcesBusyError,
  resourceLocks,
  type TransactAction,
  type TryLockAllResult,
  type UnlockRules,
} from '../../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { elsewhere } from '../../support/elsewhere.ts';
import { eventually } from '../../support/eventually.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
const documents = DynamoDBDocumentClient.from(client);
let tableName: string;
let store: DynamoLockStore;
let names = 0;

beforeAll(async () => {
  tableName = await claimsTable(client);
  store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
});
afterAll(() => client.destroy());

const fresh = (): Resource => ['customer', 1, 'debt', ++names];

function granted(answer: TryLockAllResult): Lock {
  if (answer.outcome !== 'locked') throw new Error('held');
  return answer.lock;
}

function repaid(debt: Resource, by: string): TransactAction {
  return {
    Update: {
      TableName: tableName,
      Key: { id: `debt ${debt}` },
      UpdateExpression: 'SET repaidBy = :by',
      ExpressionAttributeValues: { ':by': by },
    },
  };
}

async function repaidBy(debt: Resource): Promise<unknown> {
  const { Item } = await documents.send(new GetCommand({ TableName: tableName, Key: { id: `debt ${debt}` } }));
  return Item?.['repaidBy'];
}

describe('a lock that was taken over', () => {
  let ahead = 0;
  const host: Host = { ...nodeHost, now: () => nodeHost.now() + ahead };
  const locks = () => resourceLocks({ store, host });

  async function takenOver(debts: readonly Resource[], wanted: readonly Resource[]) {
    const stale = granted(await locks().tryLockAll(debts, { holder: 'request-1' }));
    ahead += 61_000;
    return { stale, current: granted(await locks().tryLockAll(wanted, { holder: 'request-2' })) };
  }

  it('has the stale holder’s transactions refused, for every resource, by the lock', async () => {
    const [a, b] = [fresh(), fresh()];
    const { stale, current } = await takenOver([a, b], [a]);
    for (const debt of [a, b]) {
      const late = new TransactWriteCommand({ TransactItems: [store.stillHeld(stale), repaid(debt, 'stale')] });
      await expect(documents.send(late)).rejects.toThrow('ConditionalCheckFailed');
      expect(await repaidBy(debt)).toBeUndefined();
    }
    await documents.send(new TransactWriteCommand({ TransactItems: [store.stillHeld(current), repaid(a, 'current')] }));
    expect(await repaidBy(a)).toBe('current');
  });

  it('has them refused by the resources that were locked again', async () => {
    const [a, b] = [fresh(), fresh()];
    const { stale, current } = await takenOver([a, b], [b]);
    const write = (lock: Lock) =>
      documents.send(
        new TransactWriteCommand({ TransactItems: [...store.stillLocked(lock, [b]), repaid(b, lock.holder)] }),
      );
    await expect(write(stale)).rejects.toThrow('ConditionalCheckFailed');
    await write(current);
    expect(await repaidBy(b)).toBe('request-2');
  });

  it('has the stale holder’s own conditional writes refused by the fence that the new one left', async () => {
    const debt = fresh();
    const { stale, current } = await takenOver([debt], [debt]);
    const write = (lock: Lock) => {
      const { condition, set, names, values } = fencedBy(lock.fence(debt));
      return documents.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { id: `debt ${debt}` },
          UpdateExpression: `SET repaidBy = :by, ${set}`,
          ConditionExpression: condition,
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: { ...values, ':by': lock.holder },
        }),
      );
    };
    await write(current);
    await write(current);
    await expect(write(stale)).rejects.toThrow('The conditional request failed');
    expect(await repaidBy(debt)).toBe('request-2');
  });

  it('has the writes of an earlier attempt of the same holder refused, and those after a keep', async () => {
    const debt = fresh();
    const first = granted(await locks().tryLockAll([debt], { holder: 'request-1' }));
    const second = granted(await locks().tryLockAll([debt], { holder: 'request-1' }));
    const write = (lock: Lock) =>
      documents.send(new TransactWriteCommand({ TransactItems: [store.stillHeld(lock), repaid(debt, 'late')] }));
    await expect(write(first)).rejects.toThrow('ConditionalCheckFailed');
    await second.keep();
    await expect(write(second)).rejects.toThrow('ConditionalCheckFailed');
    expect(await repaidBy(debt)).toBeUndefined();
  });
});

describe('withLock', () => {
  /** A lease lasts longer than any test. Its beats come at once, and requests have their usual time. */
  const host: Host = { ...nodeHost, after: (ms, run) => nodeHost.after(ms > 15_000 ? 50 : ms, run) };
  const locks = (now = host.now) => resourceLocks({ store, host: { ...host, now }, leaseMs: 60_000, skewMs: 0 });
  const fails = () => Promise.reject(new Error('the provider is down'));

  async function ended(unlock: UnlockRules, work: () => Promise<unknown>) {
    const debt = fresh();
    const done = locks().withLock([debt], { holder: 'request-1', reason: 'why', unlock }, work);
    const answer = await done.catch((error: Error) => ({ outcome: error.message }));
    return { answer, held: await locks().read([debt]), debt };
  }

  const both = { onSuccess: 'unlock', onFailure: 'unlock' } as const;

  it('unlocks on success', async () => {
    const { answer, held } = await ended({ ...both, onFailure: 'keep' }, async () => 7);
    expect(answer).toEqual({ outcome: 'done', result: 7, lock: 'unlocked' });
    expect(held).toEqual([]);
  });

  it('unlocks on failure, and passes the failure on', async () => {
    const { answer, held } = await ended({ ...both, onSuccess: 'keep' }, fails);
    expect(answer).toEqual({ outcome: 'the provider is down' });
    expect(held).toEqual([]);
  });

  it('keeps on success, where a later step of the same request needs it', async () => {
    const { answer, held } = await ended({ ...both, onSuccess: 'keep' }, async () => 7);
    expect(answer).toMatchObject({ lock: 'kept' });
    expect(held).toMatchObject([{ status: 'kept', holder: 'request-1', reason: 'why' }]);
  });

  it('keeps on failure, until the next attempt of the same holder has come through', async () => {
    const { held, debt } = await ended({ ...both, onFailure: 'keep' }, fails);
    expect(held).toMatchObject([{ status: 'kept' }]);
    expect((await locks().tryLockAll([debt], { holder: 'request-2' })).outcome).toBe('busy');
    const again = await locks().withLock([debt], { holder: 'request-1', unlock: both }, async () => 'all repaid');
    expect(again).toMatchObject({ outcome: 'done', lock: 'unlocked' });
    expect((await locks().tryLockAll([debt], { holder: 'request-2' })).outcome).toBe('locked');
  });

  it.each([
    ['unlocks if all targets are repaid', () => true, []],
    ['keeps if some are not', async () => false, [{ status: 'kept' }]],
    ['keeps if that cannot be told', fails, [{ status: 'kept' }]],
  ])('%s, after a failure', async (_, allRepaid, expected) => {
    const { answer, held } = await ended({ onSuccess: 'keep', onFailure: allRepaid }, fails);
    expect(answer).toEqual({ outcome: 'the provider is down' });
    expect(held).toMatchObject(expected);
    expect(held).toHaveLength(expected.length);
  });

  it('asks the same after a success, and does not let it pass for one if some are not', async () => {
    const done = await ended({ onSuccess: (lock) => lock.holder === 'request-1', onFailure: 'keep' }, async () => 7);
    expect(done.answer).toMatchObject({ lock: 'unlocked' });
    const partial = await ended({ onSuccess: () => false, onFailure: 'keep' }, async () => 7);
    expect(partial.answer.outcome).toMatch('did not return true');
    expect(partial.held).toMatchObject([{ status: 'kept' }]);
  });

  it('does not run the work, and says who is at it, when somebody else is', async () => {
    const debt = fresh();
    granted(await locks().tryLockAll([debt], { holder: 'request-2', reason: 'since yesterday' }));
    let ran = false;
    const rules = { holder: 'request-1', unlock: both };
    const work = () => {
      ran = true;
    };
    await expect(locks().withLock([debt], rules, work)).rejects.toMatchObject({
      name: 'ResourcesBusyError',
      by: [{ holder: 'request-2', reason: 'since yesterday' }],
      retryAfterMs: expect.any(Number),
    });
    await expect(locks().lockAll([debt], { holder: 'request-1' })).rejects.toThrow(ResourcesBusyError);
    const answer = await locks().tryWithLock([debt], rules, work);
    expect(answer).toMatchObject({ outcome: 'busy', by: [{ holder: 'request-2', reason: 'since yesterday' }] });
    expect(ran).toBe(false);
  });

  it('keeps the lease for longer than it is, for as long as the work runs', async () => {
    const debt = fresh();
    const endOf = async () => (await locks().read([debt]))[0]?.until ?? 0;
    const working = locks().withLock([debt], { holder: 'request-1', unlock: both }, async () => {
      const end = await endOf();
      await eventually('the lease is renewed', async () => expect(await endOf()).toBeGreaterThan(end + 10));
      const late = locks(() => end + 5);
      expect((await elsewhere(() => late.tryLockAll([debt], { holder: 'request-2' }))).outcome).toBe('busy');
    });
    expect(await working).toMatchObject({ outcome: 'done', lock: 'unlocked' });
  });

  it('tells the work when its lock is somebody else’s, and frees nothing of theirs', async () => {
    const debt = fresh();
    const answer = await locks().withLock([debt], { holder: 'request-1', unlock: both }, async ({ signal }) => {
      await elsewhere(() => locks().lockAll([debt], { holder: 'request-1' }));
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    expect(answer).toMatchObject({ outcome: 'done', lock: 'stale' });
    expect(await locks().read([debt])).toMatchObject([{ status: 'held' }]);
  });

  it('demands to be told when to unlock', async () => {
    const missing = { holder: 'request-1' } as never;
    await expect(locks().withLock([fresh()], missing, () => 7)).rejects.toThrow(
      "unlock.onSuccess: expected 'unlock', 'keep' or a function",
    );
  });
});
