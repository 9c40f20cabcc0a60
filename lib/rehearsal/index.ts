export type { Stub } from './engine/not-run.ts';
export type * from './file/app.ts';
export { type Deployment, type Given, type Rehearsal, type RehearsalOptions, rehearsal, times } from './file/define.ts';
export { type Counted, type Counts, rows } from './file/effects.ts';
export { defaultFaults, type Faults } from './file/plan.ts';
export {
  type HttpProviderOptions,
  httpProvider,
  mailer,
  type Provider,
  type ProviderRequest,
  type ProviderResponse,
} from './file/providers.ts';
