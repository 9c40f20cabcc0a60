import { expect, test } from 'vitest';
import type { BankLine } from '../../shop/incident/bank.ts';
import { type Facts, isSettled, judge, lineOf } from '../../shop/incident/judge.ts';
import { fifty } from '../../shop/incident/plan.ts';

const ids = (what: keyof typeof fifty) => Array.from({ length: fifty[what] }, (_, index) => `${what}#${index}`);
const was = { locks: ids('locks'), works: ids('works'), claims: ids('claims'), findings: ids('findings') };
const line = (of: Partial<BankLine>): BankLine => ({
  ...{ id: 'txn_1', what: 'charge', of: 'order-1', key: 'charge#order-1', amountCents: 1250, at: 0 },
  ...of,
});
const done = { status: 'completed', isDiscarded: false };
const settled: Facts = {
  holders: new Set(),
  claims: new Map([...was.locks, ...was.works, ...was.claims].map((id) => [id, done])),
  findings: new Map(),
  openFindings: new Set(),
  debts: new Map([['debt-1', 1]]),
  bank: [line({ what: 'repayment', of: 'debt-1' })],
};

test('fifty that are settled, and two lists that agree, are good', () => {
  expect(lineOf(judge(was, settled))).toBe(
    'settled: locks 20, works 3, claims 15, findings 12; provider and ledger agree',
  );
  expect(isSettled(judge(was, settled))).toBe(true);
});

test('a lock that stands, a claim whose message waits, and an open finding are not settled', () => {
  const claims = new Map(settled.claims).set('claims#1', { ...done, status: 'released' });
  const facts = { ...settled, claims, holders: new Set(['locks#3', 'works#1']), openFindings: new Set(['findings#4']) };
  expect(lineOf(judge(was, facts))).toBe(
    'settled: locks 19 of 20, works 2 of 3, claims 14 of 15, findings 11 of 12; provider and ledger agree',
  );
  expect(isSettled(judge(was, facts))).toBe(false);
  const discarded = new Map(claims).set('claims#1', { status: 'released', isDiscarded: true });
  expect(judge(was, { ...facts, claims: discarded }).settled.claims).toBe(15);
});

const differs = (facts: Partial<Facts>) => judge(was, { ...settled, ...facts }).differences;
const booked = new Map(settled.claims).set('charge#order-1', { ...done, amountCents: 1250 });

test('a charge without a claim, one that is booked twice, and a claim without a charge do not agree', () => {
  const { bank } = settled;
  expect(differs({ bank: [...bank, line({})], claims: booked })).toEqual([]);
  expect(differs({ bank: [...bank, line({})] })).toEqual(['charge#order-1: the bank has 1250 cents, the ledger 0']);
  expect(differs({ claims: booked })).toEqual(['charge#order-1: the bank has 0 cents, the ledger 1250']);
  const twice = [...bank, line({}), line({ id: 'txn_2' })];
  expect(differs({ bank: twice, claims: booked })).toHaveLength(1);
  const refund = line({ id: 'txn_3', what: 'refund', of: 'txn_2', key: 'refund#1' });
  expect(differs({ bank: [...twice, refund], claims: booked })).toEqual([]);
});

test('fifty that are settled are not good while the two lists differ', () => {
  const judged = judge(was, { ...settled, bank: [] });
  expect(judged.settled).toEqual(fifty);
  expect(isSettled(judged)).toBe(false);
  expect(lineOf(judged)).toMatch(/provider and ledger do not agree$/);
});

test('a difference agrees once it is accepted', () => {
  const bank = [...settled.bank, line({ amountCents: 1255 })];
  const finding = { id: 'f', kind: 'differs', operation: 'charge', foundAt: 0, claimId: 'charge#order-1' } as const;
  const found = { ...finding, line: { at: 0, facts: { amountCents: 1255 } } };
  expect(differs({ bank, claims: booked, findings: new Map([['f', found]]) })).toHaveLength(1);
  const accepted = { ...found, accepted: { by: 'maria', note: 'the fee', at: 1 } };
  expect(differs({ bank, claims: booked, findings: new Map([['f', accepted]]) })).toEqual([]);
});

test('a debt that only one of both knows, and one that is repaid twice, do not agree', () => {
  expect(differs({ debts: new Map() })).toEqual(['debt-1: repaid 1 times at the bank, 0 times here']);
  expect(differs({ debts: new Map([['debt-1', 2]]) })).toHaveLength(1);
  expect(differs({ bank: [] })).toHaveLength(1);
});
