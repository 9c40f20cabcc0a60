import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import type { ClaimEvent } from '../../../../lib/pawl/index.ts';
import {
  type Destination,
  dynamoOutbox,
  type OutboxReport,
  outboxRelay,
  outboxSweep,
  queues,
} from '../../../../lib/pawl/outbox/index.ts';
import { commit } from '../../../../lib/pawl/transactions/index.ts';
import { context } from '../../../support/lambda.ts';
import { order } from '../../scenarios/support.ts';
import { setUpOutbox } from './support.ts';

/** A queue in front of which something stands: it refuses some messages in a way of its own. */
function troubled(through: Destination, fail: (body: string) => Error | undefined): Destination {
  return {
    ...through,
    async send(message, signal) {
      const error = fail(message.body);
      if (error !== undefined) throw error;
      await through.send(message, signal);
    },
  };
}

const named = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('the words of SQS'), { name, $metadata: { httpStatusCode } });
const refusal = named('InvalidMessageContents', 400);
const throttled = named('ThrottlingException', 400);

async function setUpTrouble(fail: (body: string) => Error | undefined) {
  const world = await setUpOutbox();
  const { shared, changes, outboxTable } = world;
  const troubledOutbox = dynamoOutbox({ ...shared, destinations: [troubled(queues({ aws: shared.aws }), fail)] });
  const { message } = troubledOutbox;
  const reports: OutboxReport[] = [];
  const later = { ...troubledOutbox, host: { ...nodeHost, now: () => Date.now() + 61_000 } };
  return {
    ...world,
    message,
    outboxTable,
    change: (n: number, group: string) => message({ to: changes.url, key: `${group}/${n}`, body: { group, n }, group }),
    relayWithTrouble: outboxRelay({ outbox: troubledOutbox }),
    sweepNow: outboxSweep({ outbox: troubledOutbox, onReport: (report) => void reports.push(report) }),
    sweepLater: outboxSweep({ outbox: later, onReport: (report) => void reports.push(report) }),
    reports,
  };
}

describe('a destination that refuses a message for good', () => {
  it('parks it with its reason, holds its group back, and never another', async () => {
    const { consumer, store, change, sent, waiting, typesOf, stream, relayWithTrouble } = await setUpTrouble((body) =>
      body.includes('"maria","n":1') ? refusal : undefined,
    );
    const book = consumer((_, claim) => commit(claim, [change(1, 'maria'), change(2, 'maria'), change(1, 'paul')]), {
      store,
    });
    expect(await book(order('a'))).toEqual([]);
    expect(await sent('changes.fifo')).toEqual([{ group: 'paul', n: 1 }]);
    expect(await waiting()).toMatchObject([
      { key: 'maria/1', parked: { name: { S: 'InvalidMessageContents' } } },
      { key: 'maria/2', parked: undefined },
    ]);
    expect(typesOf()).toContain('message-parked');
    expect(await relayWithTrouble({ Records: await stream() }, context())).toEqual({ batchItemFailures: [] });
    expect(await waiting()).toHaveLength(2);
  });
});

describe('a destination that is throttled', () => {
  it('has the message wait, unparked; a later sweep sends it', async () => {
    let isThrottled = true;
    const { consumer, store, message, receipts, sent, waiting, typesOf, sweepNow, sweepLater, reports } =
      await setUpTrouble(() => (isThrottled ? throttled : undefined));
    const pay = consumer((_, claim) => commit(claim, [message({ to: receipts.url, key: 'a', body: 1 })]), { store });
    expect(await pay(order('a'))).toEqual([]);
    expect(typesOf()).toContain('message-not-sent');
    expect(await waiting()).toMatchObject([{ parked: undefined }]);
    // It is young: its worker and the relay are at it.
    await sweepNow();
    expect(reports).toMatchObject([{ looked: 0, sent: 0 }]);
    await sweepLater();
    expect(reports[1]).toMatchObject({ looked: 1, sent: 0, left: 1, reachedEnd: true });
    expect(reports[1]?.oldestMs).toBeGreaterThanOrEqual(61_000);
    isThrottled = false;
    await sweepLater();
    expect(reports[2]).toMatchObject({ looked: 1, sent: 1, left: 0, oldestMs: 0 });
    expect(await sent('receipts')).toEqual([1]);
    expect(await waiting()).toEqual([]);
  });

  it('rests for the rest of a run after three failures in a row', async () => {
    let asked = 0;
    const { outbox, message, receipts, client, sweepLater, waiting, reports } = await setUpTrouble(() => {
      asked += 1;
      return throttled;
    });
    const { DynamoDBDocumentClient, TransactWriteCommand } = await import('@aws-sdk/lib-dynamodb');
    const { writes } = await outbox.prepare(
      Array.from({ length: 30 }, (_, n) => message({ to: receipts.url, key: n, body: n })),
    );
    await DynamoDBDocumentClient.from(client).send(new TransactWriteCommand({ TransactItems: [...writes] }));
    await sweepLater();
    // Ten are under way at once when the third fails.
    expect(asked).toBeLessThanOrEqual(12);
    expect(await waiting()).toHaveLength(30);
    expect(reports).toMatchObject([{ looked: 30, left: 30 }]);
  });
});

describe('the relay', () => {
  it('never fails a batch of the stream, also where the table cannot be read', async () => {
    const { shared, outboxTable } = await setUpOutbox();
    void outboxTable;
    const events: ClaimEvent[] = [];
    const gone = dynamoOutbox({ ...shared, tableName: 'there-is-none', onEvent: (event) => events.push(event) });
    const relay = outboxRelay({ outbox: gone });
    const record = { eventName: 'INSERT', dynamodb: { Keys: { id: { S: 'message#a' }, n: { N: '1' } } } };
    expect(await relay({ Records: [record, {}, null] }, context())).toEqual({ batchItemFailures: [] });
    expect(events).toMatchObject([{ type: 'store-unavailable', operation: 'outbox', id: 'message#a' }]);
    await expect(relay({ source: 'aws.events' }, context())).rejects.toThrow(
      /there-is-none' does not exist .*sort|there-is-none' does not exist/,
    );
  });

  it('sweeps on a schedule', async () => {
    const { outbox, message, receipts, shared, client, sent } = await setUpOutbox({ atOnceMs: 0 });
    const { DynamoDBDocumentClient, TransactWriteCommand } = await import('@aws-sdk/lib-dynamodb');
    const { writes } = await outbox.prepare([message({ to: receipts.url, key: 'a', body: 1 })]);
    await DynamoDBDocumentClient.from(client).send(new TransactWriteCommand({ TransactItems: [...writes] }));
    const relay = outboxRelay({ outbox: dynamoOutbox(shared), olderThanMs: 0, onReport: () => undefined });
    expect(await relay({ source: 'aws.events' }, context())).toMatchObject({ sent: 1, reachedEnd: true });
    expect(await sent('receipts')).toEqual([1]);
  });
});
