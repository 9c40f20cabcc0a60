import { randomUUID } from 'node:crypto';
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { Context, SQSRecord } from 'aws-lambda';

/**
 * What docs/evidence/scenarios.md says of Powertools, done with the version that is installed. Each answers whether its user sees what the page says.
 * Time is moved and not waited for, and what happens at once is held by promises: no answer depends on the speed of the machine.
 */

/** A table of its own for each scenario, and the ways in which its requests fail. */
interface Peer {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** From now on, what a request of this kind answers. `lost`: it is applied, and its first response is lost. */
  fault(command: string, kind: 'refused' | 'lost'): void;
  /** Moves the clock of this process. */
  later(ms: number): void;
}

type Options = NonNullable<ConstructorParameters<typeof IdempotencyConfig>[0]>;

const ofMs = (remainingMs: number) => ({ getRemainingTimeInMillis: () => remainingMs }) as Context;

function layerOf({ client, tableName }: Peer): DynamoDBPersistenceLayer {
  return new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client });
}

/** @param remainingMs of the invocation */
function idempotent<Input>(
  peer: Peer,
  fn: (input: Input) => unknown,
  options: Options = {},
  remainingMs: number | 'unknown' = 30_000,
) {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', ...options });
  if (remainingMs !== 'unknown') config.registerLambdaContext(ofMs(remainingMs));
  return makeIdempotent(fn as (input: unknown) => unknown, {
    persistenceStore: layerOf(peer),
    config,
    keyPrefix: 'mail',
  }) as (input: unknown) => Promise<unknown>;
}

const overMiddy = (peer: Peer) =>
  makeHandlerIdempotent({
    persistenceStore: layerOf(peer),
    config: new IdempotencyConfig({ eventKeyJmesPath: 'id' }),
  });

const quietly = (work: Promise<unknown>) => work.then(() => undefined).catch((error: Error) => error);

/** A run that stands still in its effect, until it is let go. */
function held() {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  return {
    begun: begun.promise,
    let: over.resolve,
    async stand() {
      begun.resolve();
      await over.promise;
    },
  };
}

const order = { id: 'o-1' };

/** Whether a second call with the same input runs again, after one that has ended. */
async function runsAgain(peer: Peer, effect: () => unknown, options: Options = {}): Promise<boolean> {
  let runs = 0;
  const mail = idempotent(
    peer,
    () => {
      runs++;
      return effect();
    },
    options,
  );
  await quietly(mail(order));
  await quietly(mail(order));
  return runs > 1;
}

export const scenarios: Readonly<Record<number, (peer: Peer) => Promise<boolean>>> = {
  async 1(peer) {
    const [slow, next] = [held(), held()];
    let runs = 0;
    const gates = [slow, next];
    const mail = idempotent(
      peer,
      async () => {
        const gate = gates[runs++];
        await gate?.stand();
        if (gate === slow) throw new Error('late');
      },
      {},
      1000,
    );
    const first = quietly(mail(order));
    await slow.begun;
    peer.later(2000);
    const second = quietly(mail(order));
    await next.begun;
    slow.let();
    await first;
    await quietly(mail(order));
    next.let();
    await second;
    return runs > 2;
  },

  async 2(peer) {
    const gate = held();
    let runs = 0;
    const handler = middy(async () => {
      if (runs++ === 0) await gate.stand();
    }).use(overMiddy(peer));
    const first = quietly(handler(order, ofMs(30_000)));
    await gate.begun;
    await quietly(handler(order, ofMs(30_000)));
    await quietly(handler(order, ofMs(30_000)));
    gate.let();
    await first;
    return runs > 1;
  },

  async 3(peer) {
    let [runs, thrown] = [0, 0];
    const handler = middy(async () => void runs++)
      .use({
        after: () => {
          if (thrown++ === 0) throw new Error('of another middleware');
        },
      })
      .use(overMiddy(peer));
    await quietly(handler(order, ofMs(30_000)));
    await quietly(handler(order, ofMs(30_000)));
    return runs > 1;
  },

  async 4(peer) {
    const gate = held();
    let runs = 0;
    const handler = middy({
      timeoutEarlyInMillis: 50,
      timeoutEarlyResponse: () => {
        throw new Error('early');
      },
    })
      .use(overMiddy(peer))
      .handler(async () => {
        if (runs++ === 0) await gate.stand();
      });
    const early = quietly(handler(order, ofMs(1050)));
    await gate.begun;
    // Middy responds while the handler stands.
    await early;
    await quietly(handler(order, ofMs(30_000)));
    gate.let();
    return runs > 1;
  },

  async 5(peer) {
    let runs = 0;
    const mail = idempotent(peer, (input: { id: string }) => {
      runs++;
      input.id = 'changed';
    });
    await quietly(mail({ ...order }));
    peer.later(60_000);
    await quietly(mail({ ...order }));
    return runs > 1;
  },

  async 6(peer) {
    class Money {
      readonly cents = 100;
    }
    const results = [
      () => ({ inside: undefined }),
      () => ({ at: new Date(0) }),
      () => new Money(),
      () => ({ n: 2 ** 53 + 2 }),
      () => 'x'.repeat(410_000),
    ];
    let repeated = 0;
    for (const [at, result] of results.entries()) {
      let runs = 0;
      const mail = idempotent(peer, () => {
        runs++;
        return result();
      });
      await quietly(mail({ id: `o-${at}` }));
      peer.later(60_000);
      await quietly(mail({ id: `o-${at}` }));
      if (runs > 1) repeated++;
    }
    return repeated === results.length;
  },

  async 7(peer) {
    let runs = 0;
    const mail = idempotent(peer, () => void runs++, {}, 1000);
    peer.fault('UpdateItemCommand', 'refused');
    const error = await quietly(mail(order));
    peer.later(2000);
    await quietly(mail(order));
    return error !== undefined && runs > 1;
  },

  async 8(peer) {
    const gate = held();
    const mail = idempotent(peer, () => gate.stand(), {}, 'unknown');
    const first = quietly(mail(order));
    await gate.begun;
    // Its worker is gone. Half an hour later, the key is still locked.
    peer.later(30 * 60_000);
    const error = await quietly(mail(order));
    gate.let();
    await first;
    return error?.name === 'IdempotencyAlreadyInProgressError';
  },

  async 9(peer) {
    let runs = 0;
    const mail = idempotent(peer, () => {
      runs++;
      throw Object.assign(new Error('of a nested call'), { name: 'IdempotencyInconsistentStateError' });
    });
    await quietly(mail(order));
    return runs > 1;
  },

  async 10(peer) {
    let runs = 0;
    const mail = idempotent(peer, () => void runs++, { eventKeyJmesPath: '@' });
    await quietly(mail({ a: 1, A: 2 }));
    await quietly(mail({ A: 2, a: 1 }));
    return runs > 1;
  },

  async 11(peer) {
    let runs = 0;
    const mail = idempotent(peer, () => void runs++, { eventKeyJmesPath: '[orderId, shop]' });
    await quietly(mail({ shop: 's-1', to: 'ada' }));
    await quietly(mail({ shop: 's-1', to: 'bob' }));
    return runs === 1;
  },

  async 12(peer) {
    let runs = 0;
    const mail = idempotent(peer, () => void runs++, { eventKeyJmesPath: '' });
    await quietly(mail({ messageId: 'm', receiptHandle: 'first', body: '{}' }));
    await quietly(mail({ messageId: 'm', receiptHandle: 'second', body: '{}' }));
    return runs > 1;
  },

  async 13(peer) {
    const mail = idempotent(peer, () => {
      throw new TypeError('of the handler');
    });
    peer.fault('DeleteItemCommand', 'refused');
    const error = await quietly(mail(order));
    return error !== undefined && !(error instanceof TypeError);
  },

  async 14(peer) {
    const mail = idempotent(peer, () => ({ paid: 'yes' }), { useLocalCache: true });
    await mail(order);
    const replayed = (await mail(order)) as { paid: string };
    replayed.paid = 'no';
    return ((await mail(order)) as { paid: string }).paid === 'no';
  },

  async 15(peer) {
    let runs = 0;
    const handler = middy(async () => void runs++).use(overMiddy(peer));
    await quietly(handler(order, ofMs(30_000)));
    await quietly(handler(order, ofMs(30_000)));
    return runs > 1;
  },

  async 16(peer) {
    const gate = held();
    const record = { messageId: 'm-1', receiptHandle: 'r', body: '{"id":"o-1"}' } as SQSRecord;
    const mail = idempotent(peer, () => gate.stand(), { eventKeyJmesPath: 'powertools_json(body).id' });
    const first = quietly(mail(record));
    await gate.begun;
    const processor = new BatchProcessor(EventType.SQS);
    const error = await quietly(processPartialResponse({ Records: [record] }, mail, processor));
    gate.let();
    await first;
    return error !== undefined;
  },

  async 17() {
    let [now, most] = [0, 0];
    const Records = Array.from({ length: 1000 }, (_, at) => ({ messageId: `${at}`, body: '{}' }) as SQSRecord);
    const processor = new BatchProcessor(EventType.SQS);
    const handle = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    };
    await processPartialResponse({ Records }, handle, processor, { context: ofMs(1) });
    return most === 1000;
  },

  async 18(peer) {
    let runs = 0;
    const mail = idempotent(peer, () => void runs++);
    peer.fault('PutItemCommand', 'lost');
    const error = await quietly(mail(order));
    return error !== undefined && runs === 0;
  },

  async 19(peer) {
    const gate = held();
    let runs = 0;
    const mail = idempotent(
      peer,
      async () => {
        if (runs++ === 0) await gate.stand();
      },
      {},
      10_000,
    );
    const first = quietly(mail(order));
    await gate.begun;
    // Another worker's clock is 11 s fast; the lease of the first one runs for 10 s.
    peer.later(11_000);
    await quietly(mail(order));
    peer.later(-11_000);
    gate.let();
    await first;
    return runs > 1;
  },

  20: (peer) =>
    runsAgain(peer, () => {
      throw new Error('timed out, after it was paid');
    }),
};

/** Runs each scenario once. @returns whether Powertools shows what the page says, by its number */
export async function runScenarios(client: () => DynamoDBClient): Promise<Readonly<Record<string, boolean>>> {
  const found: Record<string, boolean> = {};
  const { now } = Date;
  for (const [number, scenario] of Object.entries(scenarios)) {
    const own = client();
    let shift = 0;
    const later = (ms: number) => {
      shift += ms;
    };
    Date.now = () => now() + shift;
    try {
      found[number] = await scenario(await peerOver(own, later));
    } finally {
      Date.now = now;
      own.destroy();
    }
  }
  return found;
}

async function peerOver(client: DynamoDBClient, later: Peer['later']): Promise<Peer> {
  const tableName = `peer-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  const faults = new Map<string, 'refused' | 'lost'>();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const kind = faults.get(commandName);
        if (kind === 'refused') throw Object.assign(new Error('refused'), { name: 'InternalServerError' });
        const answered = await next(args);
        if (kind !== 'lost') return answered;
        faults.delete(commandName);
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', $retryable: {} });
      },
    { step: 'finalizeRequest', priority: 'low' },
  );
  return { client, tableName, later, fault: (command, kind) => void faults.set(command, kind) };
}

/** What the page says, and of which version. */
export interface Said {
  readonly version: string;
  /** When it was last run, as in 2026-11-27. */
  readonly date: string;
  readonly found: Readonly<Record<string, boolean>>;
}

/** What is otherwise than the page says, a line each. */
export function changedSince(said: Said, found: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(scenarios)
    .filter((number) => found[number] !== said.found[number])
    .map(
      (number) =>
        `${number}: ${found[number] ? 'happens' : 'no longer happens'}; docs/evidence/scenarios.md says otherwise`,
    );
}
