import { expect, it } from 'vitest';
import type { StatementLine } from '../../../lib/pawl/statements/index.ts';
import { charges } from './charges.ts';

const throwing = {
  get at(): number {
    throw new Error('secret');
  },
};
const cycle: Record<string, unknown> = { facts: {} };
cycle['facts'] = cycle;

/** What a provider's export may hold in place of a line, or inside one. `of`: what is said of it. */
const lines: Readonly<Record<string, readonly [line: unknown, why: RegExp]>> = {
  null: [null, /no object, but null/],
  undefined: [undefined, /no object/],
  'a text': ['txn_1', /no object/],
  'a number': [17, /no object/],
  'a bigint': [17n, /no object/],
  'a function': [() => 17, /no object/],
  'a list': [[], /time/],
  'an empty object': [{ at: undefined }, /time/],
  'a getter that throws': [throwing, /getter|time/],
  'no time': [{ key: 'a', at: Number.NaN }, /time/],
  'an infinite time': [{ key: 'a', at: Number.POSITIVE_INFINITY }, /time/],
  'a time that is a text': [{ key: 'a', at: '2026-11-22' }, /time/],
  'a time that is a bigint': [{ key: 'a', at: 17n }, /time/],
  'facts that are null': [{ key: 'a', facts: null }, /facts are null/],
  'facts that are a list': [{ key: 'a', facts: [1] }, /facts are a list/],
  'facts that are a text': [{ key: 'a', facts: 'amount' }, /facts are a value of type string/],
  'a fact that is a bigint': [{ key: 'a', facts: { amount: 17n } }, /fact amount is a value of type bigint/],
  'a fact that is null': [{ key: 'a', facts: { amount: null } }, /fact amount is null/],
  'a fact that is NaN': [{ key: 'a', facts: { amount: Number.NaN } }, /not exact/],
  'a fact beyond 2^53': [{ key: 'a', facts: { amount: 1e200 } }, /not exact/],
  'facts that are a cycle': [cycle, /fact at|fact facts/],
  'facts larger than an item': [{ key: 'a', facts: { memo: 'x'.repeat(500_000) } }, /longer than/],
  'a key that is a bigint': [{ key: 17n }, /key/],
  'a key that is ill-formed': [{ key: 'a\ud800' }, /key/],
  'a key that is an object': [{ key: {} }, /key/],
  'an empty key': [{ key: '' }, /key/],
  'an effect key that is no text': [{ effectKey: 17 }, /effect key is no text/],
  'an effect key that is longer than any': [{ effectKey: `charge#${'k'.repeat(3000)}` }, /longer than any/],
  'an effect key that is ill-formed': [{ effectKey: 'charge#\ud800' }, /effect key/],
  'the effect key of a step': [{ effectKey: 'charge#a#capture' }, /step/],
  'an id that is a bigint': [{ key: 'a', id: 17n }, /id is no text/],
  'an id that is ill-formed': [{ key: 'a', id: 'txn\ud800' }, /id is no well-formed text/],
};

it.each(Object.entries(lines))(
  '%s is one unreadable line: the run goes on, and comes to its end',
  async (_, [given, why]) => {
    const { charge, line, lines: statement, reconciled, open } = charges();
    await charge('order-1');
    line('order-1');
    const timed = typeof given === 'object' && given !== null && !Array.isArray(given) && given !== throwing;
    const one = timed ? { at: statement[0]?.at, ...given } : given;
    statement.unshift(one as StatementLine);
    const { report, findings } = await reconciled();
    expect(report).toMatchObject({ lines: 2, matched: 1, unreadable: 1 });
    expect(findings).toMatchObject([{ kind: 'unreadable', why: expect.stringMatching(why) }]);
    // Again, it is the same finding, and is not found anew.
    const again = await reconciled();
    expect(again.report).toMatchObject({ unreadable: 1, fresh: 0 });
    expect(await open()).toHaveLength(1);
  },
);

it('unreadable lines are told apart, as far as what they say tells them', async () => {
  const { lines: statement, reconciled } = charges();
  const all: unknown[] = [null, 17n, 18n, { at: 1 / 0, key: 'a' }, { at: 1 / 0, key: 'b' }, { facts: null, id: 'x' }];
  statement.push(...(all as StatementLine[]));
  expect((await reconciled()).findings).toHaveLength(all.length);
});

it('a run that was stopped behind an unreadable line goes on there', async () => {
  const { lines: statement, settings, line, host } = charges();
  for (let index = 0; index < 99; index++) line(`order-${index}`);
  statement.push(null as unknown as StatementLine);
  line('order-100');
  await host.advance(10 * 3_600_000);
  const { reconcileStatements } = await import('../../../lib/pawl/statements/index.ts');
  const stopping = new AbortController();
  await reconcileStatements(settings({ signal: stopping.signal, onProgress: () => stopping.abort() }));
  expect(await reconcileStatements(settings())).toMatchObject({ report: { lines: 101, unreadable: 1 } });
});
