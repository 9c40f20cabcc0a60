import { type AttributeValue, type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type ClaimStore, failOpen, once } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import {
  type Aws,
  correctRestore,
  dynamoStore,
  individualDynamoStore,
  liftRestore,
  markRestored,
  readRestored,
  restoredTable,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import { type Lean, dynamoStore as leanStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { localLean } from '../../support/lean.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/** The mark of a restored table: which table it is of, and how it is corrected. */

const minutes = 60_000;
const acted = { by: 'maria', note: 'a bad deployment' };
let client: DynamoDBClient;
let aws: Aws;
let lean: Lean;
let [first, second] = ['', ''];
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  aws = sdk({ dynamodb: client });
  lean = localLean(inject('dynamoEndpoint'));
});
beforeEach(async () => {
  [first, second] = [await claimsTable(client), await claimsTable(client)];
});
afterAll(() => {
  client.destroy();
  lean.destroy();
});

const ago = (ms: number) => new Date(Date.now() - ms);

/** Restores the second table from the first one, as it is now: with the mark that the first one may have. */
async function restore(): Promise<void> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: first, ConsistentRead: true }));
  for (const Item of Items) await client.send(new PutItemCommand({ TableName: second, Item }));
}

/** A consumer that says what became of a key, and counts its effects. */
function consumer(store: ClaimStore) {
  const effects: string[] = [];
  const pay = once(
    { operation: 'pay', store, key: (key: string) => key, onAbandoned: 'park', onEvent: () => undefined },
    (key) => void effects.push(key),
  );
  return {
    effects,
    pay: (key: string) =>
      pay.outcome(key).then(
        ({ outcome }) => outcome as string,
        (error: Error) => error.message,
      ),
  };
}

/** The way to DynamoDB, with some answers replaced. */
const way = (calls: Readonly<Record<string, (real: () => Promise<object>) => Promise<object>>>): Aws => {
  const { dynamodb } = lean;
  const call: typeof dynamodb.call = (name, input) =>
    calls[name]?.(() => dynamodb.call(name, input)) ?? dynamodb.call(name, input);
  return { ...lean, dynamodb: { ...dynamodb, call } };
};

describe.each([
  ['dynamoStore', (tableName: string) => dynamoStore({ tableName, aws, restored: restoredTable })],
  ['individualDynamoStore', (tableName: string) => individualDynamoStore({ tableName, aws, restored: restoredTable })],
  ['the lean dynamoStore', (tableName: string) => leanStore({ tableName, aws: lean, restored: restoredTable })],
] as const)('a table that was restored from a marked one, with %s', (_, open) => {
  it.each(['stands', 'is lifted'])(
    'is closed until it is marked itself, if the mark that came along %s',
    async (how) => {
      const mark = await markRestored({
        tableName: first,
        aws,
        cutOff: ago(60 * minutes),
        ...acted,
      });
      if (how === 'is lifted') await liftRestore({ tableName: first, aws, ...acted });
      await restore();
      const early = consumer(open(second));
      expect(await early.pay('lost')).toMatch(
        /no mark of its own.*came along with a restore.*nothing runs.*not-restored/,
      );
      expect(await readRestored({ tableName: second, aws })).toBeUndefined();
      expect(await liftRestore({ tableName: second, aws, ...acted })).toBeUndefined();
      expect(await correctRestore({ tableName: second, aws, cutOff: ago(minutes), ...acted })).toBeUndefined();

      const cutOff = ago(10 * minutes);
      const own = await markRestored({ tableName: second, aws, cutOff, ...acted });
      expect(own.liftedAt).toBeUndefined();
      expect(own.reopenedAt).toBeGreaterThan(mark.reopenedAt);
      // What the first table has forgotten, and its mark still stood for, is forgotten here as well.
      expect(own.cutOff).toBe(how === 'stands' ? mark.cutOff : cutOff.getTime());
      expect(own.earlier).toEqual({ [mark.reopenedAt]: mark.cutOff });
      expect(await markRestored({ tableName: second, aws, cutOff: ago(minutes), ...acted })).toEqual(own);
      const now = consumer(open(second));
      expect([await now.pay('lost'), now.effects]).toEqual(['parked', []]);
      expect(await readRestored({ tableName: first, aws })).toMatchObject({
        tableId: mark.tableId,
      });
    },
  );
});

it('a table that carries a mark is closed for eachTransaction, which claims nothing', async () => {
  await markRestored({ tableName: first, aws, cutOff: ago(60 * minutes), ...acted });
  await liftRestore({ tableName: first, aws, ...acted });
  await restore();
  const store = transactionalStore(dynamoStore({ tableName: second, aws, restored: restoredTable }));
  const post = eachTransaction<{ id: string }>(
    { operation: 'post', store, key: bodyField('id'), aws: noQueue, onEvent: () => undefined },
    () => [{ Put: { TableName: first, Item: { id: 'ledger' } } }],
  );
  const message = sqsRecord({ id: 'p-1' });
  expect(failuresOf(await post(sqsEvent(message), context()))).toEqual([message.messageId]);
  expect((await client.send(new ScanCommand({ TableName: first }))).Count).toBe(1);
});

describe('a store with restored: restoredTable', () => {
  const denied = (action: string) => async () => {
    throw Object.assign(new Error(`User: x is not authorized to perform: dynamodb:${action} on resource: y`), {
      name: 'AccessDeniedException',
    });
  };

  it.each(['DescribeTable', 'GetItem'])(
    'is closed, and says which permission is missing, if its role may not perform %s; also if it is to let everything run in an outage',
    async (action) => {
      await markRestored({ tableName: first, aws, cutOff: ago(minutes), ...acted });
      const store = leanStore({ tableName: first, aws: way({ [action]: denied(action) }), restored: restoredTable });
      for (const one of [store, failOpen(store, () => undefined)]) {
        const { pay, effects } = consumer(one);
        const said = `the role may not perform dynamodb:${action} on the table '${first}', so its mark cannot be checked, and nothing runs`;
        expect(await pay('new')).toContain(said);
        expect(effects).toEqual([]);
      }
    },
  );

  it.each([
    ['reopenedAt', { S: 'yesterday' }],
    ['cutOff', { N: '-1' }],
    ['liftedAt', { S: 'today' }],
    ['rev', { N: '0.5' }],
  ])('is closed by a mark whose %s is no number that pawl writes, and leaves it alone', async (name, value) => {
    await markRestored({ tableName: first, aws, cutOff: ago(minutes), ...acted });
    const { Items = [] } = await client.send(new ScanCommand({ TableName: first, ConsistentRead: true }));
    const Item = { ...Items[0], [name]: value } as Record<string, AttributeValue>;
    await client.send(new PutItemCommand({ TableName: first, Item }));
    const store = dynamoStore({ tableName: first, aws, restored: restoredTable });
    for (const one of [store, failOpen(store, () => undefined)]) {
      const { pay, effects } = consumer(one);
      expect(await pay('new')).toContain(`its ${name} is no number`);
      expect(effects).toEqual([]);
    }
    await expect(liftRestore({ tableName: first, aws, ...acted })).rejects.toThrow('foreign-item');
  });

  it('asks once which table it is in, and not at all without the option', async () => {
    await markRestored({ tableName: first, aws, cutOff: ago(minutes), ...acted });
    let asked = 0;
    const counting = way({
      DescribeTable: (real) => {
        asked++;
        return real();
      },
    });
    let later = 0;
    const host = { ...nodeHost, now: () => Date.now() + later };
    const restored = consumer(leanStore({ tableName: first, aws: counting, restored: restoredTable, host }));
    for (const key of ['a', 'b', 'c']) {
      expect(await restored.pay(key)).toBe('parked');
      // The mark itself is read again.
      later += 30_000;
    }
    expect(asked).toBe(1);
    const plain = consumer(leanStore({ tableName: second, aws: counting }));
    expect(await plain.pay('a')).toBe('completed');
    expect(asked).toBe(1);
  });

  it('asks again where a table was made anew under its name, and has a mark of its own', async () => {
    let [id, later] = ['1', 0];
    const renamed = way({ DescribeTable: async () => ({ Table: { TableId: id } }) });
    const options = { tableName: second, aws: renamed, ...acted };
    const host = { ...nodeHost, now: () => Date.now() + later };
    const warm = consumer(leanStore({ tableName: second, aws: renamed, restored: restoredTable, host }));
    await markRestored({ ...options, cutOff: ago(minutes) });
    expect(await warm.pay('a')).toBe('parked');
    id = '2';
    expect(await readRestored({ tableName: second, aws: renamed })).toBeUndefined();
    await markRestored({ ...options, cutOff: ago(minutes) });
    later = 30_000;
    expect(await warm.pay('b')).toBe('parked');
  });

  it('shows an operator claims as it decides them: an act on what was listed finds the fence that was listed', async () => {
    const failing = once(
      {
        operation: 'pay',
        store: dynamoStore({ tableName: first, aws }),
        key: (key: string) => key,
        onAbandoned: 'retry',
        onEvent: () => undefined,
      },
      () => {
        throw new Error('reset');
      },
    );
    await failing('doubt').catch(() => undefined);
    await restore();
    await markRestored({ tableName: second, aws, cutOff: ago(0), ...acted });
    const operate = operator({
      store: dynamoStore({ tableName: second, aws, restored: restoredTable }),
      onEvent: () => undefined,
    });
    const claims = [];
    for await (const page of operate.openClaims({})) claims.push(...page.claims);
    expect(claims.map(({ id }) => id)).toEqual(['pay#doubt']);
    const plan = await operate.planResolutions({ claims, verdict: 'not-applied', ...acted });
    expect(plan.count).toBe(1);
    const results = [];
    for await (const result of operate.resolveAll(plan)) results.push(result.outcome);
    expect(results).toEqual(['resolved']);
  });
});

it('a record that is left alone fails no list of the others in a table whose mark stands', async () => {
  await markRestored({ tableName: first, aws, cutOff: ago(minutes), ...acted });
  const store = dynamoStore({ tableName: first, aws, restored: restoredTable });
  const { pay } = consumer(store);
  for (const key of ['a', 'b']) expect(await pay(key)).toBe('parked');
  const { Items = [] } = await client.send(new ScanCommand({ TableName: first, ConsistentRead: true }));
  const b = { ...Items.find(({ id }) => id?.S === 'pay#b'), v: { N: '3' } } as Record<string, AttributeValue>;
  // Only its record says whether a step of it is in doubt.
  const { unknownAt: _, ...c } = { ...b, id: { S: 'pay#c' }, status: { S: 'released' } } as Record<
    string,
    AttributeValue
  >;
  for (const Item of [b, c]) await client.send(new PutItemCommand({ TableName: first, Item }));
  for (const one of [store, dynamoStore({ tableName: first, aws })]) {
    const { claims } = await withListing(one).listOpen({ limit: 10 });
    expect(claims.map(({ id }) => id).toSorted()).toEqual(['pay#a', 'pay#b', 'pay#c']);
  }
});

describe('markRestored', () => {
  it.each([
    ['the SDK', (seconds: number) => new Date(seconds * 1000)],
    ['the lean transport', (seconds: number) => seconds],
  ])('refuses a cut-off after the time that DynamoDB says it restored the table to, by %s', async (_, said) => {
    const restoredTo = Math.floor(Date.now() / 1000) - 600;
    const transport = way({
      DescribeTable: async () => ({
        Table: { TableId: 'id', RestoreSummary: { RestoreDateTime: said(restoredTo), RestoreInProgress: false } },
      }),
    });
    const options = { tableName: first, aws: transport, ...acted };
    await expect(markRestored({ ...options, cutOff: new Date(restoredTo * 1000 + 1) })).rejects.toThrow(
      `cutOff: expected ${new Date(restoredTo * 1000).toISOString()}, the time that DynamoDB has restored the table to`,
    );
    const cutOff = new Date(restoredTo * 1000);
    expect(await markRestored({ ...options, cutOff })).toMatchObject({ cutOff: restoredTo * 1000, tableId: 'id' });
  });

  it('never has the name of an earlier mark, however far the clock of the operator is behind', async () => {
    const mark = await markRestored({
      tableName: first,
      aws,
      cutOff: ago(60 * minutes),
      ...acted,
    });
    await restore();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(mark.reopenedAt - 10 * minutes);
    try {
      const cutOff = new Date(mark.cutOff);
      const own = await markRestored({ tableName: second, aws, cutOff, ...acted });
      expect(own.reopenedAt).toBe(mark.reopenedAt + 1);
      const corrected = await correctRestore({
        tableName: second,
        aws,
        cutOff: new Date(mark.cutOff - minutes),
        ...acted,
      });
      expect(corrected?.reopenedAt).toBe(mark.reopenedAt + 2);
    } finally {
      clock.mockRestore();
    }
  });

  it('lets one of two at once set the mark, and both see it', async () => {
    const options = { tableName: first, aws, ...acted };
    const [one, other] = await Promise.all([
      markRestored({ ...options, cutOff: ago(minutes) }),
      markRestored({ ...options, cutOff: ago(2 * minutes) }),
    ]);
    expect(one).toEqual(other);
  });
});

describe('a mark that is corrected', () => {
  it('to an earlier time is a new one: what was released under the wrong one is in doubt again, and it stands for every operation', async () => {
    const wrong = ago(10 * minutes);
    const options = { tableName: second, aws, ...acted };
    const mark = await markRestored({ ...options, cutOff: wrong });
    const open = () => dynamoStore({ tableName: second, aws, restored: restoredTable });
    const before = consumer(open());
    expect([await before.pay('wrong'), await before.pay('done')]).toEqual(['parked', 'parked']);
    const operate = operator({ store: open(), onEvent: () => undefined });
    await operate.resolve({ operation: 'pay', key: 'wrong' }, 'not-applied', { by: 'statement', note: 'not on it' });
    await operate.resolve({ operation: 'pay', key: 'done' }, 'applied', acted);
    await liftRestore({ ...options, operation: 'pay' });

    const right = ago(30 * minutes);
    const corrected = await correctRestore({ ...options, cutOff: right, by: 'ada', note: 'it was local time' });
    expect(corrected).toMatchObject({ cutOff: right.getTime(), by: 'maria' });
    expect(corrected?.liftedFor).toBeUndefined();
    expect(corrected?.reopenedAt).toBeGreaterThan(mark.reopenedAt);
    expect(Object.values(corrected?.corrections ?? {})).toMatchObject([
      {
        by: 'ada',
        note: 'it was local time',
        cutOff: mark.cutOff,
        reopenedAt: mark.reopenedAt,
        liftedFor: { pay: { by: 'maria' } },
      },
    ]);
    const after = consumer(open());
    expect(await after.pay('wrong')).toBe('parked');
    expect(await after.pay('new')).toBe('parked');
    expect(await after.pay('done')).toBe('completed');
    expect(after.effects).toEqual([]);
    expect(await readRestored({ tableName: second, aws })).toEqual(corrected);
  });

  it('to a later time keeps what was decided, and what it was lifted for', async () => {
    const options = { tableName: second, aws, ...acted };
    const mark = await markRestored({ ...options, cutOff: ago(30 * minutes) });
    await liftRestore({ ...options, operation: 'pay' });
    const later = ago(10 * minutes);
    const corrected = await correctRestore({ ...options, cutOff: later });
    expect(corrected).toMatchObject({ cutOff: later.getTime(), reopenedAt: mark.reopenedAt, liftedFor: { pay: {} } });
    expect(await correctRestore({ ...options, cutOff: later })).toEqual(corrected);
  });

  it('is not corrected once it is lifted: consumers believe that for good', async () => {
    const options = { tableName: second, aws, ...acted };
    await markRestored({ ...options, cutOff: ago(10 * minutes) });
    const lifted = await liftRestore(options);
    expect(await correctRestore({ ...options, cutOff: ago(30 * minutes) })).toEqual(lifted);
  });

  it('is corrected to no later time than that of an earlier mark that still stood', async () => {
    const mark = await markRestored({
      tableName: first,
      aws,
      cutOff: ago(60 * minutes),
      ...acted,
    });
    await restore();
    const options = { tableName: second, aws, ...acted };
    await markRestored({ ...options, cutOff: ago(10 * minutes) });
    expect(await correctRestore({ ...options, cutOff: ago(5 * minutes) })).toMatchObject({ cutOff: mark.cutOff });
  });
});
