import { expect, test } from 'vitest';
import { httpProvider, mailer, rehearsal, times } from '../../../lib/rehearsal/index.ts';

const providers = { MAILER_URL: mailer() };
const traffic = () => undefined;

test.each([
  ['a misspelt option', { trafic: traffic, traffic }, /no option 'trafic'\. Did you mean 'traffic'/],
  ['a misspelt fault', { traffic, faults: { kil: 0.1 } }, /no option 'faults\.kil'\. Did you mean 'faults\.kill'/],
  ['a share above 1', { traffic, faults: { kill: 10 } }, /faults\.kill: expected a share from 0 to 1; got 10/],
  ['half a deployment', { traffic, faults: { deploy: 0.5 } }, /faults\.deploy: expected a whole number from 0/],
  ['no traffic', {}, /traffic: expected a function; got undefined/],
  [
    'an expectation of no effect',
    { traffic, expect: { mail: () => 1 } },
    /there is no effect 'mail'; there are MAILER_URL/,
  ],
  [
    'a step afterwards that is no function',
    { traffic, afterwards: ['redrive'] },
    /afterwards: expected a list of functions/,
  ],
  ['no time to settle', { traffic, settleSeconds: 0 }, /settleSeconds: expected a number of seconds above 0; got 0/],
])('refuses %s', (_, options, message) => {
  // @ts-expect-error: each is refused by its type as well, or by its value
  expect(() => rehearsal({ providers, ...options })).toThrow(message);
});

test('refuses a rehearsal that counts nothing', () => {
  expect(() => rehearsal({ traffic })).toThrow(/effects: expected at least one effect to count/);
});

test('times counts from 1', () => {
  expect(times(3, (n) => n * 10)).toEqual([10, 20, 30]);
});

test('a provider has no state of its own: it may stand in several rehearsals', () => {
  expect(httpProvider()).toEqual({ kind: 'pawl.provider', options: {} });
});
