import { expect, test } from 'vitest';
import { APPS } from '../../../proof/conformance/apps.ts';
import type { Case } from '../../../proof/conformance/case.ts';
import { outcomeOf } from '../../../proof/conformance/outcome.ts';
import { report } from '../../../proof/conformance/table.ts';

const PLAIN: Case = { name: 'Plain', about: 'one message', sends: [{ id: 'a' }], documented: 'a: 1' };
const EXPLAINED: Case = { ...PLAIN, emulator: { outcome: 'a: 1, 2', why: 'It counts twice.' } };

const reportOf = (one: Case, rehearsal: string, emulator: string) =>
  report([{ name: 'Batches', isFifo: false, cases: [one] }], {
    rehearsal: new Map([[one.name, rehearsal]]),
    emulator: new Map([[one.name, emulator]]),
  });

test('an outcome that is neither documented nor explained is counted, and the table says both', () => {
  const { unexplained, lines } = reportOf(PLAIN, 'a: 1', 'a: 1, 2');
  expect(unexplained).toBe(1);
  expect(lines).toContain('| `Plain` | one message | a: 1 | the same | **a: 1, 2**, not a: 1 | no |');
});

test('an explained outcome is not counted, and its reason is below the table', () => {
  const { unexplained, lines } = reportOf(EXPLAINED, 'a: 1', 'a: 1, 2');
  expect(unexplained).toBe(0);
  expect(lines).toContain('- `Plain`, emulator: It counts twice.');
});

test('a difference that is gone is counted: its explanation is no longer true', () => {
  expect(reportOf(EXPLAINED, 'a: 1', 'a: 1').unexplained).toBe(1);
});

test('an explanation holds for its own engine only', () => {
  expect(reportOf(EXPLAINED, 'a: 1, 2', 'a: 1, 2').unexplained).toBe(1);
});

test('an outcome has each receive count, the order within each group, and the dead letters', () => {
  const seen = (id: string, count: number, group?: string) => ({ id, count, group, queue: 'Plain' });
  const batches = [
    { at: 1_790_000_000_000, seen: [seen('b', 1, 'x'), seen('a', 1, 'x')] },
    { at: 1_790_000_009_000, seen: [seen('b', 2, 'x')] },
  ];
  expect(outcomeOf(PLAIN, batches, ['b'], 8_000)).toBe('a: 1 · b: 1, 2 · dead: b');
  expect(outcomeOf({ ...PLAIN, looks: 'order' }, batches, [], 8_000)).toBe('x: b1 a1 b2');
  expect(outcomeOf({ ...PLAIN, looks: 'batches' }, batches, [], 8_000)).toBe('batches of 2, 1');
  expect(outcomeOf({ ...PLAIN, looks: 'visibility' }, batches, [], 8_000)).toBe('b: not earlier · a: never');
  expect(outcomeOf(PLAIN, [], [], 8_000)).toBe('none');
});

test('each case has a name of its own: it names its queue', () => {
  const names = APPS.flatMap(({ cases }) => cases.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});
