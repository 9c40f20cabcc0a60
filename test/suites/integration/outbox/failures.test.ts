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
import { context } from '../../../support/lambda.ts';
import { order } from '../../scenarios/support.ts';
import { type Storage, storages } from './storages.ts';
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

async function setUpTrouble({ setUp }: Storage, fail: (body: string) => Error | undefined) {
  const world = await setUp();
  const { shared, changes, open } = world;
  const destinations = [troubled(queues({ aws: shared.aws }), fail)];
  const opened = open({ destinations });
  const { message, outbox } = opened;
  const reports: OutboxReport[] = [];
  const onReport = (report: OutboxReport) => void reports.push(report);
  let minutes = 0;
  const { outbox: later } = open({ destinations, host: { ...nodeHost, now: () => Date.now() + 61_000 * minutes } });
  const sweep = outboxSweep({ outbox: later, onReport });
  return {
    ...world,
    ...opened,
    change: (n: number, group: string) => message({ to: changes.url, key: `${group}/${n}`, body: { group, n }, group }),
    sweepNow: outboxSweep({ outbox, onReport }),
    /** A minute after the last one: what a sweep has taken may be held for a while. */
    sweepLater() {
      minutes += 1;
      return sweep();
    },
    reports,
  };
}

describe.each(storages)('in $database, a destination that refuses a message for good', (storage) => {
  it('parks it with its reason, holds its group back, and never another', async () => {
    const { consumer, store, commit, change, sent, waiting, typesOf, relayAll, outbox } = await setUpTrouble(
      storage,
      (body) => (body.includes('"maria","n":1') ? refusal : undefined),
    );
    const messages = [change(1, 'maria'), change(2, 'maria'), change(1, 'paul')];
    const book = consumer((_, claim) => commit(claim, { messages }), { store });
    expect(await book(order('a'))).toEqual([]);
    expect(await sent('changes.fifo')).toEqual([{ group: 'paul', n: 1 }]);
    expect(await waiting()).toMatchObject([
      { key: 'maria/1', parked: 'InvalidMessageContents' },
      { key: 'maria/2', parked: undefined },
    ]);
    expect(typesOf()).toContain('message-parked');
    await relayAll(outbox);
    expect(await waiting()).toHaveLength(2);
  });

  it('does not park what another sender has sent meanwhile, and goes on behind it', async () => {
    let refuse = (): void => undefined;
    const isRefused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const world = await storage.setUp({ atOnceMs: 0 });
    const { shared, changes, sent, waiting, typesOf, open } = world;
    const through = queues({ aws: shared.aws });
    const slow: Destination = {
      ...through,
      async send(message, signal) {
        if (message.body !== '1') return through.send(message, signal);
        await isRefused;
        throw refusal;
      },
    };
    const worker = open({ destinations: [slow], atOnceMs: 10_000 });
    const change = (n: number) => worker.message({ to: changes.url, key: `maria/${n}`, body: n, group: 'maria' });
    const committed = await worker.commitOwn([change(1), change(2)]);
    const sending = committed.sendNow(10_000);
    const { outbox } = open();
    const [first] = await outbox.store.lane((await waiting())[0]?.id ?? '', 0);
    await through.send(first as NonNullable<typeof first>, AbortSignal.timeout(10_000));
    await outbox.store.remove(first as NonNullable<typeof first>);
    refuse();
    await sending;
    expect(await sent('changes.fifo')).toEqual([1, 2]);
    expect(await waiting()).toEqual([]);
    expect(typesOf()).toEqual(['message-sent']);
  });
});

describe.each(storages)('in $database, a destination that is throttled', (storage) => {
  it('has the message wait, unparked; a later sweep sends it', async () => {
    let isThrottled = true;
    const { consumer, store, commit, message, receipts, sent, waiting, typesOf, sweepNow, sweepLater, reports } =
      await setUpTrouble(storage, () => (isThrottled ? throttled : undefined));
    const receipt = message({ to: receipts.url, key: 'a', body: 1 });
    const pay = consumer((_, claim) => commit(claim, { messages: [receipt] }), { store });
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
    const { commitOwn, message, receipts, sweepLater, waiting, reports } = await setUpTrouble(storage, () => {
      asked += 1;
      return throttled;
    });
    await commitOwn(Array.from({ length: 30 }, (_, n) => message({ to: receipts.url, key: n, body: n })));
    await sweepLater();
    // Ten are under way at once when the third fails.
    expect(asked).toBeLessThanOrEqual(12);
    expect(await waiting()).toHaveLength(30);
    expect(reports).toMatchObject([{ looked: 30, left: 30 }]);
  });
});

describe.each(storages)('in $database, the relay', ({ setUp }) => {
  it('sweeps on a schedule', async () => {
    const { commitOwn, message, receipts, open, sent } = await setUp({ atOnceMs: 0 });
    await commitOwn([message({ to: receipts.url, key: 'a', body: 1 })]);
    const relay = outboxRelay({ outbox: open().outbox, olderThanMs: 0, onReport: () => undefined });
    expect(await relay({ source: 'aws.events' }, context())).toMatchObject({ sent: 1, reachedEnd: true });
    expect(await sent('receipts')).toEqual([1]);
  });
});

describe('the relay of a stream', () => {
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
});
