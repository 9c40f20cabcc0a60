import { expect, test } from 'vitest';
import { meant } from '../../../lib/rehearsal/file/find.ts';

const all = ['Shop/Orders/Queue', 'Shop/Orders/DeadLetters', 'Shop/Bills', 'Other/Bills'].map((construct) => ({
  construct,
  logicalId: construct,
}));
const find = (wanted: string) =>
  meant(all, wanted, 'queue', ({ construct }) => !construct.endsWith('DeadLetters')).construct;

test('finds what ends with the name, then what is inside of it, and of several the one that is preferred', () => {
  expect(find('Queue')).toBe('Shop/Orders/Queue');
  expect(find('Orders')).toBe('Shop/Orders/Queue');
  expect(find('DeadLetters')).toBe('Shop/Orders/DeadLetters');
  expect(find('Shop/Bills')).toBe('Shop/Bills');
});

test('names what there is, if there is none or more than one', () => {
  expect(() => find('Mails')).toThrow("The app has no queue 'Mails'. It has: Shop/Orders/Queue,");
  expect(() => find('Bills')).toThrow(
    "The app has more than one queue 'Bills': Shop/Bills, Other/Bills. Name more of its path.",
  );
});
