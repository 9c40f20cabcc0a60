import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { type Destination, outboxOperator, outboxSweep, queues } from '../../../../lib/pawl/outbox/index.ts';
import { collect } from '../../../support/collect.ts';
import { runCommand } from '../../../support/in-process.ts';
import { envOf } from '../../../support/pawl-command.ts';
import { type Storage, storages } from './storages.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Three changes of maria's account, of which the queue refuses the first until it is corrected, and one receipt that its worker has left. */
async function setUpParked({ setUp }: Storage) {
  const world = await setUp({ atOnceMs: 0 });
  const { shared, changes, receipts, sqs, open, place } = world;
  let isCorrected = false;
  const through = queues({ aws: shared.aws });
  const refusing: Destination = {
    ...through,
    async send(message, signal) {
      if (!isCorrected && message.key === 'maria/1') {
        throw Object.assign(new Error('refused'), {
          name: 'InvalidMessageContents',
          $metadata: { httpStatusCode: 400 },
        });
      }
      await through.send(message, signal);
    },
  };
  const { outbox, message, commitOwn } = open({ atOnceMs: 0, destinations: [refusing] });
  const change = (n: number) => message({ to: changes.url, key: `maria/${n}`, body: n, group: 'maria' });
  const receipt = message({ to: receipts.url, key: 'receipt/a', body: { secret: 'of maria' } });
  await commitOwn([change(1), change(2), change(3), receipt]);
  const sweep = outboxSweep({ outbox, olderThanMs: 0, onReport: () => undefined });
  for (const [name, value] of Object.entries(envOf({ sqs }, inject('dynamoEndpoint')))) vi.stubEnv(name, value);
  return {
    ...world,
    outbox,
    operator: outboxOperator({ outbox }),
    sweep,
    correct: () => {
      isCorrected = true;
    },
    pawl: (...args: readonly string[]) => runCommand(['outbox', ...args, ...place]),
  };
}

describe.each(storages)('an operator of an outbox in $database', (storage) => {
  it('sees what waits and what is parked, by address, and no body', async () => {
    const { operator, sweep, changes, receipts } = await setUpParked(storage);
    expect(await collect(operator.list({ parked: true }))).toEqual([]);
    expect(await collect(operator.list({ to: receipts.url }))).toMatchObject([{ key: 'receipt/a', bodyBytes: 21 }]);
    await sweep();
    const left = await collect(operator.list());
    expect(left.map(({ key, to, group }) => ({ key, to, group }))).toEqual(
      [1, 2, 3].map((n) => ({ key: `maria/${n}`, to: changes.url, group: 'maria' })),
    );
    expect(JSON.stringify(left)).not.toContain('body":');
    expect(await collect(operator.list({ parked: true }))).toMatchObject([
      { key: 'maria/1', parked: { name: 'InvalidMessageContents' } },
    ]);
    expect(await collect(operator.list({ to: receipts.url }))).toEqual([]);
  });

  it('retries what is parked: the next sweep sends it, and its group behind it in order', async () => {
    const { operator, sweep, sent, waiting, correct } = await setUpParked(storage);
    await sweep();
    const [parked] = await collect(operator.list({ parked: true }));
    const id = parked?.id ?? '';
    correct();
    await sweep();
    expect(await sent('changes.fifo')).toEqual([]);
    expect(await operator.retry(id)).toEqual({ id, outcome: 'retried' });
    expect(await operator.retry(id)).toEqual({ id, outcome: 'not-parked' });
    await sweep();
    expect(await sent('changes.fifo')).toEqual([1, 2, 3]);
    expect(await waiting()).toEqual([]);
    expect(await operator.retry(id)).toEqual({ id, outcome: 'not-found' });
  });

  it('discards a message for good, and the group goes on behind it', async () => {
    const { operator, sweep, sent, waiting } = await setUpParked(storage);
    await sweep();
    const [parked] = await collect(operator.list({ parked: true }));
    const id = parked?.id ?? '';
    expect(await operator.discard(id)).toEqual({ id, outcome: 'discarded' });
    expect(await operator.discard(id)).toEqual({ id, outcome: 'not-found' });
    await sweep();
    expect(await sent('changes.fifo')).toEqual([2, 3]);
    expect(await waiting()).toEqual([]);
  });

  it('acts on the message that was listed, and on no other one that has its number since', async () => {
    const { operator, sweep, correct, endCounters, open, changes, waiting } = await setUpParked(storage);
    await sweep();
    const [parked] = await collect(operator.list({ parked: true }));
    const id = parked?.id ?? '';
    expect(id).toMatch(/#maria#1#[0-9a-f]{8}$/);
    correct();
    await operator.retry(id);
    await sweep();
    await endCounters();
    const { message, commitOwn } = open({ atOnceMs: 0 });
    await commitOwn([message({ to: changes.url, key: 'maria/later', body: 4, group: 'maria' })]);
    expect(await operator.retry(id)).toEqual({ id, outcome: 'not-found' });
    expect(await operator.discard(id)).toEqual({ id, outcome: 'not-found' });
    expect(await waiting()).toMatchObject([{ n: 1, key: 'maria/later' }]);
  });

  it('is not told that a message is discarded which a sender has just sent', async () => {
    const { outbox, sweep, sent, receipts } = await setUpParked(storage);
    const [waits] = await collect(outboxOperator({ outbox }).list({ to: receipts.url }));
    const id = waits?.id ?? '';
    const store = {
      ...outbox.store,
      async lane(lane: string, after: number) {
        const found = await outbox.store.lane(lane, after);
        await sweep();
        return found;
      },
    };
    expect(await outboxOperator({ outbox: { store } }).discard(id)).toEqual({ id, outcome: 'not-found' });
    expect(await sent('receipts')).toHaveLength(1);
  });

  it('finds no message by a name that is none, and none by the counter of a group', async () => {
    const { operator, waiting } = await setUpParked(storage);
    const [message] = await waiting();
    const group = (await collect(operator.list())).find((one) => one.group !== undefined);
    const mark = group?.id.split('#').at(-1);
    const lane = group?.id.split('#').slice(0, -2).join('#');
    // Of the counter, of none, and of a message without what tells it from others.
    const places = ['0', '4', '1e0'].flatMap((n) => [`${message?.id}#${n}`, `${lane}#${n}#${mark}x`]);
    for (const id of [
      '',
      'message',
      `${lane}#0#${mark}`,
      `${lane}#0`,
      `${lane}#1`,
      `${lane}#4#${mark}`,
      `${lane}#1#${mark}x`,
      ...places,
    ]) {
      expect(await operator.discard(id)).toEqual({ id, outcome: 'not-found' });
    }
    expect(await waiting()).toHaveLength(4);
  });
});

describe.each(storages)('pawl outbox, in $database', (storage) => {
  it('lists for people and for scripts, without bodies, and ends with 1 while a message is parked', async () => {
    const { pawl, sweep } = await setUpParked(storage);
    expect(await pawl()).toMatchObject({ code: 0, out: expect.stringContaining('4 messages waiting, 0 parked.') });
    await sweep();
    const { code, out } = await pawl('list');
    expect(code).toBe(1);
    expect(out).toMatch(/^STATE +AGE +KEY +TO +MESSAGE +ERROR\n/);
    expect(out).toMatch(/parked +\S+ \S+ +maria\/1 .*InvalidMessageContents: refused\n/);
    expect(out).toContain('2 messages waiting, 1 parked.');
    const { lines } = await pawl('--json', '--parked');
    expect(lines()).toMatchObject([
      { kind: 'message', key: 'maria/1' },
      { kind: 'summary', waiting: 0, parked: 1 },
    ]);
    expect(lines()[0]).not.toHaveProperty('body');
  });

  it('says of filters that they find nothing, and not that nothing lies there; and takes them beside no name', async () => {
    const { pawl, operator, waiting } = await setUpParked(storage);
    expect((await pawl('--parked')).out).toBe('No message fits.\n');
    expect((await pawl('--to', 'https://nowhere')).out).toBe('No message fits.\n');
    const [{ id } = { id: '' }] = await collect(operator.list());
    for (const [name, ...filter] of [
      ['parked', '--parked'],
      ['to', '--to', 'https://nowhere'],
    ] as const)
      await expect(pawl('discard', id, ...filter, '--yes')).rejects.toThrow(`--${name}: name messages, or filters`);
    expect(await waiting()).toHaveLength(4);
  });

  it('shows a plan, and changes nothing before it may', async () => {
    const { pawl, sweep, operator } = await setUpParked(storage);
    await sweep();
    const [parked] = await collect(operator.list({ parked: true }));
    const { code, lines } = await pawl('retry', '--dry-run', '--json');
    expect(code).toBe(0);
    expect(lines()).toEqual([
      { kind: 'plan', id: parked?.id, will: 'retry' },
      { kind: 'summary', planned: 1, stay: 0 },
    ]);
    expect(await collect(operator.list({ parked: true }))).toHaveLength(1);
  });

  it('retries all that is parked, and discards what is named', async () => {
    const { pawl, sweep, sent, correct, operator } = await setUpParked(storage);
    await sweep();
    correct();
    expect(await pawl('retry', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1 message retried, 0 not/),
    });
    const [, second] = await collect(operator.list());
    expect(await pawl('discard', second?.id ?? '', '--yes')).toMatchObject({ code: 0 });
    await sweep();
    expect(await sent('changes.fifo')).toEqual([1, 3]);
    expect(await pawl()).toMatchObject({ code: 0, out: 'No message lies in the outbox.\n' });
  });

  it('ends with 1 if a named message is not there, and says so', async () => {
    const { pawl } = await setUpParked(storage);
    const { code, out } = await pawl('retry', 'message#nothing#1', '--yes');
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('message#nothing#1: not-found') });
  });
});

describe('pawl outbox', () => {
  it.each([
    [['forget'], "expected list, retry or discard; got 'forget'"],
    [['discard'], 'takes the ids of messages'],
    [['list', 'message#a#1'], 'takes no names'],
  ])('refuses %j', async (args, said) => {
    await expect(runCommand(['outbox', ...args, '--table', 'outbox'])).rejects.toThrow(said);
  });
});
