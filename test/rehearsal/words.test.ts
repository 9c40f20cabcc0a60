import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const room = fileURLToPath(new URL('../../lib/rehearsal/', import.meta.url));

/** What the shop is about. A room that stands in for AWS, for any app, has no word for it. */
const wordsOfTheShop = new Set(
  `shop shops order orders ordered email emails mail mails mailer gift gifts card cards payment payments paid payer repay repayment repayments repaid
  debt debts ledger ledgers drift customer customers processor processors booking booked price amount cents currency recipient ses accounts`.split(
    /\s+/,
  ),
);

/** The words of a text in lower case: `giftCardApiUrl` and `gift-card` have `gift` and `card` among theirs. */
function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** The lines of a file that have a word of the shop. */
function shopLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => wordsOf(line).some((word) => wordsOfTheShop.has(word)));
}

const isOfFile = (file: string) => (file === 'index.ts' || file.startsWith('file/')) && file !== 'file/ses.ts';
const files = globSync('**/*.{ts,py,java}', { cwd: room, exclude: ['dist/**', 'command/**'] });

/** The examples of what a user writes may be about anything, and a mailer is a provider that many apps have: it speaks as SES does. */
function codeLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => !/^\s*(\/?\*|\/\/)/.test(line) && !/mailer|\bses\b|\breadSes\b/i.test(line));
}

test.each(files.filter((file) => !isOfFile(file) && file !== 'file/ses.ts'))(
  'lib/rehearsal/%s is for any app: it has no word of the shop, in its name or in its text',
  (file) => {
    expect(shopLines(file)).toEqual([]);
    expect(shopLines(readFileSync(`${room}${file}`, 'utf8'))).toEqual([]);
  },
);

test.each(files.filter(isOfFile))(
  'lib/rehearsal/%s, which runs a rehearsal file, has no word of the shop in its code',
  (file) => {
    expect(shopLines(codeLines(readFileSync(`${room}${file}`, 'utf8')).join('\n'))).toEqual([]);
  },
);

test('a word of the shop is found in a name, in a text and in a comment', () => {
  expect(files.length).toBeGreaterThan(30);
  expect(shopLines("const url = context['giftCardApiUrl'];")).toHaveLength(1);
  expect(shopLines("const stack = 'PawlOrders';")).toHaveLength(1);
  expect(shopLines('// Waits for the payment.')).toHaveLength(1);
  expect(shopLines('export const ACCOUNT = 1; // sorted, and at rest')).toEqual([]);
});
