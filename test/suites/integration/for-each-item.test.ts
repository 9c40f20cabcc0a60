import {
  type DynamoDBClient,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import {
  claimHeld,
  type ForEachItemOptions,
  forEachItem,
  readProgress,
  type TransactAction,
  WorkChangedError,
  WorkUnfinishedError,
} from '../../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
const documents = DynamoDBDocumentClient.from(client);
let tableName: string;

beforeAll(async () => {
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());

const storeOver = (over: DynamoDBClient) => dynamoStore({ tableName, aws: sdk({ dynamodb: over }) });

/** A claim as a handler has it, and the record that says so. */
async function claimed(fence = 1) {
  const claim = { operation: 'repay', key: nodeHost.randomId(), fence };
  const grant = (now: number) =>
    documents.send(
      new PutCommand({ TableName: tableName, Item: { id: `repay#${claim.key}`, status: 'in-flight', fence: now } }),
    );
  await grant(fence);
  const id = `repay#${claim.key}`;
  const fenceOf = (now: number) => claimHeld({ ...claim, fence: now }, tableName);
  const counted = (item: number): TransactAction => ({
    Update: {
      TableName: tableName,
      Key: { id: `${id} item ${item}` },
      UpdateExpression: 'ADD times :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  });
  const store = storeOver(client);
  const options: ForEachItemOptions<number> = { id, work: 'count', fence: fenceOf(fence), store };
  let attempts = fence;
  /** The options of the next attempt. */
  async function nextAttempt(): Promise<ForEachItemOptions<number>> {
    await grant(++attempts);
    return { ...options, fence: fenceOf(attempts) };
  }
  const progress = () => readProgress(options);
  async function times(item: number): Promise<number> {
    const Key = { id: `${id} item ${item}` };
    const { Item } = await documents.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }));
    return Number(Item?.['times'] ?? 0);
  }
  const timesOf = (items: readonly number[]) => Promise.all(items.map(times));
  return { id, options, nextAttempt, progress, grant, fenceOf, counted, timesOf };
}

const numbers = (length: number) => Array.from({ length }, (_, n) => n);
const ones = (length: number) => numbers(length).map(() => 1);

describe('work larger than a transaction', () => {
  it('does every item once, in chunks, and says how far it has come', async () => {
    const { options, nextAttempt, progress, counted, timesOf } = await claimed();
    expect(await progress()).toBeUndefined();
    const answer = await forEachItem(numbers(230), options, (chunk) => chunk.map(counted));
    expect(answer).toEqual({ outcome: 'done', total: 230, done: 230 });
    expect(await timesOf(numbers(230))).toEqual(ones(230));
    expect(await progress()).toEqual({ total: 230, done: 230 });
    const nothing = () => expect.fail('nothing is left to do');
    const again = await forEachItem(numbers(230), await nextAttempt(), nothing);
    expect(again).toEqual({ outcome: 'done', total: 230, done: 230 });
  });

  it('goes on where it stopped, with chunks of another size', async () => {
    const { options, progress, counted, timesOf } = await claimed();
    const items = numbers(300);
    const controller = new AbortController();
    let chunks = 0;
    const stopped = forEachItem(items, { ...options, chunk: 7, signal: controller.signal }, (chunk) => {
      if (++chunks === 10) controller.abort();
      return chunk.map(counted);
    });
    await expect(stopped).rejects.toThrow(WorkUnfinishedError);
    const first = await stopped.catch((error: WorkUnfinishedError) => error);
    expect(first).toMatchObject({ why: 'stopped', total: 300 });
    expect(first.done).toBeGreaterThanOrEqual(60);
    expect(first.done).toBeLessThan(120);
    expect(await progress()).toEqual({ total: 300, done: first.done });
    const second = await forEachItem(items, { ...options, chunk: 40, concurrency: 2 }, (chunk) => chunk.map(counted));
    expect(second.outcome).toBe('done');
    expect(await timesOf(items)).toEqual(ones(300));
  });

  it('commits the writes of a chunk with its progress, or neither: a refused write stops it, and can be mended', async () => {
    const { options, counted, timesOf } = await claimed();
    const items = numbers(100);
    const refused = (item: number): TransactAction => ({
      ConditionCheck: {
        TableName: tableName,
        Key: { id: `none ${item}` },
        ConditionExpression: 'attribute_exists(id)',
      },
    });
    const bad = forEachItem(items, options, (chunk) =>
      chunk.includes(60) ? [...chunk.map(counted), refused(60)] : chunk.map(counted),
    );
    await expect(bad).rejects.toMatchObject({ name: 'ChunkRefusedError', from: 50 });
    expect(await timesOf([50, 60, 74])).toEqual([0, 0, 0]);
    expect((await forEachItem(items, options, (chunk) => chunk.map(counted))).outcome).toBe('done');
    expect(await timesOf(items)).toEqual(ones(100));
  });

  it('passes on what the author’s function throws, and the rest is done by the next attempt', async () => {
    const { options, counted, timesOf } = await claimed();
    const bad = forEachItem(numbers(120), options, (chunk, from) => {
      if (from === 25) throw new Error('no rate for this currency');
      return chunk.map(counted);
    });
    await expect(bad).rejects.toThrow('no rate for this currency');
    await forEachItem(numbers(120), options, (chunk) => chunk.map(counted));
    expect(await timesOf(numbers(120))).toEqual(ones(120));
  });

  it('does not let a worker begin whose claim is somebody else’s', async () => {
    const { options, progress, grant, counted } = await claimed();
    await grant(2);
    const answer = forEachItem(numbers(60), options, (chunk) => chunk.map(counted));
    await expect(answer).rejects.toMatchObject({ why: 'stale', total: 60, done: 0 });
    expect(await progress()).toBeUndefined();
  });

  it('lets an earlier attempt commit nothing once the next one has begun', async () => {
    const { options, grant, fenceOf, counted, timesOf } = await claimed();
    const items = numbers(200);
    let next: ReturnType<typeof forEachItem> | undefined;
    const late = forEachItem(items, { ...options, concurrency: 1 }, async (chunk, from) => {
      if (from === 75) {
        await grant(2);
        next = forEachItem(items, { ...options, fence: fenceOf(2) }, (chunk) => chunk.map(counted));
        await next;
      }
      return chunk.map(counted);
    });
    await expect(late).rejects.toMatchObject({ why: 'stale', total: 200, done: 75 });
    expect(await next).toEqual({ outcome: 'done', total: 200, done: 200 });
    expect(await timesOf(items)).toEqual(ones(200));
  });

  it('lets an earlier attempt commit nothing once the next one has begun, also where that has done nothing yet', async () => {
    const { options, nextAttempt, counted, timesOf } = await claimed();
    const items = numbers(50);
    const late = forEachItem(items, { ...options, concurrency: 1 }, async (chunk, from) => {
      if (from === 25) {
        const stopped = forEachItem(items, { ...(await nextAttempt()), signal: AbortSignal.abort() }, () => []);
        await expect(stopped).rejects.toMatchObject({ why: 'stopped', done: 25 });
      }
      return chunk.map(counted);
    });
    await expect(late).rejects.toMatchObject({ why: 'stale', done: 25 });
    expect(await timesOf([24, 25])).toEqual([1, 0]);
  });

  it('stops as stale where the check of a chunk is refused', async () => {
    const { options, grant, fenceOf, counted, timesOf } = await claimed();
    const answer = forEachItem(
      numbers(100),
      { ...options, concurrency: 1, check: () => [fenceOf(1)] },
      async (chunk, from) => {
        if (from === 25) await grant(2);
        return chunk.map(counted);
      },
    );
    await expect(answer).rejects.toMatchObject({ why: 'stale', total: 100, done: 25 });
    expect(await timesOf([24, 25])).toEqual([1, 0]);
  });

  it('knows its own commits again when their answers were lost and they are sent anew', async () => {
    const { options, counted, timesOf } = await claimed();
    const lossy = localClient(endpoint, { maxAttempts: 1 });
    let lost = 0;
    let sent = 0;
    lossy.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args);
        // The first answer to every transaction; sent again, it has a token of its own.
        if (context['commandName'] !== 'TransactWriteItemsCommand' || ++sent % 2 === 0) return answer;
        lost++;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
      },
      { step: 'initialize', name: 'loseTheAnswer' },
    );
    const answer = await forEachItem(numbers(100), { ...options, concurrency: 1, store: storeOver(lossy) }, (chunk) =>
      chunk.map(counted),
    );
    expect(answer.outcome).toBe('done');
    expect(lost).toBeGreaterThanOrEqual(3);
    expect(await timesOf(numbers(100))).toEqual(ones(100));
    lossy.destroy();
  });

  it('refuses other items under the same id: what is done of them cannot be told', async () => {
    const { options, nextAttempt, counted, id } = await claimed();
    await forEachItem(numbers(100), options, (chunk) => chunk.map(counted));
    for (const others of [[], numbers(99), numbers(5000), numbers(100).reverse()]) {
      const changed = forEachItem(others, await nextAttempt(), () => []);
      await expect(changed).rejects.toThrow(WorkChangedError);
      // An error goes to logs, and an id may identify a person.
      await expect(changed).rejects.toMatchObject({ id, work: 'count', message: expect.not.stringContaining(id) });
    }
  });

  it('keeps its records small, however many items there are', async () => {
    const { options, id } = await claimed();
    const items = numbers(100_000);
    const stop = AbortSignal.abort();
    await expect(forEachItem(items, { ...options, signal: stop }, () => [])).rejects.toMatchObject({ why: 'stopped' });
    const idOf = (index: number) => `#work#${id.replace('#', '~1')}#count#${index}`;
    for (const index of [0, 63]) {
      const Key = { id: idOf(index) };
      const { Item } = await documents.send(new GetCommand({ TableName: tableName, Key }));
      expect(JSON.stringify(Item).length).toBeLessThan(500);
      expect(Item).toMatchObject({ total: 100_000, next: Item?.['from'] });
    }
    const { Item } = await documents.send(new GetCommand({ TableName: tableName, Key: { id: idOf(64) } }));
    expect(Item).toBeUndefined();
  });

  it('does two works of one request over the same items both, each under its name', async () => {
    const { options, counted, timesOf } = await claimed();
    const items = numbers(3);
    const notified = items.map((item) => 100 + item);
    await forEachItem(items, { ...options, work: 'repay' }, (chunk) => chunk.map(counted));
    const answer = await forEachItem(items, { ...options, work: 'notify' }, (chunk) =>
      chunk.map((item) => counted(100 + item)),
    );
    expect(answer).toEqual({ outcome: 'done', total: 3, done: 3 });
    expect(await timesOf([...items, ...notified])).toEqual(ones(6));
    expect(await readProgress({ ...options, work: 'notify' })).toEqual({ total: 3, done: 3 });
  });

  it('refuses a second work under the name of the first in one attempt, and not the rest of an unfinished one', async () => {
    const { options, nextAttempt, counted, timesOf } = await claimed();
    const items = numbers(30);
    const stopped = forEachItem(items, { ...options, signal: AbortSignal.abort() }, () => []);
    await expect(stopped).rejects.toThrow(WorkUnfinishedError);
    const running = forEachItem(items, options, (chunk) => chunk.map(counted));
    const notify = () => forEachItem(items, options, () => expect.fail('nothing may run'));
    const refusal = 'work: expected a name that no other work of this attempt has; got "count"';
    await expect(notify()).rejects.toThrow(refusal);
    await running;
    await expect(notify()).rejects.toThrow(refusal);
    expect(await timesOf(items)).toEqual(ones(30));
    // The next attempt cannot know how far the last one came.
    expect(await forEachItem(items, await nextAttempt(), () => [])).toMatchObject({ outcome: 'done' });
  });

  it.each(['', 'a b', 'a#b', 'x'.repeat(65), undefined])('refuses %j for a name', async (work) => {
    const { options } = await claimed();
    await expect(forEachItem([], { ...options, work: work as never }, () => [])).rejects.toThrow(
      'work: expected 1 to 64',
    );
    await expect(readProgress({ ...options, work: work as never })).rejects.toThrow('work: expected 1 to 64');
  });

  it('takes an empty list for a list: its fence is looked at, and no other list is begun or finished by it', async () => {
    const { options, nextAttempt, counted, grant } = await claimed();
    const stop = AbortSignal.abort();
    await expect(forEachItem(numbers(60), { ...options, signal: stop }, () => [])).rejects.toThrow(WorkUnfinishedError);
    await expect(forEachItem([], await nextAttempt(), () => [])).rejects.toThrow(WorkChangedError);

    const empty = { ...(await nextAttempt()), work: 'empty' };
    expect(await forEachItem([], empty, () => [])).toEqual({ outcome: 'done', total: 0, done: 0 });
    expect(await readProgress(empty)).toEqual({ total: 0, done: 0 });
    const more = forEachItem(numbers(2), { ...(await nextAttempt()), work: 'empty' }, (chunk) => chunk.map(counted));
    await expect(more).rejects.toThrow(WorkChangedError);
    await grant(99);
    await expect(forEachItem([], { ...options, work: 'other' }, () => [])).rejects.toMatchObject({ why: 'stale' });
  });

  it('applies nothing that arrives late: what an earlier attempt has sent is refused whenever it comes again', async () => {
    const { options, nextAttempt, counted, timesOf } = await claimed();
    const items = numbers(60);
    const sent: TransactWriteItemsCommandInput[] = [];
    const controller = new AbortController();
    const copying = {
      send(command: TransactWriteItemsCommand) {
        if (command instanceof TransactWriteItemsCommand) sent.push(command.input);
        return client.send(command);
      },
    } as unknown as DynamoDBClient;
    const first = forEachItem(
      items,
      { ...options, store: storeOver(copying), signal: controller.signal, concurrency: 1 },
      (chunk) => {
        if (sent.length > 1) controller.abort();
        return chunk.map(counted);
      },
    );
    await expect(first).rejects.toMatchObject({ why: 'stopped', done: 50 });
    const arriveLate = () =>
      Promise.allSettled(sent.map((input) => client.send(new TransactWriteItemsCommand(input)))).then((all) =>
        all.map(({ status }) => status),
      );
    const refused = sent.map(() => 'rejected');
    const second = forEachItem(items, await nextAttempt(), async (chunk) => {
      expect(await arriveLate()).toEqual(refused);
      return chunk.map(counted);
    });
    expect(await second).toMatchObject({ outcome: 'done' });
    expect(await arriveLate()).toEqual(refused);
    expect(await timesOf(items)).toEqual(ones(60));
  });
});
