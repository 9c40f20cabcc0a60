import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exitCodeOf } from '../../../../lib/rehearsal/file/result.ts';
import { httpProvider } from '../../../../lib/rehearsal/index.ts';
import { rehearsed } from '../../../support/rehearsed.ts';

const stub = fileURLToPath(new URL('../../../fixtures/rehearsed/stub.mjs', import.meta.url));

test('a function that is not for Node is refused, and a program in its place lets the rest run', async () => {
  const context = { code: 'plain.mjs', runtime: 'python3.13' };
  await expect(rehearsed(context, {}, { intents: 2 })).rejects.toThrow(/runtime is python3\.13\. Stub the function/);
  const stubs = { SendMail: { command: [process.execPath, stub] as const } };
  const result = await rehearsed(context, {}, { intents: 2, stubs });
  expect(result).toMatchObject({ good: true, effects: [{ done: 2 }] });
});

test('a function that asks for an address which no provider stands for reaches nothing, and there is no verdict', async () => {
  const outside = httpProvider({ intent: ({ body }) => body.orderId });
  // The app has the address of its mailer by itself: a name that no machine has.
  const file = { providers: { OTHER_URL: outside }, effects: { email: outside }, settleSeconds: 4 };
  const result = await rehearsed({ code: 'plain.mjs' }, {}, { intents: 1, ...file });
  expect(Object.keys(result.refused)).toEqual(['mailer.example:443']);
  expect(result.noVerdict).toMatch(/The app asked for mailer\.example:443 .* Name the environment variable/);
  expect(exitCodeOf(result)).toBe(2);
});
