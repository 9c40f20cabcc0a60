import { drawHttpTroubles, type HttpTroubles } from './dynamodb/http-troubles.ts';
import { type FaultName, type FaultRates, faultNames } from './faults.ts';
import { createRandom, type Random } from './world/random.ts';

type Adapter = 'each-message' | 'sqs-once' | 'once';
export type Policy = 'retry' | 'park' | 'reconcile';

/** Everything that a seed decides before time begins. */
export interface Scenario {
  readonly seed: number;
  readonly faults: FaultRates;
  /** From here on nothing goes wrong any more, in milliseconds since the start. */
  readonly faultsEndMs: number;
  /** How long after that one message may take to end; on a FIFO queue, one after the other. */
  readonly mayTakeMs: number;

  readonly adapter: Adapter;
  readonly policy: Policy;
  readonly store: 'batches' | 'individual';
  /** Where the claims are, if not in DynamoDB. No seed chooses it: a world does. */
  readonly database?: 'postgres';
  readonly remembersCompleted: boolean;
  /** A renewed lease of so many milliseconds; otherwise claims last as long as the invocation. */
  readonly leaseMs: number | undefined;
  readonly marginMs: number;
  readonly timeoutMs: number;
  readonly skewMs: number;
  readonly concurrency: number;
  readonly onInFlight: 'defer' | 'discard';
  readonly hasDeadLetters: boolean;
  readonly backoff: 'default' | 'short' | 'none';
  readonly maxAttempts: number;
  readonly classifies: boolean;
  readonly recordsResult: boolean;
  /** Tries of the SDK for one request. */
  readonly sdkTries: number;
  /** After which a client gives a request to the table up; `Infinity` for one without time-outs. */
  readonly clientTimeoutMs?: number;
  /** The lean transport, and what goes wrong below it; `undefined`: the AWS SDK. */
  readonly http?: HttpTroubles | undefined;

  readonly fifo: boolean;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly maxReceiveCount: number;
  readonly visibilityMs: number;
  readonly functionTimeoutMs: number;
  readonly pollers: number;

  readonly handler: HandlerStyle;
  readonly provider: ProviderKind;
  readonly traffic: TrafficPlan;
}

interface HandlerStyle {
  /** Marks its effect with `claim.effect`; and forgets to wait for it; or catches what it throws. */
  readonly effect: 'unmarked' | 'marked' | 'unawaited' | 'caught';
  readonly worksBefore: boolean;
  readonly worksAfter: boolean;
  /** How long that work may take. */
  readonly longestWorkMs: number;
  /** Gives up on the provider when `claim.signal` is aborted. */
  readonly usesSignal: boolean;
  /** Gives up on the provider after so many milliseconds. */
  readonly patienceMs: number | undefined;
  /** How a batch handler answers. */
  readonly answers: 'settled' | 'failures' | 'throws';
  readonly inParallel: boolean;
  /** `once` is given the invocation's remaining time. */
  readonly givesRemainingTime: boolean;
}

interface ProviderKind {
  readonly honoursKeys: boolean;
  /** How long it works on an effect. */
  readonly worksMs: number;
  /** The longest that a request can be on its way. */
  readonly travelMs: number;
  /** How long after an effect a look-up finds it. */
  readonly lookUpLagMs: number;
}

interface TrafficPlan {
  readonly keys: number;
  readonly forMs: number;
  /** Share of the sends after which the producer sends once more. */
  readonly sentAgain: number;
  readonly otherPayload: number;
  readonly unusable: number;
  /** Share of the keys that the provider will always refuse. */
  readonly refused: number;
  /** Share of the keys that kill the worker that handles them. */
  readonly poison: number;
  readonly groups: number;
  /** Share of the duplicates that are sent in another message group than their first. */
  readonly otherGroup: number;
  /** How often somebody looks at the dead-letter queue. */
  readonly operatorVisits: number;
  readonly keyIn: 'body' | 'attribute';
}

/** Share of the seeds whose circumstances are worst together where duplicates in flight are discarded. */
const discardingUnderWrongClocks = 0.02;

export function createScenario(seed: number): Scenario {
  const scenario = { ...drawScenario(seed), http: drawHttpTroubles(seed) };
  // A stream of its own as well: no other seed means anything else for it.
  const { chance, pick } = createRandom(seed + 0x54_0000_0000);
  if (!chance(discardingUnderWrongClocks)) return scenario;
  const { faults, provider } = scenario;
  return {
    ...scenario,
    onInFlight: 'discard',
    adapter: pick<Adapter>(['each-message', 'sqs-once']),
    fifo: false,
    leaseMs: undefined,
    timeoutMs: 0,
    provider: { ...provider, worksMs: 3000 },
    faults: { ...faults, clockWrong: 0.6, pause: 0.6, deliveredTwice: 0.6, storeOutage: 0 },
  };
}

/** What a seed chooses, of which each choice is as good as any other. */
export function drawScenario(seed: number): Scenario {
  // A stream of its own: what happens later does not depend on how many choices were made here.
  const random = createRandom(seed + 0x51_0000_0000);
  const { pick, chance, below, between } = random;
  const faults = drawFaults(random);
  const adapter = pick<Adapter>(['each-message', 'each-message', 'each-message', 'sqs-once', 'sqs-once', 'once']);
  const policy = pick<Policy>(['retry', 'park', 'reconcile']);
  const functionTimeoutMs = pick([5000, 10_000, 30_000]);
  const marginMs = pick([0, 300, 1000, 1000]);
  const timeoutMs = adapter === 'sqs-once' ? 0 : pick([0, 0, 1500, 2500]);
  const mayRenew = adapter !== 'sqs-once' && chance(faults.pause > 0 ? 0.6 : 0.3);
  const windowMs = pick([0, 0, 1000]);
  const travelMs = pick([1000, 6000]);
  const maxReceiveCount = pick([5, 5, 8, 12]);
  const visibilityMs = 6 * functionTimeoutMs + windowMs;
  return {
    seed,
    faults,
    faultsEndMs: between(20_000, 240_000),
    // Each receive may cost a back-off of 900 s and a quarter, or the visibility timeout; a message may be redriven twice.
    mayTakeMs: 3 * (maxReceiveCount + 1) * Math.max(1125_000, visibilityMs) + 600_000,
    adapter,
    policy,
    store: chance(0.8) ? 'batches' : 'individual',
    remembersCompleted: chance(0.3),
    leaseMs: mayRenew ? marginMs + timeoutMs + pick([1000, 1000, 3000, 8000]) : undefined,
    marginMs,
    timeoutMs,
    skewMs: pick([1000, 1000, 200]),
    concurrency: pick([1, 2, 4, 25]),
    onInFlight: chance(0.85) ? 'defer' : 'discard',
    hasDeadLetters: chance(0.8),
    backoff: pick(['default', 'short', 'none']),
    maxAttempts: pick([20, 20, 4]),
    classifies: chance(0.5),
    recordsResult: chance(0.3),
    sdkTries: pick([4, 4, 2, 1]),
    fifo: chance(0.35),
    batchSize: pick([1, 3, 10, 10]),
    windowMs,
    maxReceiveCount,
    visibilityMs,
    functionTimeoutMs,
    pollers: 1 + below(3),
    handler: {
      effect: pick(['unmarked', 'unmarked', 'marked', 'marked', 'unawaited', 'caught']),
      worksBefore: chance(0.5),
      worksAfter: chance(0.4),
      longestWorkMs: pick([1500, 1500, 0.3 * functionTimeoutMs, 0.8 * functionTimeoutMs]),
      usesSignal: chance(0.3),
      patienceMs: pick([undefined, 800, 2000]),
      answers: pick(['settled', 'failures', 'throws']),
      inParallel: chance(0.5),
      givesRemainingTime: chance(0.7),
    },
    provider: {
      honoursKeys: chance(0.4),
      worksMs: pick([20, 100, 1200, 3000]),
      travelMs,
      lookUpLagMs: pick([0, 500, 3000]),
    },
    traffic: {
      keys: 2 + below(6),
      forMs: pick([100, 5000, 60_000]),
      sentAgain: pick([0, 0.3, 0.6]),
      otherPayload: pick([0, 0, 0.2]),
      unusable: pick([0, 0, 0.15]),
      refused: pick([0, 0, 0.2]),
      poison: pick([0, 0, 0, 0.2]),
      groups: 1 + below(3),
      otherGroup: pick([0, 0.3]),
      operatorVisits: pick([0, 1, 3]),
      keyIn: pick(['body', 'body', 'attribute']),
    },
  };
}

const perInvocation: readonly FaultName[] = [
  'killAtCall',
  'killAtTime',
  'pause',
  'killLate',
  'responseLost',
  'deliveredTwice',
  'clockJumps',
  'clockWrong',
];

/** Kinds of trouble that are worst together, and would seldom meet by chance. */
const themes: readonly (readonly FaultName[])[] = [
  [],
  [],
  [],
  ['pause', 'killLate', 'deliveredTwice'],
  ['killAtCall', 'killAtTime', 'deliveredTwice'],
  ['storeAnswerLost', 'storeFailsApplied', 'statementFailsApplied', 'storeRequestLate', 'killAtCall'],
  ['providerFailsApplied', 'providerHangsApplied', 'providerLate', 'killAtCall', 'lookUpFails'],
];

/** Swarm testing: some seeds are calm, some rough, and each has its own kinds of trouble. */
export function drawFaults({ pick, chance, below }: Random): FaultRates {
  const roughness = pick([0, 0.1, 0.2, 0.4]);
  const theme = themes[below(themes.length)] ?? [];
  const rateOf = (name: FaultName) => {
    if (!chance(theme.includes(name) ? 0.9 : roughness)) return 0;
    // There are few invocations in a run, and many requests.
    return perInvocation.includes(name) ? pick([0.1, 0.3, 0.6]) : pick([0.02, 0.08, 0.25]);
  };
  return Object.fromEntries(faultNames.map((name) => [name, rateOf(name)])) as Record<FaultName, number>;
}
