import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { sleep } from '../../../lib/pawl/kernel/host.ts';
import {
  dynamoLockStore,
  forEachItem,
  type Lock,
  resourceLocks,
  type TransactAction,
  type UnlockRule,
} from '../../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { documentsOver } from '../dynamodb/documents.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { type Debt, debtItem, whoHas } from './oracle.ts';
import type { Wish } from './scenario.ts';
import type { LockSimulation } from './simulation.ts';

const TableName = 'locks';

/**
 * What a sandbox runs: an application that repays what is still open among the debts of a wish. Its writes have no condition of
 * their own, so that nothing but the lock stands between it and a second repayment.
 *
 * @returns whether the wish is done
 */
export async function repay(
  { scenario, oracle, world, stats, strikes }: LockSimulation,
  sandbox: Sandbox,
  client: DynamoDBClient,
  wish: Wish,
): Promise<boolean> {
  const { holder, debts } = wish;
  const { style, most, leaseMs, keepMs, skewMs, waitMs, chunk, concurrency } = scenario;
  const { host } = sandbox;
  const documents = documentsOver(client);
  const aws = sdk({ dynamodb: withHangs(client) });
  const store = { ...dynamoLockStore(dynamoStore({ tableName: TableName, aws, host })), most };
  const locks = resourceLocks({ store, host, leaseMs, keepMs, skewMs, onEvent: () => undefined });

  /** A client without time-outs, some requests of which are never answered. The application's own are: what hangs there is its own. */
  function withHangs(inner: DynamoDBClient): DynamoDBClient {
    async function send(command: never): Promise<unknown> {
      const { random } = world;
      if (scenario.hangs === 0 || world.time > scenario.faultsEndMs || !random.chance(scenario.hangs)) {
        return inner.send(command);
      }
      oracle.troubled(sandbox);
      stats.hung++;
      // A client that is never heard of again, whether its request arrives or not.
      if (random.chance(0.5)) inner.send(command).catch(() => undefined);
      return new Promise(() => undefined);
    }
    return { send } as unknown as DynamoDBClient;
  }

  async function open(some: readonly string[]): Promise<readonly string[]> {
    let unread: readonly object[] = some.map((debt) => ({ id: debtItem(debt) }));
    const repaid = new Set<string>();
    while (unread.length > 0) {
      const Keys = unread.slice(0, 100);
      const { Responses, UnprocessedKeys } = await documents.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [...Keys], ConsistentRead: true } } }),
      );
      for (const { id } of (Responses?.[TableName] ?? []) as unknown as readonly Debt[]) repaid.add(id);
      unread = [...(UnprocessedKeys?.[TableName]?.Keys ?? []), ...unread.slice(100)];
    }
    return some.filter((debt) => !repaid.has(debtItem(debt)));
  }

  const repayment = (debt: string, { id }: Pick<Lock, 'id'>): TransactAction => ({
    Update: {
      TableName,
      Key: { id: debtItem(debt) },
      UpdateExpression: 'ADD #repaid :one SET #by = :by',
      ExpressionAttributeNames: { '#repaid': 'repaid', '#by': 'by' },
      ExpressionAttributeValues: { ':one': 1, ':by': id },
    },
  });

  async function work(lock: Lock, signal: AbortSignal): Promise<void> {
    await sleep(host, world.random.between(0, scenario.longestWorkMs));
    oracle.working(sandbox, lock, signal);
    if (strikes('workFails')) throw new Error('the handler fails');
  }

  const commit = (TransactItems: TransactAction[]) => documents.send(new TransactWriteCommand({ TransactItems }));

  async function repayAll(lock: Lock, signal: AbortSignal): Promise<void> {
    if (style === 'chunks') {
      const check = (some: readonly string[]) => store.stillLocked(lock, some);
      await forEachItem(
        debts,
        {
          id: holder,
          work: 'repay',
          onEvent: () => undefined,
          fence: store.stillHeld(lock),
          check,
          store,
          host,
          chunk,
          concurrency,
          signal,
        },
        async (some) => {
          const left = await open(some);
          await work(lock, signal);
          return left.map((debt) => repayment(debt, lock));
        },
      );
      return;
    }
    const left = await open(debts);
    await work(lock, signal);
    if (style === 'together') {
      // A transaction has room for 100: what is left comes with the next attempt.
      const now = left.slice(0, 99);
      if (now.length > 0) await commit([store.stillHeld(lock), ...now.map((debt) => repayment(debt, lock))]);
      if (now.length < left.length) throw new Error('there are more');
      return;
    }
    for (const debt of left) await commit([...store.stillLocked(lock, [debt]), repayment(debt, lock)]);
    if (strikes('workFails')) throw new Error('the handler fails when it is done');
  }

  async function allRepaid(): Promise<boolean> {
    return (await open(debts)).length === 0;
  }

  const onFailure: UnlockRule = scenario.onFailure === 'if-repaid' ? allRepaid : scenario.onFailure;
  let lockId = '';
  try {
    const answer = await locks.tryWithLock(
      debts,
      { holder, reason: 'repayment', waitMs, unlock: { onSuccess: 'unlock', onFailure } },
      async (lock) => {
        lockId = lock.id;
        stats.locked++;
        if (lock.takenOver.length > 0) stats.takenOver++;
        world.note(sandbox.name, 'has them all', `under ${lock.id}${lock.takenOver.length > 0 ? ', taken over' : ''}`);
        oracle.entered(sandbox, wish, lock);
        try {
          await repayAll(lock, lock.signal);
          oracle.ends(lock.id, wish, 'unlock');
        } catch (error) {
          oracle.ends(lock.id, wish, scenario.onFailure);
          throw error;
        } finally {
          sandbox.deliver(() => oracle.left(sandbox, wish));
        }
      },
    );
    if (answer.outcome === 'busy') {
      stats.busy++;
      world.note(sandbox.name, 'is refused:', `${whoHas(answer.by)} has them`);
      return false;
    }
    world.note(sandbox.name, 'its lock is', answer.lock);
    if (answer.lock === 'unlocked') oracle.unlocked(lockId);
    return true;
  } catch (error) {
    stats.failed++;
    world.note(sandbox.name, 'fails:', String(error));
    return false;
  }
}
