import { expect, test } from 'vitest';
import { conformanceApps } from '../../../proof/conformance/apps.ts';
import type { Case } from '../../../proof/conformance/case.ts';
import { outcomeOf } from '../../../proof/conformance/outcome.ts';
import { report } from '../../../proof/conformance/table.ts';

const plain: Case = { name: 'Plain', about: 'one message', sends: [{ id: 'a' }], documented: 'a: 1' };
const explained: Case = { ...plain, emulator: { outcome: 'a: 1, 2', why: 'It counts twice.' } };

const reportOf = (one: Case, rehearsal: string, emulator: string) =>
  report([{ name: 'Batches', isFifo: false, cases: [one] }], {
    rehearsal: new Map([[one.name, rehearsal]]),
    emulator: new Map([[one.name, emulator]]),
  });

test('an outcome that is neither documented nor explained is counted, and the table says both', () => {
  const { unexplained, lines } = reportOf(plain, 'a: 1', 'a: 1, 2');
  expect(unexplained).toBe(1);
  expect(lines).toContain('| `Plain` | one message | a: 1 | the same | **a: 1, 2**, not a: 1 | no |');
});

test('an explained outcome is not counted, and its reason is below the table', () => {
  const { unexplained, lines } = reportOf(explained, 'a: 1', 'a: 1, 2');
  expect(unexplained).toBe(0);
  expect(lines).toContain('- `Plain`, emulator: It counts twice.');
});

test('a difference that is gone is counted: its explanation is no longer true', () => {
  expect(reportOf(explained, 'a: 1', 'a: 1').unexplained).toBe(1);
});

test('an explanation holds for its own engine only', () => {
  expect(reportOf(explained, 'a: 1, 2', 'a: 1, 2').unexplained).toBe(1);
});

test('an outcome has each receive count, the order within each group, and the dead letters', () => {
  const seen = (id: string, count: number, group?: string) => ({ id, count, group, queue: 'Plain' });
  const sentAt = 1_789_999_995_000;
  const batches = [
    { at: 1_790_000_000_000, seen: [seen('b', 1, 'x'), seen('a', 1, 'x')] },
    { at: 1_790_000_009_000, seen: [seen('b', 2, 'x')] },
  ];
  expect(outcomeOf(plain, { sentAt, batches, dead: ['b'] })).toBe('a: 1 · b: 1, 2 · dead: b');
  expect(outcomeOf({ ...plain, looks: 'order' }, { sentAt, batches, dead: [] })).toBe('x: b1 a1 b2');
  expect(outcomeOf({ ...plain, looks: 'batches' }, { sentAt, batches, dead: [] })).toBe('batches of 2, 1');
  expect(outcomeOf({ ...plain, looks: 'visibility' }, { sentAt, batches, dead: [] })).toBe('b: not earlier · a: never');
  const windowed: Case = { ...plain, looks: 'window', mapping: { MaximumBatchingWindowInSeconds: 10 } };
  expect(outcomeOf(windowed, { sentAt, batches, dead: [] })).toBe('b: at once · a: at once · b: after its window');
  expect(outcomeOf({ ...plain, looks: 'largest' }, { sentAt, batches, dead: [] })).toBe('no batch of more than ten');
  expect(outcomeOf(plain, { sentAt, batches: [], dead: [] })).toBe('none');
});

test('each case has a name of its own: it names its queue', () => {
  const names = conformanceApps.flatMap(({ cases }) => cases.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});
