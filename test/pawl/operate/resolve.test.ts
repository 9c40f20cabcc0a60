import { describe, expect, it } from 'vitest';
import { hashed, memoryStore, once, step } from '../../../lib/pawl/index.ts';
import { type OperateEvent, operator } from '../../../lib/pawl/operate/index.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { collect } from '../../support/collect.ts';
import { laterRecord, record } from '../../support/records.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const maria = { by: 'maria', note: 'seen in the bank statement' };
const id = 'refund#p-1';

/** An operator over these claims, at an hour when every lease has ended. */
function anOperator(...claims: readonly ClaimRecord[]) {
  const host = virtualHost(someDay + 3_600_000);
  const store = memoryStore();
  for (const next of claims) store.write({ next, seen: undefined });
  const events: OperateEvent[] = [];
  return { host, store, events, operate: operator({ store, host, onEvent: (event) => events.push(event) }) };
}

const parked = record({ id, status: 'parked', fence: 2, abandoned: 1, error: { name: 'abandoned', message: '' } });
const inDoubt = record({ id, status: 'released', unknownAt: someDay, expiresAt: undefined });
const died = record({ id });

it.each([undefined, hashed('the secret of another operation')])(
  'shows the effect key that the handler had, whichever secret it knows',
  async (hideKeys) => {
    const store = memoryStore();
    const keys: string[] = [];
    const key = (name: string) => name;
    const greet = once({ operation: 'greet', store, key, onAbandoned: 'park' }, (_: string, { effectKey }) => {
      keys.push(effectKey);
      return null;
    });
    // No header can hold the one, and no provider's key the other.
    const names = ['Maria Müller', 'x'.repeat(300)];
    for (const name of names) await greet(name);
    const { readClaim } = operator({ store, ...(hideKeys && { hideKeys }) });
    const seen = await Promise.all(store.records().map(({ id: of }) => readClaim({ id: of })));
    expect(seen.map((one) => one?.effectKey).toSorted()).toEqual(keys.toSorted());
  },
);

describe('an operator resolves', () => {
  it('a parked claim, by its id or by its operation and key', async () => {
    for (const name of [{ id }, { operation: 'refund', key: 'p-1' }]) {
      const { operate, store, events } = anOperator(parked);
      expect(await operate.resolve(name, 'applied', maria)).toMatchObject({
        outcome: 'resolved',
        claim: { id, state: undefined },
      });
      expect(store.records()).toMatchObject([{ status: 'completed', resolution: { verdict: 'applied', ...maria } }]);
      expect(events).toMatchObject([{ type: 'resolved', id, verdict: 'applied', fence: 2, ...maria }]);
    }
  });

  it.each([
    ['released in doubt', inDoubt],
    ['left by a worker that died', died],
  ])('a claim %s, which is parked first: no worker begins in between', async (_, found) => {
    const { operate, store, events } = anOperator(found);
    const statuses: string[] = [];
    const write = store.write;
    store.write = (one) => {
      statuses.push(one.next.status);
      return write(one);
    };
    expect(await operate.resolve({ id }, 'applied', { ...maria, fence: 1 })).toMatchObject({ outcome: 'resolved' });
    expect(statuses).toEqual(['parked', 'completed']);
    expect(events.map(({ type }) => type)).toEqual(['parked-by-operator', 'resolved']);
  });

  it('a claim whose only doubt is one of its steps', async () => {
    const checkpoints = JSON.stringify([{ name: 'charge', state: 'started', at: someDay, fence: 1 }]);
    const { operate } = anOperator(record({ id, status: 'released', checkpoints }));
    expect(await operate.readClaim({ id })).toMatchObject({ state: 'in-doubt', stepsInDoubt: ['charge'] });
    const resolved = await operate.resolve({ id }, { charge: { verdict: 'applied', result: { ch: 1 } } }, maria);
    expect(resolved).toMatchObject({
      outcome: 'resolved',
      claim: { steps: [{ name: 'charge', state: 'done', hasResult: true }] },
    });
  });

  it('a claim under the fence that was seen, and no other doubt', async () => {
    const { operate, store } = anOperator(parked);
    expect(await operate.resolve({ id }, 'applied', { ...maria, fence: 1 })).toMatchObject({
      outcome: 'another-doubt',
    });
    expect(store.records()).toEqual([parked]);
  });

  it('not a doubt that came between its look and its write', async () => {
    const { operate, store } = anOperator(parked);
    const read = store.read;
    let later: ClaimRecord | undefined;
    store.read = async (of) => {
      const found = await read(of);
      if (later === undefined && found !== undefined) {
        later = { ...found, fence: 5, rev: 9 };
        await store.write({ next: later, seen: found });
      }
      return found;
    };
    expect(await operate.resolve({ id }, 'applied', maria)).toMatchObject({ outcome: 'another-doubt' });
    expect(store.records()).toEqual([later]);
  });

  it.each([
    ['that its worker still holds', record({ id, leaseUntil: someDay + 3_600_000 + 5000 }), 'in-flight'],
    [
      'whose lease ended within the allowance for clocks',
      record({ id, leaseUntil: someDay + 3_600_000 - 500 }),
      'in-flight',
    ],
    ['that is completed', record({ id, status: 'completed' }), 'not-in-doubt'],
    ['that is rejected', record({ id, status: 'rejected' }), 'not-in-doubt'],
    ['that was released, and applied nothing', record({ id, status: 'released' }), 'not-in-doubt'],
  ])('not a claim %s', async (_, found, outcome) => {
    const { operate, store } = anOperator(found);
    expect(await operate.resolve({ id }, 'applied', maria)).toMatchObject({ outcome });
    expect(store.records()).toEqual([found]);
  });

  it('not a claim that nothing is known of', async () => {
    expect(await anOperator().operate.resolve({ id }, 'applied', maria)).toEqual({ id, outcome: 'unknown-key' });
  });

  it('several steps in doubt by their names, and changes nothing before all are named', async () => {
    const checkpoints = JSON.stringify(
      ['charge', 'mail'].map((name) => ({ name, state: 'started', at: someDay, fence: 1 })),
    );
    const found = record({ id, checkpoints });
    const { operate, store } = anOperator(found);
    const refused = { outcome: 'steps-in-doubt', steps: ['charge', 'mail'] };
    expect(await operate.resolve({ id }, 'not-applied', maria)).toMatchObject(refused);
    expect(await operate.resolve({ id }, { charge: 'applied' }, maria)).toMatchObject(refused);
    expect(store.records()).toEqual([found]);
    const said = { charge: 'applied', mail: 'retry' } as const;
    expect(await operate.resolve({ id }, said, maria)).toMatchObject({ outcome: 'resolved' });
  });

  it('only with a name and a note', async () => {
    const { operate } = anOperator(parked);
    for (const acted of [{ by: '', note: 'n' }, { by: 'maria' }]) {
      await expect(operate.resolve({ id }, 'applied', acted as never)).rejects.toThrow(/^(by|note): expected/);
      const wanted = { claims: [{ id }], verdict: 'applied', ...acted };
      await expect(operate.planResolutions(wanted as never)).rejects.toThrow(/^(by|note): expected/);
    }
  });

  it('once, although the answers of both writes are lost', async () => {
    const { operate, store, events } = anOperator(died);
    const write = store.write;
    store.write = async (one) => {
      await write(one);
      return write(one);
    };
    expect(await operate.resolve({ id }, 'applied', { ...maria, fence: 1 })).toMatchObject({ outcome: 'resolved' });
    expect(store.records()).toMatchObject([{ status: 'completed', rev: 3, resolution: { verdict: 'applied' } }]);
    expect(events.at(-1)).toMatchObject({ type: 'resolved' });
  });

  it('and a late proof of the last worker still counts', async () => {
    const host = virtualHost();
    const store = memoryStore();
    const operate = operator({ store, host, onEvent: () => undefined });
    const finish = Promise.withResolvers<string>();
    const refund = once<string, string>(
      {
        operation: 'refund',
        store,
        key: (key) => key,
        onAbandoned: 'park',
        onEvent: () => undefined,
        host,
      },
      () => finish.promise,
    ).outcome;
    const running = refund('p-1', { remainingMs: () => 30_000 });
    await host.advance(60_000);
    expect(await operate.resolve({ id }, 'not-applied', maria)).toMatchObject({ outcome: 'resolved' });
    finish.resolve('refunded');
    await running;
    expect(store.records()).toMatchObject([
      { status: 'completed', resolution: { verdict: 'applied', by: 'last holder' } },
    ]);
  });
});

describe('a bulk resolution', () => {
  const claims = [
    { ...parked, id: 'mail#1' },
    { ...died, id: 'mail#2' },
    record({ id: 'mail#3', status: 'completed' }),
    record({ id: 'mail#4', leaseUntil: someDay + 7_200_000 }),
  ];
  const names = [...claims, { id: 'mail#5' }];

  it('is a plan first, which says what happens to each claim, and why not, and changes nothing', async () => {
    const { operate, store } = anOperator(...claims);
    const plan = await operate.planResolutions({ claims: names, verdict: 'retry', ...maria });
    expect(plan).toMatchObject({ verdict: 'retry', ...maria, count: 2 });
    expect(plan.items).toEqual([
      { id: 'mail#1', will: 'resolve', fence: 2, parksFirst: false, reason: 'abandoned', inDoubtSince: undefined },
      {
        id: 'mail#2',
        will: 'resolve',
        fence: 1,
        parksFirst: true,
        reason: 'abandoned',
        inDoubtSince: expect.any(Number),
      },
      { id: 'mail#3', will: 'stay', whyNot: 'not-in-doubt' },
      { id: 'mail#4', will: 'stay', whyNot: 'in-flight' },
      { id: 'mail#5', will: 'stay', whyNot: 'unknown-key' },
    ]);
    expect(store.records()).toEqual(claims);
    // It can go to a browser and come back.
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('leaves a claim that a later version wrote, and plans the others', async () => {
    const foreign = laterRecord({ ...parked, id: 'mail#3' }, { v: 3 });
    const { operate } = anOperator({ ...parked, id: 'mail#1' }, foreign);
    const wanted = { claims: [{ id: 'mail#3' }, { id: 'mail#1' }], verdict: 'retry', ...maria } as const;
    expect((await operate.planResolutions(wanted)).items).toMatchObject([
      { id: 'mail#3', will: 'stay', whyNot: 'foreign' },
      { id: 'mail#1', will: 'resolve' },
    ]);
    await expect(operate.resolve({ id: 'mail#3' }, 'retry', maria)).rejects.toThrow('left alone');
  });

  it('has a result for each item, and reads each claim again: a doubt that came later stays', async () => {
    const { operate, store } = anOperator(...claims);
    const plan = await operate.planResolutions({ claims: names, verdict: 'retry', ...maria });
    const [first] = store.records();
    await store.write({ next: { ...parked, id: 'mail#1', fence: 4, rev: 2 }, seen: first });
    const results = await collect(operate.resolveAll(plan));
    expect(results.map(({ id: of, outcome }) => [of, outcome])).toEqual([
      ['mail#1', 'another-doubt'],
      ['mail#2', 'resolved'],
    ]);
  });

  it('carried out twice, changes nothing the second time', async () => {
    const { operate, store } = anOperator(...claims);
    const plan = await operate.planResolutions({ claims: names, verdict: 'applied', ...maria });
    await collect(operate.resolveAll(plan));
    const after = store.records();
    expect((await collect(operate.resolveAll(plan))).map(({ outcome }) => outcome)).toEqual([
      'not-in-doubt',
      'another-doubt',
    ]);
    expect(store.records()).toEqual(after);
  });

  it('goes on after a claim whose write failed, and says so', async () => {
    const { operate, store } = anOperator(...claims);
    const plan = await operate.planResolutions({ claims: names, verdict: 'applied', ...maria });
    const write = store.write;
    store.write = async (one) => {
      if (one.next.id === 'mail#1') throw new Error('throttled');
      return write(one);
    };
    expect(await collect(operate.resolveAll(plan))).toMatchObject([
      { id: 'mail#1', outcome: 'failed', error: { message: 'throttled' } },
      { id: 'mail#2', outcome: 'resolved' },
    ]);
  });
});

it('what a listener throws does not undo what has happened', async () => {
  const { store, host } = anOperator(parked);
  const onEvent = () => {
    throw new Error('the log is full');
  };
  const operate = operator({ store, host, onEvent });
  expect(await operate.resolve({ id }, 'applied', maria)).toMatchObject({ outcome: 'resolved' });
});

it('a result of a handler or a step is shown only if it is asked for', async () => {
  const host = virtualHost();
  const store = memoryStore();
  const operate = operator({ store, host });
  const pay = once<string, string>(
    { operation: 'pay', store, key: (key) => key, onAbandoned: 'park', onEvent: () => undefined, host },
    async (_, claim) => {
      await step(claim, 'charge', () => 'secret-1', { onAbandoned: 'park' });
      throw new Error('socket hang up');
    },
  ).outcome;
  await expect(pay('p-1')).rejects.toThrow('socket hang up');
  const name = { operation: 'pay', key: 'p-1' };
  const shown = await operate.readClaim(name);
  expect(shown).toMatchObject({
    state: 'parked',
    reason: 'outcome-unknown',
    steps: [{ name: 'charge', hasResult: true }],
  });
  expect(JSON.stringify(shown)).not.toContain('secret');
  expect(JSON.stringify(await operate.readClaim(name, { results: true }))).toContain('secret-1');
  await store.write({ next: record({ id: 'pay#p-2', status: 'completed', result: '"secret-2"' }), seen: undefined });
  const completed = await operate.readClaim({ id: 'pay#p-2' });
  expect(completed).toMatchObject({ hasResult: true });
  expect(JSON.stringify(completed)).not.toContain('secret');
});

it('a claim is shown with the key to search the provider for', async () => {
  const host = virtualHost();
  const store = memoryStore();
  const operate = operator({ store, host });
  const seen: string[] = [];
  const keys = ['plain', 'with space', 'x'.repeat(3000), 'sha256:abc'];
  const call = once<string, void>(
    { operation: 'pay', store, key: (key) => key, onAbandoned: 'park', onEvent: () => undefined, host },
    (_, claim) => {
      seen.push(claim.effectKey);
    },
  ).outcome;
  for (const key of keys) {
    await call(key);
    expect((await operate.readClaim({ operation: 'pay', key }))?.effectKey).toBe(seen.at(-1));
  }
});
