import { expect, it } from 'vitest';
import { operator } from '../../../lib/pawl/operate/index.ts';
import {
  findings,
  reconcileStatements,
  type SettleFindingsOptions,
  settleFindings,
} from '../../../lib/pawl/statements/index.ts';
import { collect } from '../../support/collect.ts';
import { charges, hour } from './charges.ts';

/** Refunds each line that a finding names. */
function refunding({ store, host }: Pick<ReturnType<typeof charges>, 'store' | 'host'>) {
  const refunds: string[] = [];
  const refund = {
    operation: 'refund',
    onAbandoned: 'park',
    amountOf: () => 1250,
    run: ({ line }) => void refunds.push(String(line?.id)),
  } satisfies NonNullable<SettleFindingsOptions['remedies']['twice']>;
  const much = { count: 9, amount: 90_000 };
  const settlement = settleFindings({
    ...{ store, host, operation: 'charge', onEvent: () => undefined },
    remedies: { 'missing-here': refund, twice: refund, 'missing-there': refund },
    limits: { perRun: much, perDay: much },
  });
  const wanted = { by: 'maria', note: 'seen at the bank' };
  return {
    refunds,
    plan: (ids?: readonly string[]) => settlement.plan({ ...wanted, findings: ids }),
    settle: async () => collect(settlement.settle(await settlement.plan(wanted))),
    carryOut: async (plan: Awaited<ReturnType<typeof settlement.plan>>) => collect(settlement.settle(plan)),
  };
}

it('refunds no charge whose claim has come since it was found missing', async () => {
  const world = charges();
  const { charge, line, reconciled } = world;
  line('order-7');
  expect((await reconciled()).found).toEqual(['missing-here charge#order-7']);
  const { refunds, plan, carryOut, settle } = refunding(world);
  const before = await plan();
  expect(before.items).toMatchObject([{ will: 'run' }]);
  // The provider knows the effect key: it charges no second time, and its first line is this one.
  await charge('order-7');
  expect(await carryOut(before)).toMatchObject([{ outcome: 'stays', whyNot: 'out-of-date' }]);
  expect((await plan()).items).toMatchObject([{ will: 'stay', whyNot: 'out-of-date' }]);
  await settle();
  expect(refunds).toEqual([]);
  expect((await reconciled()).found).toEqual([]);
});

it('repeats no effect whose line was read since it was found missing', async () => {
  const world = charges();
  const { charge, line, reconciled, settings, host, open } = world;
  await charge('order-7');
  expect((await reconciled()).found).toEqual(['missing-there charge#order-7']);
  const { refunds, plan, carryOut } = refunding(world);
  const before = await plan();
  expect(before.items).toMatchObject([{ will: 'run' }]);
  const late = line('order-7');
  await host.advance(3 * hour);
  const ending = new AbortController();
  function* statement() {
    yield late;
    // The rest of the first part, and one more.
    for (let index = 0; index < 100; index++) yield { ...late, effectKey: `mail#${index}`, id: `m_${index}` };
    ending.abort();
  }
  // A run that is stopped behind the part with the line has not ended the finding.
  const run = await reconcileStatements(settings({ statement, signal: ending.signal }));
  expect([run.outcome, await open()]).toEqual(['stopped', ['missing-there charge#order-7']]);
  expect(await carryOut(before)).toMatchObject([{ outcome: 'stays', whyNot: 'out-of-date' }]);
  expect(refunds).toEqual([]);
});

it('refunds one of two charges of a key whose claim has come after the first was refunded', async () => {
  const world = charges();
  const { charge, line, reconciled } = world;
  line('order-7');
  await reconciled();
  const { refunds, settle } = refunding(world);
  await settle();
  await charge('order-7', () => line('order-7'));
  expect((await reconciled()).found).toEqual(['twice charge#order-7']);
  expect(await settle()).toEqual([]);
  expect(refunds).toEqual(['txn_0']);
});

it('refunds one of them also where the statement has the second charge first', async () => {
  const world = charges();
  const { charge, line, lines, reconciled } = world;
  line('order-7');
  await reconciled();
  const { refunds, settle } = refunding(world);
  await settle();
  await charge('order-7', () => line('order-7'));
  expect((await reconciled({ statement: () => lines.toReversed() })).found).toEqual(['twice charge#order-7']);
  await settle();
  expect(refunds).toEqual(['txn_0']);
});

it('refunds a line once, also if its statement has no key at first, and one later', async () => {
  const world = charges();
  const { line, lines, reconciled } = world;
  const keyless = line('order-7', { effectKey: undefined });
  expect((await reconciled()).found).toEqual(['missing-here txn_0']);
  const { refunds, settle } = refunding(world);
  lines[0] = { ...keyless, effectKey: 'charge#order-7' };
  expect((await reconciled()).found).toEqual(['missing-here txn_0', 'missing-here charge#order-7']);
  expect(await settle()).toMatchObject([{ outcome: 'settled' }, { outcome: 'stays', whyNot: 'line-settled' }]);
  expect(refunds).toEqual(['txn_0']);
});

it('closes no difference because the line does not say any more what differed', async () => {
  const { charge, line, lines, reconciled } = charges();
  await charge('order-7', () => line('order-7', { facts: { amountCents: 9999 } }));
  expect((await reconciled()).found).toEqual(['differs charge#order-7']);
  lines[0] = { ...lines[0], at: lines[0]?.at ?? 0, facts: {} };
  expect((await reconciled()).found).toEqual(['differs charge#order-7']);
});

it('closes no difference because the claim has forgotten what it said', async () => {
  const world = charges();
  const { charge, line, reconciled, store, host } = world;
  await charge('order-7', () => line('order-7', { facts: { amountCents: 9999 } }));
  expect((await reconciled()).found).toEqual(['differs charge#order-7']);
  const { outcome } = await operator({ store, host, onEvent: () => undefined }).forget(
    { operation: 'charge', key: 'order-7' },
    { by: 'maria', note: 'request 4711' },
  );
  expect(outcome).toBe('forgotten');
  expect((await reconciled()).found).toEqual(['differs charge#order-7']);
  expect(await collect(findings({ store, host }).list())).toHaveLength(1);
});

it('a finding that is named twice has one remedy, and counts once against the limits', async () => {
  const world = charges();
  world.line('order-7');
  await world.reconciled();
  const [finding] = await collect(findings({ store: world.store, host: world.host }).list());
  const id = finding?.id ?? '';
  expect(await refunding(world).plan([id, id])).toMatchObject({ count: 1, amount: 1250, items: [{ id, will: 'run' }] });
});
