import { expect, it } from 'vitest';
import { youngestStepDoubt } from '../../../lib/pawl/operate/young-doubt.ts';
import { someDay } from '../../support/virtual-host.ts';

const at = (age: number) => someDay - age;
const step = (name: string, age: number, state: 'started' | 'open' | 'done' = 'started') => ({
  ...{ name, state, hasResult: false },
  at: at(age),
});
const claim = { status: 'parked', leaseUntil: at(9000), inDoubtSince: undefined } as const;

it.each([
  ['the steps that are asked about', {}, ['a', 'b'], at(2000)],
  ['one of them', {}, ['a'], at(3000)],
  ['none that is done or has applied nothing', {}, ['c', 'd'], undefined],
  ['none that the claim does not have', {}, ['e'], undefined],
  ['the whole claim, if that is younger', { inDoubtSince: at(1000) }, ['a'], at(1000)],
  [
    'a worker that died in it, as old as the end of its lease',
    { status: 'in-flight', leaseUntil: at(500) },
    ['a'],
    at(500),
  ],
] as const)('the youngest doubt is that of %s', (_, more, names, since) => {
  const steps = [step('a', 3000), step('b', 2000), step('c', 100, 'open'), step('d', 100, 'done')];
  expect(youngestStepDoubt({ ...claim, ...more, steps }, names)).toBe(since);
});
