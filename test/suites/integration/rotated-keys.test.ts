import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { bodyField as bodyFieldOf, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { hashed, once } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { type DynamoStore, dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/** The steps by which the secret of hidden keys is changed (docs/guides/keys.md), at the doors. Every order of them, under kills: test/proof/rotation.test.ts. */

const secrets = { old: 'the secret of last year', new: 'the secret of this year' } as const;
type Version = 'old' | 'both' | 'new';

interface Letter {
  readonly email: string;
}

let client: DynamoDBClient;
let store: DynamoStore;
let tableName = '';
let sent: string[] = [];
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
});
beforeEach(async () => {
  tableName = await claimsTable(client);
  store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  sent = [];
});
afterAll(() => client.destroy());

const under = (secret: keyof typeof secrets) => ({
  ...{ operation: 'newsletter', store, onAbandoned: 'park' as const, onEvent: () => undefined },
  hideKeys: hashed(secrets[secret]),
});

const send = async ({ email }: Letter) => {
  sent.push(email);
};
const inside = () => once({ ...under('new'), key: ({ email }: Letter) => email }, send);
const secretOf = (version: Version) => (version === 'new' ? 'new' : 'old');

/** Each door in each version: what handles one request. */
const doors: Readonly<Record<string, (version: Version) => (letter: Letter) => Promise<unknown>>> = {
  once(version) {
    const inner = inside();
    const options = { ...under(secretOf(version)), key: ({ email }: Letter) => email };
    return once(options, (letter: Letter, claim) =>
      version === 'both' ? inner(letter, { remainingMs: () => claim.remainingMs() }) : send(letter),
    );
  },
  eachMessage(version) {
    const inner = inside();
    const handler = eachMessage<Letter>(
      { ...under(secretOf(version)), aws: noQueue, key: bodyField('email') },
      ({ body }, claim) => (version === 'both' ? inner(body, { remainingMs: () => claim.remainingMs() }) : send(body)),
    );
    return async (letter) => handler(sqsEvent(sqsRecord(letter)) as never, context() as never);
  },
  sqsOnce(version) {
    const inner = inside();
    const each = ({ Records }: SQSEvent) =>
      Promise.allSettled(
        Records.map(async ({ body }) => (version === 'both' ? inner(JSON.parse(body)) : send(JSON.parse(body)))),
      );
    const handler = middy(each, { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Letter>({ ...under(secretOf(version)), aws: noQueue, key: bodyField('email') }),
    );
    return async (letter) => handler(sqsEvent(sqsRecord(letter)) as never, context() as never);
  },
  onceOverHttp(version) {
    type Request = ReturnType<typeof apiGatewayV2>;
    const options = { caller: 'anyone' as const, key: bodyFieldOf('email') };
    const served = async ({ body }: Request) => {
      await send(JSON.parse(body ?? ''));
      return { statusCode: 201, body: 'sent' };
    };
    // Over HTTP, the door itself is inside of the door: the record of a response is its own.
    const inner = onceOverHttp<Request, object, unknown>({ ...under('new'), ...options }, served);
    const handler = onceOverHttp<Request, object, unknown>(
      { ...under(secretOf(version)), ...options },
      (event, given) => (version === 'both' ? inner(event, given) : served(event)),
    );
    return async (letter) => {
      const response = await handler(apiGatewayV2({ body: JSON.stringify(letter) }) as Request, context());
      expect(response).toMatchObject({ statusCode: 201, body: 'sent' });
    };
  },
};

describe.each(Object.keys(doors))('a secret that is changed at %s', (name) => {
  const at = (version: Version) => doors[name]?.(version) ?? expect.unreachable();

  it('on the way there, what the version before has done is done', async () => {
    await at('old')({ email: 'a@example.com' });
    await at('both')({ email: 'a@example.com' });
    expect(sent).toEqual(['a@example.com']);
  });

  it('what the version between has done is done for the one before it, and for the one after it', async () => {
    await at('both')({ email: 'b@example.com' });
    await at('old')({ email: 'b@example.com' });
    await at('new')({ email: 'b@example.com' });
    expect(sent).toEqual(['b@example.com']);
  });

  it('on the way back, what the new version has done is done', async () => {
    await at('new')({ email: 'c@example.com' });
    await at('both')({ email: 'c@example.com' });
    await at('both')({ email: 'c@example.com' });
    expect(sent).toEqual(['c@example.com']);
  });

  it('what the old version alone has done, the new one does not know: so the version between stays as long as it may come again', async () => {
    await at('old')({ email: 'd@example.com' });
    await at('new')({ email: 'd@example.com' });
    expect(sent).toHaveLength(2);
  });

  it('hides the key under either secret, and an operator finds it with each', async () => {
    await at('both')({ email: 'e@example.com' });
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
    expect(Items).toHaveLength(2);
    expect(JSON.stringify(Items)).not.toContain('e@example.com');
    if (name === 'onceOverHttp') return;
    for (const secret of Object.values(secrets)) {
      const claim = await operator({ store, hideKeys: hashed(secret) }).readClaim({
        operation: 'newsletter',
        key: 'e@example.com',
      });
      expect(claim).toMatchObject({ status: 'completed' });
    }
  });
});

it('while the version between has its effect, workers before it and after it wait', async () => {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const key = ({ email }: Letter) => email;
  const inner = once({ ...under('new'), key }, async (letter: Letter) => {
    begun.resolve();
    await goOn.promise;
    await send(letter);
  });
  const both = once({ ...under('old'), key }, (letter: Letter) => inner(letter));
  const letter = { email: 'f@example.com' };
  const first = both(letter);
  await begun.promise;
  for (const secret of ['old', 'new'] as const)
    expect(await once({ ...under(secret), key }, send).outcome(letter)).toMatchObject({ outcome: 'in-flight' });
  goOn.resolve();
  await first;
  expect(sent).toEqual([letter.email]);
});
