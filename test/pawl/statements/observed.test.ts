import { expect, it } from 'vitest';
import { memoryStore, once, RetryableError } from '../../../lib/pawl/index.ts';
import { settleFindings } from '../../../lib/pawl/statements/index.ts';
import { charges, hour } from './charges.ts';

/** Charges, of which some runs are only observed. Two payloads under one key tell each other by their amount. */
function observedCharges() {
  let reads = 0;
  const well = memoryStore();
  const world = charges({
    ...well,
    // A run that looks at one claim without an end would hang the whole process.
    async read(id) {
      if (++reads > 500) throw new Error('the claims are read without an end');
      return well.read(id);
    },
  });
  const { store, host } = world;

  function call(mode: 'observe' | 'enforce', charge: { key: string; amountCents: number }, work: () => unknown) {
    const calling = once(
      {
        ...{
          operation: 'charge',
          store,
          host,
          mode,
          statements: true,
          onAbandoned: 'park',
          fingerprint: { ignore: [] },
        },
        key: ({ key }: typeof charge) => key,
        attributes: ({ amountCents }: typeof charge) => ({ amountCents }),
        onEvent: () => undefined,
      },
      async () => void (await work()),
    ).outcome(charge);
    return calling.catch((error: unknown) => error);
  }

  async function run(mode: Parameters<typeof call>[0], charge: Parameters<typeof call>[1], fails?: Error) {
    await host.advance(hour);
    const called = call(mode, charge, () => (fails ? Promise.reject(fails) : undefined));
    await host.advance(100);
    return called;
  }
  return { ...world, call, run };
}

const refunds = (
  store: ReturnType<typeof memoryStore>,
  refunded: unknown[],
  host: ReturnType<typeof charges>['host'],
) =>
  settleFindings({
    store,
    host,
    operation: 'charge',
    remedies: {
      twice: {
        operation: 'refund',
        onAbandoned: 'retry',
        amountOf: ({ line }) => Number(line?.facts?.['amountCents']),
        run: async ({ line }) => void refunded.push(line?.id),
      },
    },
    limits: { perRun: { count: 10, amount: 100_000 }, perDay: { count: 10, amount: 100_000 } },
  });

it('takes two lines of a key that had two payloads under observe for no effect that happened twice', async () => {
  const { run, line, reconciled, host } = observedCharges();
  await run('observe', { key: 'customer-7', amountCents: 1250 });
  line('customer-7');
  await run('observe', { key: 'customer-7', amountCents: 9900 });
  line('customer-7', { facts: { amountCents: 9900 } });
  const { found, findings, report } = await reconciled();
  expect(found).toEqual(['unreadable charge#customer-7', 'unreadable charge#customer-7']);
  expect(findings.map(({ why }) => why)).toEqual([expect.stringContaining('two payloads'), expect.anything()]);
  expect(report).toMatchObject({ unreadable: 2, matched: 0 });
  expect(host.now()).toBeGreaterThan(0);
});

it('takes them for none where the first of both was enforced, and misses no line of the claim', async () => {
  const { run, line, reconciled } = observedCharges();
  await run('enforce', { key: 'customer-7', amountCents: 1250 });
  line('customer-7');
  await run('observe', { key: 'customer-7', amountCents: 9900 });
  line('customer-7', { facts: { amountCents: 9900 } });
  const { found, report } = await reconciled();
  expect(found).toEqual(['unreadable charge#customer-7', 'unreadable charge#customer-7']);
  expect(report.waiting).toBe(1);
});

it('finds an effect that happened twice under observe with one payload', async () => {
  const { run, line, reconciled } = observedCharges();
  for (const _ of ['first', 'second']) {
    await run('observe', { key: 'order-1', amountCents: 1250 });
    line('order-1');
  }
  expect((await reconciled()).found).toEqual(['twice charge#order-1']);
});

it('begins no remedy of a key that has had another payload since it was found', async () => {
  const { run, line, reconciled, store, host } = observedCharges();
  const refunded: unknown[] = [];
  for (const _ of ['first', 'second']) {
    await run('observe', { key: 'customer-7', amountCents: 1250 });
    line('customer-7');
  }
  expect((await reconciled()).found).toEqual(['twice charge#customer-7']);
  await run('observe', { key: 'customer-7', amountCents: 9900 });
  const settlement = refunds(store, refunded, host);
  const plan = await settlement.plan({ by: 'maria', note: 'doubled' });
  expect(plan.items).toMatchObject([{ will: 'stay', whyNot: 'out-of-date' }]);
  expect(refunded).toEqual([]);
});

it('ends at a line whose key is in doubt and had two payloads', async () => {
  const { run, line, reconciled } = observedCharges();
  const timeout = new Error('the bank did not respond');
  await run('observe', { key: 'customer-7', amountCents: 1250 }, timeout);
  await run('observe', { key: 'customer-7', amountCents: 9900 }, timeout);
  line('customer-7');
  expect((await reconciled()).found).toEqual(['unreadable charge#customer-7']);
});

it('completes a released claim by its line, also where a run beside it was observed to be done', async () => {
  const { call, run, line, reconciled, store, host } = observedCharges();
  const charge = { key: 'order-1', amountCents: 1250 };
  const refusal = Promise.withResolvers<never>();
  const enforced = call('enforce', charge, () => refusal.promise);
  await host.advance(100);
  const observed = call('observe', charge, () => undefined);
  await host.advance(100);
  await observed;
  refusal.reject(new RetryableError('the bank is closed'));
  await host.advance(100);
  await enforced;
  expect(await store.read('charge#order-1')).toMatchObject({
    status: 'released',
    observed: expect.stringContaining('"done":1'),
  });
  line('order-1');
  const { found, report } = await reconciled();
  expect([found, report.settled]).toEqual([[], 1]);
  expect(await store.read('charge#order-1')).toMatchObject({ status: 'completed', resolution: { by: 'statement' } });
  await run('enforce', charge);
});
