import type { AbandonedPolicy } from '../../lib/pawl/rules/decide.ts';

/** What may go wrong. Each of these costs one of the faults that a run may have. */
export type Fault =
  /** A worker dies: before or after any of its steps, or because its invocation has timed out. */
  | 'crash'
  /** A call to the store is answered with an error, whether or not the write was applied. */
  | 'store-fails'
  /** A write is on its way twice, because its answer was late, and the second copy arrives at any time, or never. */
  | 'late-writes'
  /** The handler throws, and nobody can say why: the request was lost, or its answer was, or it is still on its way. */
  | 'provider-fails'
  /** The provider says no: for now, or for good. */
  | 'provider-refuses'
  /** The provider cannot say what became of an effect. */
  | 'inconclusive'
  /** The handler fails in its own work, before its effect or after it. */
  | 'handler-fails'
  /** A call to SQS fails. */
  | 'queue-fails'
  /** A worker goes on after the end of its lease: frozen and thawed, or never stopped. */
  | 'outlives'
  /** The clock of a worker moves further than the allowance. */
  | 'clock-jumps';

/** One search: what there is, and how much may go wrong. */
export interface Config {
  readonly name: string;
  /** The policy of each deployment, in order: more than one when the author changes it while messages are under way. */
  readonly policies: readonly [AbandonedPolicy, ...AbandonedPolicy[]];
  /** Of each deployment, whether its effect and its completion are one transaction, as of `eachTransaction`. @default none */
  readonly atomic?: readonly boolean[];
  /** Whether the provider applies one effect per effect key, however often it is asked. */
  readonly honoursKey: boolean;
  /** The key of each message, and what it means to do. */
  readonly messages: readonly { readonly key: number; readonly intent: string }[];
  /** How many workers there are at once. */
  readonly workers: number;
  /** How often each message may be delivered; what is delivered so often and not done is moved by the queue to its dead-letter queue. */
  readonly deliveries: number;
  readonly faults: readonly Fault[];
  /** How many of these may happen in one run, in any mixture. */
  readonly mostFaults: number;
  /** Whether SQS delivers a message that is in flight or deleted once more. */
  readonly duplicates: boolean;
  /** Whether clocks differ, by as much as is allowed. */
  readonly skewed: boolean;
  /** How far a clock jumps, in units of time. */
  readonly jump: number;
  /** Whether the handler marks its effect. */
  readonly marksEffect: boolean;
  /** How many steps the handler has, each under 'park'; 0 for a handler that is one effect. */
  readonly steps: number;
  /** Whether the lease is shorter than the invocation, and renewed. */
  readonly renewed: boolean;
  /** Whether the messages are a message group of a FIFO queue, in this order. */
  readonly fifo: boolean;
  /** Whether the consumer was given a dead-letter queue. */
  readonly deadLetters: boolean;
  /** How many parked claims an operator resolves, and how many messages are redriven. */
  readonly operator: number;
  readonly maxAttempts: number;
  readonly maxAbandoned: number;
  /** In units of time. `Infinity` where no run lasts as long. */
  readonly retryWindow: number;
  /** In units of time. `Infinity` where no run lasts as long. */
  readonly retention: number;
}

const one = [{ key: 0, intent: 'a' }] as const;
const twins = [...one, ...one];

const usual = {
  honoursKey: false,
  messages: one,
  workers: 2,
  deliveries: 3,
  duplicates: true,
  skewed: false,
  jump: 3,
  marksEffect: false,
  steps: 0,
  renewed: false,
  fifo: false,
  deadLetters: true,
  operator: 0,
  maxAttempts: 20,
  maxAbandoned: 3,
  retryWindow: Infinity,
  retention: Infinity,
} as const;

const usualFaults = [
  'crash',
  'store-fails',
  'late-writes',
  'provider-fails',
  'provider-refuses',
  'queue-fails',
] as const;
const withLookUps = [...usualFaults, 'inconclusive'] as const;
const beyond = ['crash', 'outlives', 'clock-jumps'] as const;

export const configs: readonly Config[] = [
  { ...usual, name: 'park', policies: ['park'], faults: usualFaults, mostFaults: 2, deliveries: 2 },
  {
    ...usual,
    name: 'park, three workers, skew',
    policies: ['park'],
    faults: ['crash'],
    mostFaults: 1,
    workers: 3,
    skewed: true,
  },
  {
    ...usual,
    name: 'park, beyond',
    policies: ['park'],
    faults: [...beyond, 'provider-fails', 'late-writes'],
    mostFaults: 1,
  },
  {
    ...usual,
    name: 'park, twins',
    policies: ['park'],
    faults: ['crash', 'store-fails', 'provider-fails'],
    mostFaults: 1,
    messages: twins,
    duplicates: false,
  },
  {
    ...usual,
    name: 'park, no dead-letter queue',
    policies: ['park'],
    faults: ['crash', 'provider-fails', 'provider-refuses'],
    mostFaults: 2,
    deadLetters: false,
  },
  {
    ...usual,
    name: 'park, operator',
    policies: ['park'],
    faults: [...beyond, 'provider-fails'],
    mostFaults: 1,
    deliveries: 2,
    operator: 1,
    duplicates: false,
  },
  {
    ...usual,
    name: 'park, marked effect',
    policies: ['park'],
    faults: ['crash', 'provider-fails', 'handler-fails', 'store-fails'],
    mostFaults: 2,
    marksEffect: true,
  },
  {
    ...usual,
    name: 'park, renewed lease',
    policies: ['park'],
    faults: ['crash', 'store-fails', 'late-writes', 'outlives'],
    mostFaults: 1,
    deliveries: 2,
    renewed: true,
  },
  {
    ...usual,
    name: 'retry, key honoured',
    policies: ['retry'],
    honoursKey: true,
    faults: [...usualFaults, 'outlives', 'clock-jumps'],
    mostFaults: 1,
  },
  {
    ...usual,
    name: 'retry, key ignored',
    policies: ['retry'],
    faults: [...usualFaults, 'outlives', 'clock-jumps'],
    mostFaults: 1,
    deliveries: 2,
  },
  {
    ...usual,
    name: 'retry, twins',
    policies: ['retry'],
    honoursKey: true,
    faults: ['crash'],
    mostFaults: 1,
    deliveries: 2,
    messages: twins,
    duplicates: false,
  },
  {
    ...usual,
    name: 'retry, limits',
    policies: ['retry'],
    honoursKey: true,
    faults: ['crash', 'provider-refuses', 'provider-fails'],
    mostFaults: 2,
    deliveries: 2,
    maxAttempts: 2,
    maxAbandoned: 2,
    retryWindow: 6,
  },
  { ...usual, name: 'reconcile', policies: ['reconcile'], faults: withLookUps, mostFaults: 2, deliveries: 2 },
  {
    ...usual,
    name: 'reconcile, skew',
    policies: ['reconcile'],
    faults: ['crash', 'provider-fails'],
    mostFaults: 1,
    deliveries: 2,
    skewed: true,
  },
  {
    ...usual,
    name: 'reconcile, beyond',
    policies: ['reconcile'],
    faults: [...beyond, 'provider-fails'],
    mostFaults: 1,
    deliveries: 2,
  },
  {
    ...usual,
    name: 'reconcile, twins',
    policies: ['reconcile'],
    faults: ['crash'],
    mostFaults: 1,
    deliveries: 2,
    messages: twins,
    duplicates: false,
  },
  {
    ...usual,
    name: 'reconcile, marked effect',
    policies: ['reconcile'],
    faults: ['crash', 'provider-fails', 'handler-fails'],
    mostFaults: 2,
    deliveries: 2,
    marksEffect: true,
  },
  {
    ...usual,
    name: 'reconcile, renewed lease',
    policies: ['reconcile'],
    faults: ['crash', 'store-fails', 'late-writes', 'provider-fails'],
    mostFaults: 1,
    duplicates: false,
    renewed: true,
  },
  {
    ...usual,
    name: 'reconcile, limits',
    policies: ['reconcile'],
    faults: ['crash', 'inconclusive', 'provider-fails'],
    mostFaults: 3,
    deliveries: 2,
    maxAbandoned: 2,
  },
  {
    ...usual,
    name: 'two keys',
    policies: ['park'],
    faults: ['crash'],
    mostFaults: 1,
    deliveries: 2,
    messages: [...one, { key: 1, intent: 'a' }],
    duplicates: false,
  },
  {
    ...usual,
    name: 'another intent',
    policies: ['retry'],
    honoursKey: true,
    faults: ['crash', 'provider-fails', 'provider-refuses'],
    mostFaults: 1,
    deliveries: 2,
    messages: [...one, { key: 0, intent: 'b' }],
    duplicates: false,
  },
  {
    ...usual,
    name: 'message group',
    policies: ['park'],
    faults: ['crash', 'provider-fails', 'provider-refuses', 'queue-fails', 'outlives'],
    mostFaults: 1,
    deliveries: 2,
    messages: [...one, { key: 1, intent: 'a' }],
    fifo: true,
  },
  {
    ...usual,
    name: 'policy changes to park',
    policies: ['retry', 'park'],
    faults: ['crash', 'provider-fails', 'store-fails', 'outlives'],
    mostFaults: 1,
    deliveries: 2,
  },
  {
    ...usual,
    name: 'policy changes to reconcile',
    policies: ['retry', 'reconcile'],
    faults: ['crash', 'provider-fails', 'store-fails'],
    mostFaults: 1,
    deliveries: 2,
  },
  {
    ...usual,
    name: 'door changes to transactions',
    policies: ['park', 'park'],
    atomic: [false, true],
    faults: ['crash', 'provider-fails', 'store-fails', 'late-writes'],
    mostFaults: 1,
    deliveries: 2,
  },
  {
    ...usual,
    name: 'door changes from transactions',
    policies: ['park', 'park'],
    atomic: [true, false],
    faults: ['crash', 'provider-fails', 'store-fails', 'late-writes'],
    mostFaults: 1,
    deliveries: 2,
  },
  {
    ...usual,
    name: 'steps',
    policies: ['retry'],
    faults: ['crash', 'store-fails', 'late-writes', 'provider-fails', 'provider-refuses'],
    mostFaults: 1,
    deliveries: 2,
    steps: 2,
  },
  {
    ...usual,
    name: 'steps, renewed lease',
    policies: ['retry'],
    faults: ['crash', 'late-writes'],
    mostFaults: 1,
    workers: 1,
    deliveries: 1,
    duplicates: false,
    renewed: true,
    steps: 2,
  },
  {
    ...usual,
    name: 'steps, operator',
    policies: ['retry'],
    faults: ['crash', 'late-writes', 'provider-fails'],
    mostFaults: 1,
    deliveries: 2,
    duplicates: false,
    operator: 1,
    steps: 2,
  },
  {
    ...usual,
    name: 'steps, beyond',
    policies: ['retry'],
    faults: [...beyond, 'provider-fails'],
    mostFaults: 1,
    deliveries: 2,
    duplicates: false,
    steps: 2,
  },
  {
    ...usual,
    name: 'retention',
    policies: ['park'],
    faults: ['crash', 'provider-refuses'],
    mostFaults: 1,
    deliveries: 2,
    skewed: true,
    retention: 7,
  },
];

/** What has to be smaller still where there is much of it. */
const smallest: Readonly<Record<string, Partial<Config>>> = {
  'park, operator': { faults: ['crash'] },
  'park, renewed lease': { faults: ['crash', 'outlives'], duplicates: false },
  'reconcile, renewed lease': { faults: ['crash', 'late-writes'], duplicates: false },
  'park, twins': { mostFaults: 0 },
  'retry, twins': { mostFaults: 0 },
  'reconcile, twins': { mostFaults: 0 },
  'two keys': { deliveries: 1 },
  'another intent': { faults: ['crash'], mostFaults: 0 },
  'message group': { faults: ['crash', 'provider-refuses'], deliveries: 1 },
  'policy changes to park': { duplicates: false },
  'policy changes to reconcile': { duplicates: false },
  'door changes to transactions': { duplicates: false },
  'door changes from transactions': { duplicates: false },
  steps: { duplicates: false },
  'steps, renewed lease': { faults: ['late-writes'] },
  'steps, operator': { faults: ['provider-fails'] },
  retention: { duplicates: false },
};

/** The same within bounds that a unit test has the time for. */
export function smaller(config: Config): Config {
  const { name, mostFaults, deliveries, workers } = config;
  return {
    ...config,
    mostFaults: Math.min(1, mostFaults),
    deliveries: Math.min(2, deliveries),
    workers: Math.min(2, workers),
    ...smallest[name],
  };
}
