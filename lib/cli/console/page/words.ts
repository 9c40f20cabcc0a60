import type { OpenState, ResolutionPlan } from 'pawl/operate';
import type { LockShown } from '../api.ts';

/*
 * What the page calls the states of open claims and of locks, and the verdicts of an operator. pawl says which there are: TypeScript refuses a list without one of them.
 */

export const openStates: Readonly<Record<OpenState, string>> = {
  parked: 'parked',
  'in-doubt': 'in doubt',
  waiting: 'waiting',
  'in-flight': 'in flight',
};

export const states = Object.keys(openStates) as readonly OpenState[];

export const isOpen = (state: string): state is OpenState => Object.hasOwn(openStates, state);

/** How the page shows the state of a lock. */
export const lockLooks: Readonly<Record<LockShown['state'], readonly [tone: string, says: string]>> = {
  kept: ['parked', 'kept'],
  'lease-over': ['in-doubt', 'held, lease over'],
  held: ['in-flight', 'held'],
  ended: ['plain', 'ended'],
};

type Verdict = ResolutionPlan['verdict'];

const verdictRows: Readonly<Record<Verdict, string>> = {
  applied: 'The effect happened. A redriven message is acknowledged, and does not run.',
  'not-applied':
    'It did not happen, and a request that the worker gave up can no longer reach the provider. A redriven message runs.',
  retry: 'It is not known. A redriven message runs all the same, and the effect may happen twice.',
};

/** Each verdict, and what it says. */
export const verdicts = Object.entries(verdictRows) as readonly (readonly [Verdict, string])[];
