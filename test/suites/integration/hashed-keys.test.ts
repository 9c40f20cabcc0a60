import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { bodyField as bodyFieldOf, httpOnce, onceOverHttp, scopedKey } from '../../../lib/pawl/http/index.ts';
import { type ClaimEvent, type ClaimOptions, hashed, once, reconcile, step } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { type Aws, type DynamoStore, dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/** `hideKeys: hashed(secret)`, at every door and for the operator: the table, its index, the events and the effect keys have no byte of a key. */

const secret = 'a secret of the customers';
const email = 'maria@example.com';
const amount = 7001;

let client: DynamoDBClient;
let aws: Aws;
let tableName = '';
let store: DynamoStore;
let events: ClaimEvent[] = [];
let more: Partial<Omit<ClaimOptions<unknown>, 'onAbandoned' | 'watched'>> = {};
let calls: { readonly key: string; readonly effectKey: string }[] = [];
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  aws = sdk({ dynamodb: client });
});
beforeEach(async () => {
  tableName = await claimsTable(client);
  store = dynamoStore({ tableName, aws });
  [events, calls, more] = [[], [], {}];
});
afterAll(() => client.destroy());

const options = (): ClaimOptions<unknown> & { readonly onAbandoned: 'park'; readonly watched: true } => ({
  operation: 'newsletter',
  store,
  onAbandoned: 'park',
  hideKeys: hashed(secret),
  // Its index has the claim while it runs.
  watched: true,
  onEvent: (event) => events.push(event),
  ...more,
});

interface Mail {
  readonly email: string;
  readonly amount: number;
}
type Handled = { readonly key: string; readonly effectKey: string } | undefined;

const mailed = (claim: Handled) => {
  calls.push({ key: claim?.key ?? '', effectKey: claim?.effectKey ?? '' });
};
const request = (mail: Mail) => apiGatewayV2({ body: JSON.stringify(mail) });
const toQueue = (handler: (event: never, context: never) => unknown) => (mail: Mail) =>
  handler(sqsEvent(sqsRecord(mail)) as never, context() as never);

/** Each door: what handles one request. */
const doors: Readonly<Record<string, () => (mail: Mail) => unknown>> = {
  once: () =>
    once({ ...options(), key: (mail: Mail) => mail.email, fingerprint: { ignore: [] } }, async (_, claim) =>
      mailed(claim),
    ).outcome,
  eachMessage: () =>
    toQueue(
      eachMessage<Mail>({ ...options(), aws: noQueue, key: bodyField('email') }, async (_, claim) => mailed(claim)),
    ),
  sqsOnce: () =>
    toQueue(
      middy(async ({ Records }: SQSEvent) => Records.map(() => mailed(undefined)), { timeoutEarlyInMillis: 0 }).use(
        sqsOnce<Mail>({ ...options(), aws: noQueue, key: bodyField('email') }),
      ) as never,
    ),
  eachTransaction: () => {
    const { onAbandoned: _, watched: __, ...others } = options();
    return toQueue(
      eachTransaction<Mail>(
        { ...others, store: transactionalStore(store), aws: noQueue, key: bodyField('email') },
        () => {
          mailed(undefined);
          return [];
        },
      ),
    );
  },
  onceOverHttp: () => {
    const served = onceOverHttp<ReturnType<typeof request>, object, unknown>(
      { ...options(), caller: 'anyone', key: bodyFieldOf('email') },
      (_, __, claim) => {
        mailed(claim);
        return { statusCode: 201 };
      },
    );
    return (mail) => served(request(mail), context() as never);
  },
  httpOnce: () => {
    const served = async () => {
      mailed(undefined);
      return { statusCode: 201 };
    };
    const handler = middy(served, { timeoutEarlyInMillis: 0 }).use(
      httpOnce<ReturnType<typeof request>>({ ...options(), caller: 'anyone', key: bodyFieldOf('email') }),
    );
    return (mail) => handler(request(mail) as never, context() as never);
  },
};

/** Commits its effect with its claim, and is not watched. */
const observing = Object.keys(doors).filter((name) => name !== 'eachTransaction');

describe.each(observing)('where a share of the keys is enforced, and the secret is missing, %s', (name) => {
  it('runs nothing: a key of the share would have no gate', async () => {
    const handle = (options: typeof more) => {
      more = options;
      const served = doors[name]?.() ?? expect.unreachable();
      return Promise.resolve(served({ email, amount })).catch((error: unknown) => error);
    };
    const hideKeys = hashed(undefined);
    for (const enforce of [0.01, 0.99, 1]) await handle({ hideKeys, enforce });
    expect(calls).toEqual([]);
    expect(await written()).not.toContain('newsletter');
    // Without a gate, nothing depends on the secret.
    await handle({ hideKeys, mode: 'observe' });
    expect(calls).toHaveLength(1);
  });
});

/** Everything that the table and its index hold. */
async function written(): Promise<string> {
  const scans = [undefined, 'open'].map((IndexName) =>
    client.send(new ScanCommand({ TableName: tableName, IndexName })),
  );
  return JSON.stringify((await Promise.all(scans)).map(({ Items }) => Items));
}

describe.each(Object.keys(doors))('under hashed keys, %s', (name) => {
  it('handles a key once, and leaves no byte of it in the table, its index, an event or an effect key', async () => {
    const handle = doors[name]?.() ?? expect.unreachable();
    const completions = () => events.filter(({ type }) => type === 'completed');
    await handle({ email, amount });
    await handle({ email, amount });
    expect(completions()).toHaveLength(1);
    const kept = await written();
    expect(kept).toContain('newsletter#hmac:');
    for (const text of [kept, JSON.stringify(events), JSON.stringify(calls)]) {
      expect(text).not.toContain(email);
      expect(text).not.toContain(Buffer.from(email).toString('base64').slice(0, 16));
    }
    // Another payload under the key is still told from this one.
    await handle({ email, amount: amount + 1 });
    expect(completions()).toHaveLength(1);
    expect(events.map(({ type }) => type)).toContain('key-reused');
  });

  it('is known to nobody without the secret, and to who has it by the key as it is', async () => {
    await doors[name]?.()({ email, amount });
    const key = name === 'onceOverHttp' || name === 'httpOnce' ? keyOverHttp : email;
    const found = { operation: 'newsletter', key };
    expect(await operator({ store, hideKeys: hashed(secret) }).readClaim(found)).toMatchObject({ status: 'completed' });
    expect(await operator({ store }).readClaim(found)).toBeUndefined();
    expect(await operator({ store, hideKeys: hashed(`${secret} of others`) }).readClaim(found)).toBeUndefined();
  });
});

/** The key of a request whose caller is nobody in particular. */
const keyOverHttp = scopedKey('anyone', email);

it('after forget, the table, its index and the events of the operator have no byte of key, result or attribute, and a duplicate is refused', async () => {
  const mail = once(
    {
      ...options(),
      key: (one: Mail) => one.email,
      attributes: (one) => ({ to: one.email }),
      fingerprint: { ignore: [] },
    },
    async ({ email: to }) => ({ to, sum: amount }),
  );
  await mail({ email, amount });
  expect(await written()).toContain(email);
  const acts: unknown[] = [];
  const operate = operator({ store, hideKeys: hashed(secret), onEvent: (act) => acts.push(act) });
  const done = await operate.forget({ operation: 'newsletter', key: email }, { by: 'tom', note: 'request 4711' });
  expect(done).toMatchObject({ outcome: 'forgotten' });
  // Both are keyed: nobody can try out what they are the hash of.
  expect(done).toMatchObject({
    notReached: ['other-claims', 'findings', 'dead-letters', 'logs', 'backups', 'provider'],
  });
  for (const text of [await written(), JSON.stringify(acts)]) {
    expect(text).not.toContain(email);
    expect(text).not.toContain(String(amount));
  }
  expect(await mail.outcome({ email, amount })).toMatchObject({ outcome: 'completed' });
  await expect(mail.outcome({ email, amount: 1 })).resolves.toMatchObject({ outcome: 'key-reused' });
});

it('two operations have two hashes of a key, and so have two secrets', async () => {
  const of = (operation: string, by: string) =>
    once({ ...options(), operation, hideKeys: hashed(by), key: (mail: Mail) => mail.email }, async (_, claim) =>
      mailed(claim),
    );
  for (const operation of ['newsletter', 'invoice']) {
    for (const by of [secret, `${secret} of others`]) await of(operation, by)({ email, amount });
  }
  const hashes = calls.map(({ key }) => key);
  expect(new Set(hashes).size).toBe(4);
  for (const key of hashes) expect(key).toMatch(/^hmac:[0-9a-f]{64}$/);
});

it('without its secret nothing runs and nothing is lost, and no message names a secret', async () => {
  const handler = eachMessage<Mail>(
    { ...options(), hideKeys: hashed(undefined), aws: noQueue, key: bodyField('email') },
    async (_, claim) => mailed(claim),
  );
  const record = sqsRecord({ email, amount });
  const response = await handler(sqsEvent(record) as never, context() as never).catch((error: unknown) => error);
  expect(JSON.stringify(response)).not.toContain('"batchItemFailures":[]');
  expect(calls).toEqual([]);
  expect(() => hashed('guessed')).toThrow('hashed: expected a secret of at least 16 characters; got a text of 7');
  expect(() => hashed(7 as never)).toThrow(/hashed: expected a secret/);
  expect(() => once({ ...options(), hideKeys: secret as never, key: () => 'k' }, () => 1)).toThrow(
    /hideKeys: expected hashed\(secret\)/,
  );
  const producer = {
    operation: 'newsletter',
    store,
    queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/q',
    aws: noQueue,
  };
  expect(() => sendOnce({ ...producer, hideKeys: hashed(secret) } as never)).toThrow(/its key travels in the message/);
});

it('asks the provider for the very effect key that it was given, also where that is a hash: a sweep has no secret', async () => {
  const operation = 'o'.repeat(128);
  const [given, asked]: [string[], string[]] = [[], []];
  const ask = ({ effectKey }: { readonly effectKey: string }) => {
    asked.push(effectKey);
    return { verdict: 'inconclusive' } as const;
  };
  const failing = once({ ...options(), operation, key: () => email, onAbandoned: 'retry' }, (_, claim) =>
    step(
      claim,
      's'.repeat(64),
      ({ effectKey }) => {
        given.push(effectKey);
        throw new Error('the connection was reset');
      },
      { onAbandoned: reconcile({ ask, settleMs: 0 }) },
    ),
  );
  await failing(undefined).catch(() => undefined);
  await sweepOpenClaims({
    store,
    operations: { [operation]: { onAbandoned: reconcile({ ask, settleMs: 0 }) } },
    onReport: () => undefined,
    onEvent: () => undefined,
    // A doubt that is younger than the clocks may differ is left alone.
    host: { ...nodeHost, now: () => nodeHost.now() + 10_000 },
  })();
  expect(given).toHaveLength(1);
  expect(given[0]).toContain('#sha256:');
  expect(asked).toEqual(given);
});
