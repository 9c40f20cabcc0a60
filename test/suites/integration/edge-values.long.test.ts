import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type HttpEvent, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type ClaimStore, memoryStore, once, step } from '../../../lib/pawl/index.ts';
import { errorKind } from '../../../lib/pawl/kernel/error-kind.ts';
import { dynamoLockStore, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { dynamoStore as leanStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context } from '../../support/lambda.ts';
import { localLean } from '../../support/lean.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/**
 * Values at the edges of what DynamoDB, SQS, JSON and JavaScript hold, in every place that takes data from a caller. Such a value works; or it is refused
 * with a sentence of pawl's before anything runs; or, where it comes after the effect, the effect is recorded without it. The calls that share its requests
 * are never harmed, and each store says the same.
 */

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}
const cycle: Record<string, unknown> = {};
cycle['itself'] = cycle;
const throwing = {
  get amount(): number {
    throw new Error('a getter of the author’s');
  },
};

const values: Readonly<Record<string, unknown>> = {
  'an empty text': '',
  'a space': ' ',
  NUL: 'a\0b',
  'a lone surrogate': 'a\ud800',
  'half of a character at the cut': `${'x'.repeat(511)}😀`,
  'right-to-left': 'a\u202eb',
  'a separator': 'a#b~c/d',
  'a text like a hash': 'sha256:17',
  __proto__: '__proto__',
  '2,049 bytes': 'x'.repeat(2049),
  '70,000 bytes': 'x'.repeat(70_000),
  '500,000 bytes': 'é'.repeat(250_000),
  '0': 0,
  '-0': -0,
  '1e-130': 1e-130,
  '1e-131': 1e-131,
  'the least number': Number.MIN_VALUE,
  '9.9e125': 9.9e125,
  '1e126': 1e126,
  '1e200': 1e200,
  'the largest number': Number.MAX_VALUE,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '2^53': 2 ** 53,
  '0.1': 0.1,
  true: true,
  null: null,
  undefined: undefined,
  'a bigint': 17n,
  'a symbol': Symbol('a'),
  'a function': () => 'a',
  'a list': [],
  'a sparse list': new Array(3),
  'an object': {},
  'an object without prototype': Object.create(null),
  '40 levels': nested(40),
  '5,000 levels': nested(5000),
  'a date': new Date(0),
  'an invalid date': new Date(Number.NaN),
  'a map': new Map([['a', 1]]),
  'an empty set': new Set(),
  bytes: new Uint8Array([1, 2]),
  'a promise': Promise.resolve('a'),
  'a cycle': cycle,
  'a getter that throws': throwing,
  'a toJSON that throws': {
    toJSON() {
      throw new Error('no JSON');
    },
  },
};

let client: DynamoDBClient;
let tableName: string;
const lean = localLean(inject('dynamoEndpoint'));
beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(client);
});
afterAll(() => {
  client.destroy();
  lean.destroy();
});

const stores: Readonly<Record<string, () => ClaimStore>> = {
  memoryStore: () => memoryStore(),
  dynamoStore: () => dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  individualDynamoStore: () => individualDynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  'dynamoStore of pawl/dynamodb/lean': () => leanStore({ tableName, aws: lean }),
};

let count = 0;
const fresh = () => `k-${++count}`;
const shared = (store: ClaimStore) =>
  ({ operation: 'edge', store, onAbandoned: 'park', onEvent: () => undefined }) as const;

/** What came of a value in a place. `ran`: how often the effect happened. */
interface Came {
  readonly end: 'works' | 'refused' | 'fails';
  readonly ran: number;
}

interface Place {
  /** Whether the value comes after the effect, so that it can never be refused. */
  readonly after?: true;
  /** Whether nothing but a text can come there: it is a name, or from the network. */
  readonly texts?: true;
  /** @param run the effect */
  readonly use: (store: ClaimStore, value: never, run: () => void) => Promise<unknown>;
}

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/edges';
const request = (headers: Record<string, string>) => apiGatewayV2({ headers, body: '{"amount":1}' });

const places: Readonly<Record<string, Place>> = {
  'a key': { use: (store, value, run) => once({ ...shared(store), key: () => value }, run).outcome('in') },
  'an attribute': {
    use: (store, value, run) =>
      once({ ...shared(store), key: fresh, attributes: () => ({ amount: value }) }, run)('in'),
  },
  'the name of an attribute': {
    texts: true,
    use: (store, value, run) =>
      once({ ...shared(store), key: fresh, attributes: () => ({ [value as string]: 17 }) }, run)('in'),
  },
  attributes: {
    use: (store, value, run) => once({ ...shared(store), key: fresh, attributes: () => value }, run)('in'),
  },
  'an intent': {
    use: (store, value, run) => once({ ...shared(store), key: fresh, fingerprint: { ignore: [] } }, run)(value),
  },
  'the text of an intent': {
    use: (store, value, run) => once({ ...shared(store), key: fresh, fingerprint: () => value }, run)('in'),
  },
  'a result': {
    after: true,
    async use(store, value, run) {
      const key = fresh();
      const call = once({ ...shared(store), key: () => key, maxResultBytes: 300_000 }, async () => {
        run();
        return value;
      });
      await call.outcome('in');
      expect(await call.outcome('in')).toMatchObject({ outcome: 'completed', replayed: true });
    },
  },
  'the result of a step': {
    after: true,
    async use(store, value, run) {
      const done = async () => {
        run();
        return value as unknown;
      };
      await once({ ...shared(store), key: fresh, maxResultBytes: 300_000 }, async (_: string, claim) => {
        await step(claim, 'one', done, { onAbandoned: 'park' });
      })('in');
    },
  },
  'what a handler throws': {
    after: true,
    async use(store, value, run) {
      const key = fresh();
      const call = once({ ...shared(store), key: () => key }, () => {
        run();
        throw value;
      });
      await call('in').catch(() => undefined);
      expect((await store.read(`edge#${key}`))?.status).toBe('parked');
    },
  },
  'the message and the name of an error': {
    after: true,
    async use(store, value, run) {
      const key = fresh();
      const call = once({ ...shared(store), key: () => key }, () => {
        run();
        throw Object.assign(new Error('x'), { message: value, name: value });
      });
      await call('in').catch(() => undefined);
      expect((await store.read(`edge#${key}`))?.status).toBe('parked');
    },
  },
  'who resolves a claim': { use: (store, value, run) => resolved(store, { by: value, note: 'seen' }, run) },
  'the note of a resolution': { use: (store, value, run) => resolved(store, { by: 'maria', note: value }, run) },
  'a header': { texts: true, use: (store, value, run) => http(store, {}, { 'idempotency-key': value }, run) },
  'a caller': {
    use: (store, value, run) => http(store, { caller: () => value }, { 'idempotency-key': `"${fresh()}"` }, run),
  },
  'the body of a response': {
    after: true,
    async use(store, value, run) {
      const headers = { 'idempotency-key': `"${fresh()}"` };
      await http(store, {}, headers, run, { body: value });
      expect(await http(store, {}, headers, run, { body: value })).toMatchObject({ statusCode: expect.any(Number) });
    },
  },
  'the headers of a response': {
    after: true,
    use: (store, value, run) =>
      http(store, {}, { 'idempotency-key': `"${fresh()}"` }, run, { headers: value, body: 'x' }),
  },
  'the key of a message': { use: (store, value, run) => sent(store, { key: value, body: 1 }, run) },
  'the intent of a message': { use: (store, value, run) => sent(store, { key: fresh(), intent: value, body: 1 }, run) },
  'the key beside an intent': {
    use: (store, value, run) => sent(store, { key: value, intent: fresh(), body: 1 }, run),
  },
  'the body of a message': { use: (store, value, run) => sent(store, { key: fresh(), body: value }, run) },
};

async function resolved(store: ClaimStore, by: never | object, run: () => void): Promise<unknown> {
  const key = fresh();
  const failing = once({ ...shared(store), key: () => key }, () => {
    throw new Error('unknown');
  });
  await failing('in').catch(() => undefined);
  const came = await resolverOf({ operation: 'edge', store }).resolve(key, 'applied', by as never);
  run();
  return came;
}

async function http(
  store: ClaimStore,
  options: object,
  headers: object,
  run: () => void,
  response: object = {},
): Promise<unknown> {
  const call = onceOverHttp(
    { ...shared(store), caller: 'anyone', ...options } as never,
    async (_: HttpEvent, __: ReturnType<typeof context>) => {
      run();
      return { statusCode: 201, ...response };
    },
  );
  const came = (await call(request(headers as Record<string, string>), context(20_000))) as {
    readonly statusCode: number;
  };
  if (came.statusCode >= 500) throw new Error(`the answer was ${came.statusCode}`);
  if (came.statusCode >= 400) throw Object.assign(new Error('refused'), { 'pawl.error': 'invalid-message' });
  return came;
}

function sent(store: ClaimStore, message: object, run: () => void): Promise<unknown> {
  const sqsClient = { send: async () => ({ MessageId: `m-${run()}` }) };
  const { operation, onEvent } = shared(store);
  return sendOnce({ operation, store, onEvent, queueUrl, aws: sdk({ sqs: sqsClient as never }) })(message as never);
}

/** The errors that say that a caller's value was refused, or that the author's own code threw. */
const refusals: readonly unknown[] = ['option', 'invalid-message', 'fingerprint', 'wrong-return'];
const authors = /of the author’s|no JSON|an author's|canonical|getter/;

async function usedIn(place: Place, store: ClaimStore, value: unknown): Promise<Came> {
  let ran = 0;
  try {
    await place.use(store, value as never, () => ran++);
    return { end: 'works', ran };
  } catch (error) {
    const isRefused = refusals.includes(errorKind(error)) || authors.test(String((error as Error)?.message));
    if (!isRefused) throw error;
    return { end: 'refused', ran };
  }
}

describe.each(Object.entries(stores))('%s', (name, makeStore) => {
  describe.each(Object.entries(places))('%s', (_, place) => {
    it('takes each value, refuses it before anything runs, or records the effect without it; its neighbours work', async () => {
      const came: Record<string, unknown> = {};
      const store = makeStore();
      const neighbour = once({ ...shared(store), key: (key: string) => key }, () => 'done');
      const tried = Object.entries(values).filter(([, value]) => !place.texts || typeof value === 'string');
      // At the same time, so that all of them share requests.
      await Promise.all(
        tried.map(async ([what, value]) => {
          const [used, ...neighbours] = await Promise.allSettled([
            usedIn(place, store, value),
            neighbour.outcome(fresh()),
          ]);
          const harmed = neighbours.filter((one) => one.status === 'rejected' || one.value.outcome !== 'completed');
          if (harmed.length > 0) came[what] = `harms ${harmed.length} neighbours`;
          else if (used.status === 'rejected') came[what] = used.reason;
          else if (place.after && (used.value.end !== 'works' || used.value.ran !== 1)) came[what] = used.value;
          else if (used.value.end === 'refused' && used.value.ran > 0) came[what] = used.value;
        }),
      );
      expect(came).toEqual({});
    });
  });

  it('takes each value as a resource, or refuses it before anything is locked', async () => {
    const locks = resourceLocks({
      store:
        name === 'memoryStore'
          ? memoryLockStore()
          : dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
    });
    const came: Record<string, unknown> = {};
    for (const [what, value] of Object.entries(values)) {
      for (const [resource, options] of [
        [[fresh(), value], { holder: 'h' }],
        [[fresh(), 'a'], { holder: value }],
        [[fresh(), 'a'], { holder: 'h', reason: value }],
      ] as const) {
        try {
          const lock = await locks.lockAll([resource as never], options as never);
          await lock.unlock();
        } catch (error) {
          if (!refusals.includes(errorKind(error))) came[what] = error;
        }
      }
    }
    expect(came).toEqual({});
  });
});
