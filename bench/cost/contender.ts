import type { Contender } from './contract.ts';

/** Each in a module of its own, so that a process loads one contender, and nothing of the others. */
export const contenders = {
  floor: () => import('./contenders/floor.ts').then(({ floor }): Contender => floor),
  pawl: () => import('./contenders/pawl.ts').then(({ pawl }): Contender => pawl),
  pawlLean: () => import('./contenders/pawl-lean.ts').then(({ pawlLean }): Contender => pawlLean),
  sqsOnce: () => import('./contenders/sqs-once.ts').then(({ sqsOnceUnderMiddy }): Contender => sqsOnceUnderMiddy),
  powertools: () => import('./contenders/powertools.ts').then(({ powertools }): Contender => powertools),
  middy: () => import('./contenders/middy.ts').then(({ unprotected }): Contender => unprotected),
} as const satisfies Record<string, () => Promise<Contender>>;

export type Name = keyof typeof contenders;
export const nameOfEntry = Object.keys(contenders) as readonly Name[];

/** As they are called in tables and charts. */
export const titles: Readonly<Record<Name, string>> = {
  floor: 'floor',
  pawl: 'pawl, eachMessage',
  pawlLean: 'pawl, lean',
  sqsOnce: 'pawl, sqsOnce under Middy',
  powertools: 'Powertools',
  middy: 'Middy alone, unprotected',
};
