import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Claim, once, RejectedError, RetryableError } from '../../../lib/pawl/index.ts';
import { dynamoLockStore, forEachItem } from '../../../lib/pawl/locks/index.ts';
import { dynamoOutbox } from '../../../lib/pawl/outbox/index.ts';
import {
  CommitRefusedError,
  commit,
  commitStep,
  eachTransaction,
  inPhases,
  postgresStore,
} from '../../../lib/pawl/postgres/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { memoryStore } from '../../../lib/pawl/stores/memory.ts';
import { commit as commitWrites, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { type CommitLoss, losingCommits } from '../../support/lost-pool.ts';
import {
  type Adapter,
  applicationTables,
  type Payment,
  pg,
  withDrizzle,
  withKysely,
} from '../../support/postgres-adapters.ts';
import { createDatabase, type Database } from '../../support/postgres-database.ts';
import { record } from '../../support/records.ts';

const server = inject('postgresUrl');
let payments = 0;
const quiet = () => undefined;

describe.skipIf(server === '')('one commit with the data in PostgreSQL', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createDatabase(server);
    await database.pool.query(applicationTables);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  /** A payment from an account of its own, which holds 1,000. */
  async function newPayment(cents = 300): Promise<Payment> {
    const id = `payment-${++payments}`;
    await database.pool.query('INSERT INTO accounts VALUES ($1, 1000)', [id]);
    return { id, account: id, cents };
  }

  /** What the application holds of a payment: the account, and the entries. */
  async function dataOf({ id, account }: Payment) {
    const { rows: accounts } = await database.pool.query('SELECT cents FROM accounts WHERE id = $1', [account]);
    const { rows: entries } = await database.pool.query('SELECT cents FROM entries WHERE payment = $1', [id]);
    return { left: accounts[0]?.cents, entries: entries.map(({ cents }) => cents) };
  }

  /** Has the COMMIT of a payment fail so many times. A sequence is not undone with its transaction. */
  async function failingCommits({ id }: Payment, state: string, times: number) {
    const name = `fails_${id.replace('-', '_')}`;
    await database.pool.query(`
      CREATE SEQUENCE ${name};
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('${name}') <= ${times} THEN RAISE EXCEPTION 'at COMMIT' USING ERRCODE = '${state}'; END IF;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER ${name} AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.payment = '${id}') EXECUTE FUNCTION ${name}()`);
  }

  const paid = { left: 700, entries: [300] };
  const unpaid = { left: 1000, entries: [] };

  async function claimOf({ id }: Payment) {
    return postgresStore({ pool: database.pool }).read(`pay#${id}`);
  }

  const options = <Store extends object>(store: Store) => ({
    operation: 'pay',
    store,
    key: ({ id }: Payment) => id,
    onAbandoned: 'park' as const,
    onEvent: quiet,
  });

  const through = <Tx>(library: string, { store: storeOn, pay }: Adapter<Tx>) =>
    describe(`through ${library}`, () => {
      it('commits statements and completion together, once', async () => {
        const payment = await newPayment();
        let runs = 0;
        const payOnce = once(options(storeOn(database.pool)), (one: Payment, claim) =>
          commit(claim, (tx: Tx) => {
            runs++;
            return pay(tx, one);
          }),
        );
        await Promise.allSettled([payOnce(payment), payOnce(payment)]);
        await payOnce(payment).catch(quiet);
        expect(await dataOf(payment)).toEqual(paid);
        expect(await claimOf(payment)).toMatchObject({ status: 'completed', attempts: 1 });
        expect(runs).toBe(1);
      });

      it.each([
        ['a statement fails', { cents: 2000 }, '23514', 'released'],
        ['an error of the author’s is thrown', { thrown: new TypeError('no such currency') }, 'TypeError', 'released'],
      ])('if %s, nothing is committed, and the error says why', async (_, { cents, thrown }: Broken, code, status) => {
        const payment = await newPayment(cents);
        const payOnce = once(options(storeOn(database.pool)), (one: Payment, claim) =>
          commit(claim, async (tx: Tx) => {
            await pay(tx, one);
            throw thrown;
          }),
        );
        const error = await payOnce(payment).then(quiet, (failed: unknown) => failed);
        expect(error).toBeInstanceOf(CommitRefusedError);
        expect((error as CommitRefusedError).refusals).toMatchObject([{ index: -1, code }]);
        expect((error as CommitRefusedError).cause).toBeInstanceOf(Error);
        expect(await dataOf(payment)).toEqual(unpaid);
        expect(await claimOf(payment)).toMatchObject({ status });
      });

      it.each([
        [new RejectedError('the account is closed'), 'rejected'],
        [new RetryableError('later'), 'released'],
      ])('lets %s through, and undoes what was done', async (thrown, status) => {
        const payment = await newPayment();
        const payOnce = once(options(storeOn(database.pool)), (one: Payment, claim) =>
          commit(claim, async (tx: Tx) => {
            await pay(tx, one);
            throw thrown;
          }),
        );
        await expect(payOnce(payment)).rejects.toBe(thrown);
        expect(await dataOf(payment)).toEqual(unpaid);
        expect(await claimOf(payment)).toMatchObject({ status });
      });

      it('runs all of it again when two transactions are in each other’s way', async () => {
        const both = [await newPayment(), await newPayment()] as const;
        const [one, two] = both.map(({ account }) => account) as [string, string];
        const barrier = { waiting: 0, open: Promise.withResolvers<void>() };
        let runs = 0;
        const payBoth = once(options(storeOn(database.pool)), (payment: Payment, claim) =>
          commit(claim, async (tx: Tx) => {
            const [first, second] = payment.account === one ? [one, two] : [two, one];
            runs++;
            await pay(tx, { ...payment, account: first, cents: 100 });
            if (++barrier.waiting === 2) barrier.open.resolve();
            await barrier.open.promise;
            await pay(tx, { id: `${payment.id}/2`, account: second, cents: 100 });
          }),
        );
        await Promise.all(both.map((payment) => payBoth(payment)));
        expect(runs).toBe(3);
        for (const payment of both) expect(await dataOf(payment)).toEqual({ left: 800, entries: [100] });
      });

      it.each<[string, CommitLoss]>([
        ['whose answer is lost', 'answer-lost'],
        ['that is never sent', 'never-sent'],
        ['that arrives after the next try has begun', { lateMs: 300 }],
      ])('a commit %s is settled by the next try, and happens once', async (_, loss) => {
        const payment = await newPayment();
        const { pool, lost } = losingCommits(database.pool, [loss]);
        const payOnce = once(options(storeOn(pool)), (one: Payment, claim) => commit(claim, (tx: Tx) => pay(tx, one)));
        await payOnce(payment).catch(quiet);
        expect(lost()).toBe(1);
        expect(await dataOf(payment)).toEqual(paid);
        expect(await claimOf(payment)).toMatchObject({ status: 'completed', attempts: 1 });
      });

      it('a COMMIT that fails with 40001 was undone: all of it runs again, and happens once', async () => {
        const payment = await newPayment();
        await failingCommits(payment, '40001', 2);
        let runs = 0;
        const payOnce = once(options(storeOn(database.pool)), (one: Payment, claim) =>
          commit(claim, (tx: Tx) => {
            runs++;
            return pay(tx, one);
          }),
        );
        await payOnce(payment);
        expect(runs).toBe(3);
        expect(await dataOf(payment)).toEqual(paid);
        expect(await claimOf(payment)).toMatchObject({ status: 'completed', attempts: 1 });
      });

      it('a COMMIT that a deferred constraint refuses has committed nothing, and says why', async () => {
        const payment = await newPayment();
        await failingCommits(payment, '23503', 1);
        const payOnce = once(options(storeOn(database.pool)), (one: Payment, claim) =>
          commit(claim, (tx: Tx) => pay(tx, one)),
        );
        await expect(payOnce(payment)).rejects.toMatchObject({ refusals: [{ index: -1, code: '23503' }] });
        expect(await dataOf(payment)).toEqual(unpaid);
        expect(await claimOf(payment)).toMatchObject({ status: 'released' });
      });

      it.each<[string, CommitLoss[]]>([
        ['of a new message', []],
        ['whose commit is lost after the server has it', ['answer-lost']],
        ['whose commit is never sent', ['never-sent']],
        ['whose commit arrives when a claim is being taken already', [{ lateMs: 300 }]],
        ['whose commits are lost again and again', ['never-sent', 'never-sent', { lateMs: 200 }, 'answer-lost']],
      ])('eachTransaction: the payment %s happens once, and is acknowledged', async (_, losses) => {
        const payment = await newPayment();
        const { pool } = losingCommits(database.pool, losses);
        const handler = eachTransaction<Payment, Tx>(
          { operation: 'pay', store: storeOn(pool), key: bodyField('id'), aws: noQueue, onEvent: quiet },
          ({ body }, tx) => pay(tx, body),
        );
        expect(failuresOf(await handler(sqsEvent(sqsRecord(payment)), context()))).toEqual([]);
        expect(await dataOf(payment)).toEqual(paid);
        expect(failuresOf(await handler(sqsEvent(sqsRecord(payment)), context()))).toEqual([]);
        expect(await dataOf(payment)).toEqual(paid);
      });
    });

  through('pg', pg);
  through('Drizzle', withDrizzle);
  through('Kysely', withKysely);

  interface Broken {
    readonly cents?: number;
    readonly thrown?: unknown;
  }

  const { pay } = pg;

  it('a worker whose claim was taken over runs no statement', async () => {
    const payment = await newPayment();
    const claims = postgresStore({ pool: database.pool });
    let runs = 0;
    const payOnce = once(options(claims), async (one: Payment, claim) => {
      const found = await claims.read(`pay#${one.id}`);
      if (found)
        await claims.write({ next: { ...found, claimId: 'another', fence: 2, rev: found.rev + 1 }, seen: found });
      await commit(claim, (tx: PoolClient) => {
        runs++;
        return pay(tx, one);
      });
    });
    await expect(payOnce(payment)).rejects.toThrow('another worker’s');
    expect(runs).toBe(0);
    expect(await dataOf(payment)).toEqual(unpaid);
  });

  it('a worker that stands still in its transaction loses it when its time is over', async () => {
    const payment = await newPayment();
    const claims = postgresStore({ pool: database.pool });
    const seen = record({ id: `pay#${payment.id}` });
    await claims.write({ next: seen, seen: undefined });
    const next = { ...seen, status: 'completed' as const, rev: 2 };
    const standing = claims.transact(
      { next, seen },
      async (tx) => {
        await pay(tx, payment);
        await new Promise((resolve) => setTimeout(resolve, 2000));
      },
      1000,
    );
    await expect(standing).rejects.toThrow();
    expect(await dataOf(payment)).toEqual(unpaid);
    expect(await claims.write({ next, seen })).toEqual({ applied: true });
  });

  describe('what would end the transaction is refused', () => {
    it.each([
      ['a commit of the author’s', (tx: PoolClient) => tx.query('COMMIT'), /COMMIT in a transaction of pawl/],
      [
        'one behind a comment',
        (tx: PoolClient) => tx.query('-- all\n/* of it */; COMMIT'),
        /COMMIT in a transaction of/,
      ],
      [
        'one at the end of a file of statements',
        (tx: PoolClient) => tx.query("UPDATE accounts SET cents = cents WHERE id = 'a; b';\nCOMMIT;\nSELECT 1"),
        /COMMIT in a transaction of pawl/,
      ],
      [
        'the first half of a commit of two phases',
        (tx: PoolClient) => tx.query("PREPARE TRANSACTION 'a'"),
        /PREPARE TRANSACTION in a transaction of pawl/,
      ],
      ['a begin', (tx: PoolClient) => tx.query('begin isolation level serializable'), /BEGIN in a transaction of pawl/],
      ['a connection given back', (tx: PoolClient) => tx.release(), /release\(\) of a connection that pawl/],
    ])('%s', async (_, end, said) => {
      const payment = await newPayment();
      const payOnce = once(options(postgresStore({ pool: database.pool })), (one: Payment, claim) =>
        commit(claim, async (tx: PoolClient) => {
          await pay(tx, one);
          await end(tx);
        }),
      );
      await expect(payOnce(payment)).rejects.toThrow(said);
      expect(await dataOf(payment)).toEqual(unpaid);
    });

    it('but a part may be undone', async () => {
      const payment = await newPayment();
      const payOnce = once(options(postgresStore({ pool: database.pool })), (one: Payment, claim) =>
        commit(claim, async (tx: PoolClient) => {
          await pay(tx, one);
          await tx.query('SAVEPOINT before');
          await pay(tx, one).catch(() => tx.query('ROLLBACK TO SAVEPOINT before'));
        }),
      );
      await payOnce(payment).catch(quiet);
      expect(await dataOf(payment)).toEqual(paid);
    });

    it('nor is a text that only quotes it', async () => {
      const payment = await newPayment();
      const payOnce = once(options(postgresStore({ pool: database.pool })), (one: Payment, claim) =>
        commit(claim, async (tx: PoolClient) => {
          await pay(tx, one);
          await tx.query(`SELECT 'a; commit', 'it''s; COMMIT', "x; END" FROM (SELECT 1 AS "x; END") AS y; -- ; COMMIT
            DO $do$ BEGIN PERFORM 1; END $do$; /* ; ABORT */ SELECT 1 AS "end"`);
        }),
      );
      await payOnce(payment);
      expect(await dataOf(payment)).toEqual(paid);
    });

    it('a statement after the function has returned', async () => {
      const payment = await newPayment();
      let late: unknown;
      const payOnce = once(options(postgresStore({ pool: database.pool })), async (one: Payment, claim) => {
        let kept: PoolClient | undefined;
        await commit(claim, (tx: PoolClient) => {
          kept = tx;
          return pay(tx, one);
        });
        late = await kept?.query('DELETE FROM entries').catch((error: unknown) => error);
      });
      await payOnce(payment).catch(quiet);
      expect(late).toMatchObject({ code: 'transaction-over' });
      expect(await dataOf(payment)).toEqual(paid);
    });

    it('and a failed statement whose error the author has caught commits nothing', async () => {
      const payment = await newPayment();
      const payOnce = once(options(postgresStore({ pool: database.pool })), (one: Payment, claim) =>
        commit(claim, async (tx: PoolClient) => {
          await pay(tx, one);
          await tx.query('SELECT FROM nowhere').catch(quiet);
        }),
      );
      await expect(payOnce(payment)).rejects.toThrow('did not let its error through');
      expect(await dataOf(payment)).toEqual(unpaid);
      expect(await claimOf(payment)).toMatchObject({ status: 'released' });
    });
  });

  describe('in phases', () => {
    const consumer = (handle: (message: { readonly body: Payment }, claim: Claim) => Promise<unknown>) =>
      eachMessage<Payment>(
        {
          ...options(postgresStore({ pool: database.pool })),
          key: bodyField('id'),
          onAbandoned: 'retry',
          aws: noQueue,
        },
        handle,
      );

    it('goes on where an earlier attempt stood: prepared once, called once, recorded once', async () => {
      const payment = await newPayment();
      const seen: string[] = [];
      let fails = 2;
      const handler = consumer(
        inPhases<{ readonly body: Payment }, { readonly id: string }, PoolClient>({
          prepare: ({ body }, tx) => pay(tx, body),
          execute(_, { effectKey }) {
            seen.push(effectKey);
            if (fails-- === 2) throw new RetryableError('the bank is closed');
            return { id: 'transfer-1' };
          },
          async record({ body }, { id }, tx) {
            if (fails-- === 0) throw new Error('nobody is perfect');
            await tx.query('UPDATE entries SET payment = $2 WHERE payment = $1', [body.id, `${body.id}/${id}`]);
          },
          onAbandoned: 'retry',
        }),
      );
      const message = sqsRecord(payment);
      for (const expected of [1, 1, 0]) {
        expect(failuresOf(await handler(sqsEvent(message), context()))).toHaveLength(expected);
      }
      const key = `pay#${payment.id}#execute`;
      expect(seen).toEqual([key, key]);
      expect(await dataOf(payment)).toEqual({ left: 700, entries: [] });
      expect(await dataOf({ ...payment, id: `${payment.id}/transfer-1` })).toMatchObject({ entries: [300] });
      expect(await claimOf(payment)).toMatchObject({ status: 'completed' });
    });

    it('has no transaction in the call: the one of prepare says so', async () => {
      const payment = await newPayment();
      const said: unknown[] = [];
      let kept: PoolClient | undefined;
      const handler = consumer(
        inPhases<{ readonly body: Payment }, void, PoolClient>({
          prepare(_, tx) {
            kept = tx;
          },
          async execute() {
            said.push(await kept?.query('SELECT 1').catch((error: unknown) => error));
          },
          record: ({ body }, _, tx) => pay(tx, body),
          onAbandoned: 'retry',
        }),
      );
      expect(failuresOf(await handler(sqsEvent(sqsRecord(payment)), context()))).toEqual([]);
      expect(said).toMatchObject([
        { code: 'transaction-over', message: expect.stringMatching(/use no transaction in a remote call/) },
      ]);
      expect(await dataOf(payment)).toEqual(paid);
    });

    it('commits a step once, whatever happens behind it', async () => {
      const payment = await newPayment();
      let fails = true;
      const handler = consumer(async ({ body }, claim) => {
        await commitStep(claim, 'pay', (tx: PoolClient) => pay(tx, body));
        if (fails) throw new RetryableError('later');
      });
      const message = sqsRecord(payment);
      expect(failuresOf(await handler(sqsEvent(message), context()))).toHaveLength(1);
      expect(await dataOf(payment)).toEqual(paid);
      fails = false;
      expect(failuresOf(await handler(sqsEvent(message), context()))).toEqual([]);
      expect(await dataOf(payment)).toEqual(paid);
    });
  });

  it('a store that cannot commit statements is refused before anything runs', async () => {
    const payOnce = once(options(memoryStore()), (_: Payment, claim) => commit(claim, quiet));
    await expect(payOnce({ id: 'x', account: 'x', cents: 1 })).rejects.toThrow('expected postgresStore({ pool })');
    const untyped = { operation: 'pay', store: memoryStore(), key: quiet } as never;
    expect(() => eachTransaction(untyped, quiet)).toThrow('expected postgresStore({ pool })');
  });

  it('a generator behind a wrapper is refused: its statements have not run', async () => {
    const payment = await newPayment();
    function* statements(tx: PoolClient, one: Payment) {
      yield pay(tx, one);
    }
    const payOnce = once(options(postgresStore({ pool: database.pool })), (one: Payment, claim) =>
      commit(claim, (tx: PoolClient) => statements(tx, one)),
    );
    await expect(payOnce(payment)).rejects.toThrow('the function of the transaction returned a generator');
    expect(await claimOf(payment)).toMatchObject({ status: 'released' });
  });

  it('a message of an outbox in DynamoDB is refused: nothing would send it', async () => {
    const { message } = dynamoOutbox({ tableName: 'outbox', aws: noQueue });
    const receipt = message({ to: 'https://sqs.eu-west-1.amazonaws.com/1/receipts', key: 'receipt', body: {} });
    const said = 'a message of dynamoOutbox was returned to a commit in PostgreSQL';
    for (const returned of [receipt, [receipt]]) {
      const payment = await newPayment();
      const payOnce = once(options(postgresStore({ pool: database.pool })), (one: Payment, claim) =>
        commit(claim, async (tx: PoolClient) => {
          await pay(tx, one);
          return returned;
        }),
      );
      await expect(payOnce(payment)).rejects.toThrow(said);
      expect(await dataOf(payment)).toEqual(unpaid);
      expect(await claimOf(payment)).toMatchObject({ status: 'released' });
    }
  });

  it('what belongs to a store in DynamoDB says so of one in PostgreSQL', async () => {
    const store = postgresStore({ pool: database.pool });
    const said = /what there is over PostgreSQL/;
    expect(() => transactionalStore(store as never)).toThrow(said);
    expect(() => dynamoLockStore(store as never)).toThrow(said);
    const all = { store, id: 'a', work: 'w', fence: { ConditionCheck: {} } } as never;
    await expect(forEachItem(['a'], all, () => [])).rejects.toThrow(said);
    const options = { pool: database.pool, restored: true } as never;
    expect(() => postgresStore(options)).toThrow('has no mark of it yet');
    const payOnce = once(
      { operation: 'pay', store, key: () => 'of-dynamodb', onAbandoned: 'park', onEvent: quiet },
      (_: object, claim) => commitWrites(claim, [{ Put: { TableName: 'x', Item: {} } }]),
    );
    await expect(payOnce({})).rejects.toThrow('import the function from pawl/postgres');
  });
});
