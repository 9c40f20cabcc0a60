import type { RunResult } from '../../lib/pawl/engine/run-result.ts';
import type { Checkpoint } from '../../lib/pawl/rules/checkpoints.ts';
import type { ClaimRules, Decision } from '../../lib/pawl/rules/decide.ts';
import { type Identity, identify } from '../../lib/pawl/rules/identity.ts';
import type { Outcome } from '../../lib/pawl/rules/outcome.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimWrite, WriteResult } from '../../lib/pawl/rules/store.ts';
import type { Disposition } from '../../lib/pawl/sqs/disposition.ts';
import type { Config } from './config.ts';
import { type Protocol, production } from './protocol.ts';
import { times, unitMs } from './time.ts';

/** Everything there is at one moment. Never changed, only replaced: most of one state is shared with the next. */
export interface World {
  /** Of a clock that is right, in units. */
  readonly now: number;
  readonly keys: readonly Key[];
  readonly messages: readonly Message[];
  /** Those that are at work. One that ends or dies leaves, and nothing of what it knew stays. */
  readonly workers: readonly Worker[];
  readonly lateWrites: readonly LateWrite[];
  readonly lateEffects: readonly LateEffect[];
  /** A decision about a parked claim, under way to the store. */
  readonly resolving: { readonly key: number; readonly write: ClaimWrite } | undefined;
  readonly faultsLeft: number;
  readonly resolvesLeft: number;
  readonly redrivesLeft: number;
  /** Which of the policies workers start with. */
  readonly deployed: number;
  /** A clock was further off than the allowance, or a worker went on after its lease: what some promises end with. */
  readonly beyond: boolean;
  /** Nothing went wrong so far, and SQS delivered nothing twice. */
  readonly calm: boolean;
  /** How many claim ids were given out. */
  readonly claimIds: number;
}

/** One idempotency key: its claim, and what really happened at the provider. */
export interface Key {
  readonly record: ClaimRecord | undefined;
  /** How many times the effect was applied; of a handler with steps, that of the step that was applied most often. */
  readonly applied: number;
  /** The same for each step. */
  readonly steps: readonly number[];
  /** How many times a completed record was forgotten, because its retention was over. */
  readonly forgotten: number;
  /** From when on every look-up sees it. */
  readonly seenFrom: number;
  /** Something was reported that tells a person that the effect may happen twice. */
  readonly told: boolean;
  /** What the first handler that started meant to do. */
  readonly intent: string | undefined;
  /** Which policy the last handler that started was deployed with. */
  readonly policy: number;
}

export interface Message {
  /** `queued` is waiting or in flight; `dead` is in the dead-letter queue and no longer in its own. */
  readonly status: 'queued' | 'done' | 'dead';
  readonly receives: number;
  /** A consumer put a copy into the dead-letter queue. */
  readonly copied: boolean;
  readonly visibleFrom: number;
  /** How often it was redriven. Each time it is a new message to SQS. */
  readonly redriven: number;
}

interface LateWrite {
  readonly write: ClaimWrite;
  readonly key: number;
  readonly by: Writer;
  readonly until: number;
}

/** A request to apply an effect whose worker has given it up, or is dead. */
interface LateEffect {
  readonly key: number;
  readonly step: number;
  /** It arrives earlier than this, or never. */
  readonly until: number;
}

/** Who writes, and why. `claim`: `decide` said so. `own`: the owner of a claim settles or renews it. */
export type Writer =
  | { readonly why: 'claim' | 'own'; readonly claimId: string }
  | { readonly why: 'operator'; readonly claimId?: undefined };

/** What a worker waits for. Until it has an answer, the world has not yet done it. */
export type Waits =
  /** `aheadAt`: when it was sent, if that was before the turn of its message. */
  | { readonly for: 'read'; readonly aheadAt?: number }
  | { readonly for: 'claim'; readonly decided: Decision; readonly write: ClaimWrite }
  | { readonly for: 'ask'; readonly retryAfterMs: number; readonly askedAt: number }
  | { readonly for: 'before' }
  | { readonly for: 'effect' }
  | {
      readonly for: 'checkpoint';
      readonly write: ClaimWrite;
      readonly checkpoint: Checkpoint;
      /** When it is given up, in epoch milliseconds. */
      readonly until: number;
      /** What the step throws once its checkpoint is written. */
      readonly error: Error | undefined;
    }
  | { readonly for: 'after' }
  | {
      readonly for: 'record';
      readonly write: ClaimWrite;
      readonly outcome: Outcome;
      readonly ran: Unrecorded;
    }
  | { readonly for: 'dead-letter' }
  /** `tells`: there was time left to tell SQS when messages are to come again. */
  | { readonly for: 'end'; readonly tells: boolean };

export type Answer =
  | { readonly is: 'found'; readonly found: ClaimRecord | undefined }
  | { readonly is: 'written'; readonly written: WriteResult }
  | { readonly is: 'verdict'; readonly verdict: 'applied' | 'not-applied' | 'inconclusive' }
  | { readonly is: 'thrown'; readonly error: Error }
  | { readonly is: 'returned' }
  /** The call failed, and says nothing of whether it was carried out. */
  | { readonly is: 'failed' };

/** What came of a run, before it is known how that was recorded. */
export type Unrecorded = WithoutRecorded<RunResult<unknown>>;
type WithoutRecorded<Run> = Run extends unknown ? Omit<Run, 'recorded'> : never;

export interface Worker {
  /** The messages of its invocation, as they were when it got them. */
  readonly batch: readonly { readonly message: number; readonly receives: number; readonly redriven: number }[];
  /** Of those that it is through with. */
  readonly dispositions: readonly Disposition[];
  /** Which of the policies it was deployed with. */
  readonly policy: number;
  /** How far its clock is off, in units. */
  readonly offset: number;
  /** When its invocation ends; by a clock that is right, in units. */
  readonly endsAt: number;
  /** The same by its own clock, in epoch milliseconds. */
  readonly deadline: number;
  readonly outlives: boolean;
  readonly mayTakeOver: boolean;
  readonly claimId: string;
  /** The store has this claim on record. Not known to the worker: it is what the worker's belief is checked by. */
  readonly onRecord: boolean;
  readonly grant: { readonly record: ClaimRecord } | undefined;
  readonly waits: Waits;
  readonly answer: Answer | undefined;
  /** When the answer came, if it takes its time with it; in units. Until some time has passed, or its clock has jumped. */
  readonly heardAt: number | undefined;
  readonly beat: Beat | undefined;
  /** Which of its steps its handler has come to. */
  readonly step: number;
  /** How far the steps had come when its handler began, as its record had it. */
  readonly found: string | undefined;
  /** Its claim turned out to be somebody else's while its handler ran. */
  readonly aborted: boolean;
  /** Which messages of its batch it has put into the dead-letter queue. */
  readonly buried: readonly number[];
  /** How it came here, to be compared with the production code. Nothing that follows depends on it. */
  readonly trail: Trail | undefined;
}

/** The heartbeat of a renewed lease. */
interface Beat {
  /** By the worker's clock, in epoch milliseconds. */
  readonly dueAt: number;
  /** The handler has ended while this one was under way, and nobody waits for it. */
  readonly stopped: boolean;
  /** A renewal under way. */
  readonly write: ClaimWrite | undefined;
  readonly answer: WriteResult | 'failed' | undefined;
}

/** What a worker met, one event at a time, the last one first. */
export interface Trail {
  readonly before: Trail | undefined;
  /** By its own clock, in epoch milliseconds. */
  readonly at: number;
  /** What it was given for a claim id, had it needed one. */
  readonly freshId: string;
  readonly event:
    | Answer
    | { readonly is: 'beats' }
    | { readonly is: 'beaten'; readonly answer: Beat['answer'] }
    | Begins;
}

type Begins = { readonly is: 'begins' } & Pick<Worker, 'batch' | 'policy' | 'deadline'>;

/** A search's configuration, and what it needs of it over and over again. */
export interface Model {
  readonly config: Config;
  readonly protocol: Protocol;
  readonly rules: readonly ClaimRules[];
  readonly identities: readonly Identity[];
  readonly skewMs: number;
  readonly marginMs: number;
  readonly leaseMs: number;
  readonly invocation: number;
  readonly visibility: number;
}

export function modelOf(config: Config, protocol: Protocol = production): Model {
  const { policies, maxAttempts, maxAbandoned, renewed } = config;
  const skewMs = times.skew * unitMs;
  const keys = 1 + Math.max(...config.messages.map(({ key }) => key));
  const long = 30 * 24 * 3600;
  const secondsOf = (count: number) => (count === Infinity ? long : (count * unitMs) / 1000);
  return {
    config,
    protocol,
    rules: policies.map((onAbandoned, deployment) => ({
      ...(config.atomic?.[deployment] && { atomic: true, stepless: true }),
      onAbandoned,
      skewMs,
      maxAbandoned,
      maxAttempts,
      retryWindowSeconds: secondsOf(config.retryWindow),
      retentionSeconds: secondsOf(config.retention),
    })),
    identities: Array.from({ length: keys }, (_, key) => identify(operation, `order-${key}`, { sha256: () => '' })),
    skewMs,
    marginMs: times.margin * unitMs,
    leaseMs: renewed ? times.invocation * unitMs : Infinity,
    invocation: renewed ? times.longInvocation : times.invocation,
    visibility: renewed ? times.longVisibility : times.visibility,
  };
}

/** How long "not applied" is not believed, by the policy that a worker was deployed with; 0 where nobody is asked. */
export function settleMsOf({ rules }: Model, { policy }: Pick<Worker, 'policy'>): number {
  return at(rules, policy).onAbandoned === 'reconcile' ? times.settle * unitMs : 0;
}

export const operation = 'issue-gift-card';

const untouched: Key = {
  record: undefined,
  applied: 0,
  steps: [],
  forgotten: 0,
  seenFrom: 0,
  told: false,
  intent: undefined,
  policy: 0,
};

export function beginning({ config, identities }: Model): World {
  return {
    now: 0,
    keys: identities.map(() => ({ ...untouched, steps: Array.from({ length: config.steps }, () => 0) })),
    messages: config.messages.map(() => ({
      status: 'queued',
      receives: 0,
      copied: false,
      visibleFrom: 0,
      redriven: 0,
    })),
    workers: [],
    lateWrites: [],
    lateEffects: [],
    resolving: undefined,
    faultsLeft: config.mostFaults,
    resolvesLeft: config.operator,
    redrivesLeft: config.operator,
    deployed: 0,
    beyond: false,
    calm: true,
    claimIds: 0,
  };
}

/** A list with one element replaced. */
export function replaced<T>(list: readonly T[], index: number, by: T): readonly T[] {
  const copy = list.slice();
  copy[index] = by;
  return copy;
}

export function without<T>(list: readonly T[], index: number): readonly T[] {
  return list.filter((_, at) => at !== index);
}

/** An element that has to be there. */
export function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`nothing at ${index} of ${list.length}`);
  return element;
}
