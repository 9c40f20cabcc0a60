import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { postgresStore } from '../../../lib/pawl/stores/postgres/store.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';

/** No request is so slow that another one goes beside it: how fast the machine is decides nothing. */
const host = {
  now: () => 0,
  random: () => 0,
  after(ms: number, callback: () => void) {
    const turn = ms === 0 ? setImmediate(callback) : undefined;
    return () => clearImmediate(turn);
  },
};

/** Says how many claims a request opens, less those that it ends, and returns once the request is applied. */
type Asked = (opened: number) => Promise<void>;

const stores: readonly (readonly [string, number, number, (asked: Asked) => ClaimStore])[] = [
  // A request has 25 parts: one of them is without its pair.
  ['dynamoStore', 25, 26, overDynamo],
  ['postgresStore', 100, 100, overPostgres],
];

it.each(stores)(
  '%s: of a worker that may run %d at once, %d claims are open at most, wherever between two requests it dies',
  async (_, concurrency, atMost, over) => {
    let open = 0;
    let mostOpen = 0;
    let waiting: { readonly opened: number; readonly apply: () => void }[] = [];
    /** Whatever was sent together is applied in the worst order. */
    function apply() {
      const sent = waiting.toSorted((a, b) => b.opened - a.opened);
      waiting = [];
      for (const one of sent) {
        open += one.opened;
        mostOpen = Math.max(mostOpen, open);
        one.apply();
      }
    }
    const store = over((opened) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (waiting.length === 0) setTimeout(apply, 5);
      waiting.push({ opened, apply: resolve });
      return promise;
    });
    const handler = eachMessage(
      { operation: 'pay', store, key: bodyField('id'), onAbandoned: 'park', concurrency, onEvent: () => undefined },
      async () => undefined,
    );
    const keys = Array.from({ length: 4 * concurrency }, (_, i) => `o-${i}`);
    const event = sqsEvent(...keys.map((id) => sqsRecord({ id })));
    expect(await handler(event, context())).toEqual({ batchItemFailures: [] });
    expect(open).toBe(0);
    expect(mostOpen).toBe(atMost);
  },
);

function overDynamo(asked: Asked): ClaimStore {
  const client = {
    async send({
      input: { Statements },
    }: {
      readonly input: { readonly Statements: { readonly Statement: string }[] };
    }) {
      const inserts = Statements.filter(({ Statement }) => Statement.startsWith('INSERT')).length;
      await asked(2 * inserts - Statements.length);
      return { Responses: Statements.map(() => ({})) };
    },
  } as unknown as DynamoDBClient;
  return dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host });
}

function overPostgres(asked: Asked): ClaimStore {
  const client = {
    async query(_: string, values: unknown[] = []) {
      const [ids, seenRevs] = [values[0], values.at(-1)] as [string[], (number | null)[]];
      const inserts = seenRevs.filter((rev) => rev === null).length;
      await asked(2 * inserts - ids.length);
      return { rows: ids.map((id) => ({ id })) };
    },
    release: () => undefined,
  };
  return postgresStore({ pool: { connect: async () => client }, host });
}
