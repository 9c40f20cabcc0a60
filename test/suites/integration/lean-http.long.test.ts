import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/engine/events.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, type LeanOptions, lean } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { startHttpServer } from '../../../lib/rehearsal/engine/http.ts';
import { type Arrival, type FaultyHttp, type HttpFault, startFaultyHttp } from '../../support/faulty-http.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * Real sockets between the lean transport and DynamoDB Local, on which things go wrong. Each run handles batches through a consumer, and its handler counts:
 * an effect that is missing is a lost claim, a second one a doubled claim.
 */

const dynamo = inject('dynamoEndpoint');
const sdk = localClient(dynamo);
let tableName: string;
let runs = 0;

beforeAll(async () => {
  tableName = await claimsTable(sdk);
});
afterAll(() => sdk.destroy());

/** Waits a twentieth of a pause, and the whole time for a response: this machine may be busy. */
const hasty: Host = { ...nodeHost, after: (ms, run) => nodeHost.after(ms < 3000 ? ms / 20 : ms, run) };
/** Gives a response a sixth of its time, where the tests wait for the time to be over. */
const impatient: Host = { ...nodeHost, after: (ms, run) => nodeHost.after(ms / 6, run) };

const credentials = { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: 'token-1' };

interface Handled {
  /** How often each key had its effect. */
  readonly effects: Readonly<Record<string, number>>;
  readonly failures: number;
  readonly events: readonly ClaimEvent[];
  readonly server: FaultyHttp;
}

interface Way {
  readonly faultOf: (arrival: Arrival) => HttpFault | undefined;
  readonly now?: () => number;
  readonly options?: LeanOptions;
}

/** Batches of 1, of 10, and of 10 duplicates of them, through a server that makes trouble. */
async function handleBatches({ faultOf, now, options }: Way): Promise<Handled> {
  await using stack = new AsyncDisposableStack();
  const server = await startFaultyHttp({ endpoint: dynamo, ...(now && { now }) }, faultOf);
  stack.defer(() => server.stop());
  const aws = lean({
    endpoints: { dynamodb: server.endpoint },
    region: 'us-east-1',
    credentials,
    host: hasty,
    ...options,
  });
  stack.defer(() => aws.destroy());
  const effects: Record<string, number> = {};
  const events: ClaimEvent[] = [];
  const handler = eachMessage<{ id: string }>(
    {
      operation: `lean-${runs++}`,
      store: dynamoStore({ tableName, aws }),
      key: bodyField('id'),
      onAbandoned: 'park',
      onEvent: (event) => events.push(event),
      backoffSeconds: () => undefined,
    },
    ({ body }) => {
      effects[body.id] = (effects[body.id] ?? 0) + 1;
    },
  );
  const record = (id: string, copy: string) => ({
    messageId: `${id}-${copy}`,
    receiptHandle: id,
    body: JSON.stringify({ id }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders',
  });
  const context = { getRemainingTimeInMillis: () => 60_000 };
  const ten = Array.from({ length: 10 }, (_, index) => `key-${index}`);
  let failures = 0;
  for (const [copy, ids] of [
    ['first', ['alone']],
    ['first', ten],
    ['again', ten],
  ] as const) {
    const { batchItemFailures } = await handler({ Records: ids.map((id) => record(id, copy)) }, context);
    failures += batchItemFailures.length;
  }
  return { effects, failures, events, server };
}

/** Nothing was lost and nothing doubled, and the caller has seen no error. */
function expectUnharmed({ effects, failures, events }: Handled): void {
  expect(Object.values(effects)).toEqual(Array.from({ length: 11 }, () => 1));
  expect(failures).toBe(0);
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === 'completed')).toHaveLength(11);
  expect(types.filter((type) => type === 'store-unavailable' || type === 'completion-lost')).toEqual([]);
}

/** Strikes the first try of each request. */
function once(fault: HttpFault): (arrival: Arrival) => HttpFault | undefined {
  const seen = new Set<string>();
  return ({ body }) => {
    if (seen.has(body)) return undefined;
    seen.add(body);
    return fault;
  };
}

const faults: readonly (readonly [string, HttpFault])[] = [
  ['a connection that is reset before the request is served', { kind: 'reset-before' }],
  ['a connection that is reset in the middle of the response', { kind: 'reset-within' }],
  ['a request that is applied, and a connection that is reset then', { kind: 'reset-after', responds: false }],
  ['half a body that claims to be all of it', { kind: 'half-body' }],
  ['a body that does not match its checksum', { kind: 'wrong-crc' }],
  ['a body that is no JSON', { kind: 'no-json' }],
  ['429', { kind: 'status', status: 429, name: 'TooManyRequestsException' }],
  ['500', { kind: 'status', status: 500, name: 'InternalServerError' }],
  ['500 after the request was applied', { kind: 'status', status: 500, name: 'InternalServerError', applied: true }],
  ['503 without a body of DynamoDB’s', { kind: 'status', status: 503 }],
  ['a throttled table', { kind: 'status', status: 400, name: 'ProvisionedThroughputExceededException' }],
  ['a throttled account', { kind: 'status', status: 400, name: 'ThrottlingException' }],
  ['a request limit', { kind: 'status', status: 400, name: 'RequestLimitExceeded' }],
];

it.each(faults)('no claim is lost or doubled, and no caller sees an error, after %s', async (_, fault) => {
  const handled = await handleBatches({ faultOf: once(fault) });
  expectUnharmed(handled);
  const bodies = new Set(handled.server.arrivals.map(({ body }) => body));
  expect(handled.server.arrivals.length).toBeGreaterThan(bodies.size);
});

it.each([
  ['a response that trickles past the time of the try', { kind: 'trickle' }],
  ['a server that never responds', { kind: 'silence' }],
] as const)('no claim is lost or doubled, and no caller sees an error, after %s', async (_, fault) => {
  let left = 3;
  const strike = once(fault);
  const handled = await handleBatches({
    faultOf: (arrival) => (left-- > 0 ? strike(arrival) : undefined),
    options: { host: impatient },
  });
  expectUnharmed(handled);
  const bodies = new Set(handled.server.arrivals.map(({ body }) => body));
  expect(handled.server.arrivals.length).toBeGreaterThan(bodies.size);
});

it('a connection that is reset right behind a response costs nothing: the response is complete', async () => {
  const handled = await handleBatches({ faultOf: once({ kind: 'reset-after', responds: true }) });
  expectUnharmed(handled);
});

describe('a connection that DynamoDB closed while it was idle', () => {
  it('costs no error and no pause, although every request but a connection’s first meets one', async () => {
    const pauses: number[] = [];
    const host: Host = {
      ...nodeHost,
      after(ms, run) {
        pauses.push(ms);
        return nodeHost.after(ms, run);
      },
    };
    const reset = ({ earlier }: Arrival): HttpFault | undefined =>
      earlier === 0 ? undefined : { kind: 'reset-before' };
    const handled = await handleBatches({ faultOf: reset, options: { host } });
    expectUnharmed(handled);
    expect(handled.server.arrivals.some(({ earlier }) => earlier > 0)).toBe(true);
    // Only the time-outs of the tries, which nothing waits for.
    expect(new Set(pauses)).toEqual(new Set([3000]));
  });
});

describe('a clock that is off', () => {
  it.each([20, -20])(
    'by %i minutes is corrected from the date of the response, at the cost of one try',
    async (minutes) => {
      const now = () => Date.now() + minutes * 60_000;
      const isOff = ({ headers }: Arrival) => {
        const signed = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
        return Math.abs(Date.parse(signed) - now()) > 5 * 60_000;
      };
      let refused = 0;
      const faultOf = (arrival: Arrival): HttpFault | undefined => {
        if (!isOff(arrival)) return undefined;
        refused++;
        return { kind: 'status', status: 400, name: 'InvalidSignatureException' };
      };
      expectUnharmed(await handleBatches({ faultOf, now }));
      expect(refused).toBe(1);
    },
  );

  it('is not blamed for a signature that is wrong for another reason', async () => {
    const faultOf = (): HttpFault => ({ kind: 'status', status: 400, name: 'InvalidSignatureException' });
    await expect(handleBatches({ faultOf })).rejects.toThrow('AWS refused the credentials (InvalidSignatureException)');
  });
});

describe('credentials', () => {
  it('that DynamoDB refuses in the middle of a batch are got again, and the batch goes on', async () => {
    let valid = 1;
    const faultOf = ({ headers, operation }: Arrival): HttpFault | undefined => {
      if (operation === 'BatchExecuteStatement' && valid === 1) valid = 2;
      const isRight = headers['x-amz-security-token'] === `token-${valid}`;
      return isRight ? undefined : { kind: 'status', status: 400, name: 'ExpiredTokenException' };
    };
    const provider = async () => ({ ...credentials, sessionToken: `token-${valid}` });
    expectUnharmed(await handleBatches({ faultOf, options: { credentials: provider } }));
    expect(valid).toBe(2);
  });

  it('of the container endpoint are got with its token, and renewed before they end', async () => {
    let issued = 0;
    let authorization: string | undefined;
    const server = await startHttpServer((request, response) => {
      ({ authorization } = request.headers);
      issued++;
      // The first ones end within the five minutes in which they are renewed.
      const Expiration = new Date(Date.now() + (issued === 1 ? 60_000 : 3_600_000)).toISOString();
      const said = { AccessKeyId: 'local', SecretAccessKey: 'local', Token: `token-${issued}`, Expiration };
      response.end(JSON.stringify(said));
    });
    try {
      vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
      vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${server.endpoint}/creds`);
      vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'of-the-container');
      const tokens: unknown[] = [];
      const faultOf = ({ headers }: Arrival) => void tokens.push(headers['x-amz-security-token']);
      expectUnharmed(await handleBatches({ faultOf, options: { credentials: undefined as never } }));
      expect([tokens[0], tokens.at(-1)]).toEqual(['token-1', 'token-2']);
      expect({ issued, authorization }).toEqual({ issued: 2, authorization: 'of-the-container' });
    } finally {
      vi.unstubAllEnvs();
      await server.stop();
    }
  });
});

describe('a request that no repetition helps', () => {
  const names = [
    'AccessDeniedException',
    'ConditionalCheckFailedException',
    'DuplicateItemException',
    'IdempotentParameterMismatchException',
    'ItemCollectionSizeLimitExceededException',
    'MissingAuthenticationTokenException',
    'ReplicatedWriteConflictException',
    'ResourceNotFoundException',
    'SerializationException',
    'TransactionCanceledException',
    'TransactionConflictException',
    'UnknownOperationException',
    'ValidationException',
  ];

  it.each(names)('is sent once, and fails with the name that the SDK gives it: %s', async (name) => {
    const server = await startFaultyHttp({ endpoint: dynamo }, () => ({ kind: 'status', status: 400, name }));
    const options = { endpoints: { dynamodb: server.endpoint }, region: 'us-east-1', credentials, host: hasty };
    const aws = lean(options);
    try {
      const input = { TableName: tableName, Key: { id: { S: 'one' } }, ConsistentRead: true };
      const failed: unknown = await aws.dynamodb.call('GetItem', input).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      expect(failed).toMatchObject({ name, message: 'injected' });
      expect(server.arrivals).toHaveLength(1);
    } finally {
      aws.destroy();
      await server.stop();
    }
  });

  it('fails with the last error after 4 tries, where DynamoDB fails each time', async () => {
    const server = await startFaultyHttp({ endpoint: dynamo }, () => ({
      kind: 'status',
      status: 500,
      name: 'InternalServerError',
    }));
    const aws = lean({ endpoints: { dynamodb: server.endpoint }, region: 'us-east-1', credentials, host: hasty });
    try {
      const input = { TableName: tableName, Key: { id: { S: 'one' } }, ConsistentRead: true };
      await expect(aws.dynamodb.call('GetItem', input)).rejects.toMatchObject({ name: 'InternalServerError' });
      expect(server.arrivals).toHaveLength(4);
    } finally {
      aws.destroy();
      await server.stop();
    }
  });
});
