import { beatsPerLease, claimDefaults, graceMs, lockDefaults } from '../kernel/defaults.ts';
import { queueOptions } from '../kernel/door-options.ts';
import { type Problem, refusal } from './wiring-problem.ts';

/*
 * How many receives a healthy message may need before it has run. SQS counts every receive, also those at which a message was not run:
 * a redrive policy with fewer sets it aside unrun.
 */

/** What is assumed of a handler: its own defaults. */
export const handlerDefaults = {
  concurrency: queueOptions.concurrency.default,
  maxAttempts: claimDefaults.maxAttempts,
  lockLeaseSeconds: lockDefaults.leaseMs / 1000,
  lockAttempts: 1,
  /** How long a claim is kept after the end of an invocation on Managed Instances. */
  graceSeconds: graceMs / 1000,
} as const;

/** SQS's and Lambda's advice for a queue that feeds a function: throttling, a lost worker or a duplicate in flight costs a receive. */
export const fewestReceives = 5;
/** The largest that SQS takes. */
export const mostReceives = 1000;

/** What a lease keeps back for recording the outcome: nothing starts that would not leave it. */
const marginSeconds = claimDefaults.marginMs / 1000;
/** What is left at least of a renewed lease when it is met. */
const leastOfLease = (beatsPerLease - 1) / beatsPerLease;

/** What of a consumer decides how often its messages are received. */
export interface Receiving {
  readonly timeoutSeconds: number | undefined;
  readonly batchSize: number;
  readonly fifo: boolean;
  /** `'none'` when there is no redrive policy. */
  readonly maxReceiveCount?: number | 'none' | undefined;
  /** How many messages the handler works on at once. */
  readonly concurrency?: number | undefined;
  /** The longest that one message takes: `timeoutMs` of the handler's options. */
  readonly handlerTimeoutSeconds?: number | undefined;
  /** After how many attempts a key that keeps failing is parked: `maxAttempts` of the handler's options. */
  readonly maxAttempts?: number | undefined;
  /** The `leaseMs` of the handler's locks, when it locks. */
  readonly lockLeaseSeconds?: number | undefined;
  /** How many attempts of other requests over the same resources may be ahead of a message. */
  readonly lockAttempts?: number | undefined;
  /** Whether a duplicate in flight goes back to the queue; `false` when the handler discards it. */
  readonly defersInFlight?: boolean | undefined;
}

/** The receives that a healthy message may need, and what each share of them is for. */
export interface Receives {
  readonly all: number;
  /** One sentence for each share above the first. */
  readonly because: readonly string[];
}

/**
 * How many messages of a batch get their turn in one invocation; undefined when neither option of the handler is known. If only its concurrency
 * is known, one message may take the whole invocation.
 */
function turnsPerInvocation(facts: Receiving): number | undefined {
  const { timeoutSeconds, handlerTimeoutSeconds, fifo, concurrency } = facts;
  if (handlerTimeoutSeconds === undefined && concurrency === undefined) return undefined;
  if (timeoutSeconds === undefined) return undefined;
  const forMessages = timeoutSeconds - marginSeconds;
  // To ask for a claim takes time as well: what would end at the last moment does not start.
  const rounds =
    handlerTimeoutSeconds === undefined ? 1 : Math.max(0, Math.ceil(forMessages / handlerTimeoutSeconds) - 1);
  // The messages of one group wait for each other, and a batch may be one group.
  return rounds * (fifo ? 1 : (concurrency ?? handlerDefaults.concurrency));
}

/**
 * The receives that a message may spend on waiting for locks. Each attempt ahead of it costs one receive for each look at a lock that is renewed
 * while its function runs, and one for a lock that is kept. A message waits until the lock that it met can have ended.
 */
export function receivesOfLocks(facts: Receiving): number {
  const { timeoutSeconds, lockLeaseSeconds, lockAttempts = handlerDefaults.lockAttempts } = facts;
  if (timeoutSeconds === undefined || lockLeaseSeconds === undefined) return 0;
  return lockAttempts * (Math.ceil(timeoutSeconds / (leastOfLease * lockLeaseSeconds)) + 1);
}

/**
 * The receives that a message may spend on invocations that end before its turn. On a standard queue its batches are mixed anew each time, and it
 * can be unlucky twice; a message group keeps its order. Measured in `test/pawl/sqs/troubled-queue.test.ts` and `test/suites/integration/fifo.long.test.ts`.
 */
function receivesOfTurns({ batchSize, fifo }: Receiving, turns: number | undefined): number {
  if (turns === undefined || turns < 1 || turns >= batchSize) return 0;
  return (fifo ? 1 : 2) * Math.ceil(batchSize / turns);
}

/**
 * SQS receives a message also whenever a message before it in its group fails. The handler gives such a message half of the receives, and then sets
 * it aside, so that the messages behind it keep the other half.
 */
function receivesOfGroup({ batchSize, fifo }: Receiving): number {
  return fifo && batchSize > 1 ? fewestReceives : 0;
}

/** How many receives a healthy message may need: `fewestReceives`, and those for a failing message before it, for its turn, and for locks of other requests. */
export function leastReceives(facts: Receiving): Receives {
  const { batchSize } = facts;
  const turns = turnsPerInvocation(facts);
  const ofTurns = receivesOfTurns(facts, turns);
  const ofGroup = receivesOfGroup(facts);
  const ofLocks = receivesOfLocks(facts);
  const shares: readonly (readonly [number, string])[] = [
    [
      ofTurns,
      `${ofTurns} for invocations that end before its turn (one invocation has time for ${turns} of ${batchSize} messages)`,
    ],
    [ofGroup, `${ofGroup} for a failing message ahead of it in its group`],
    [
      ofLocks,
      `${ofLocks} for waiting for the locks of ${facts.lockAttempts ?? handlerDefaults.lockAttempts} other attempts`,
    ],
  ];
  return {
    all: fewestReceives + ofTurns + ofGroup + ofLocks,
    because: shares.filter(([receives]) => receives > 0).map(([, text]) => text),
  };
}

export function receiveProblems(wiring: Receiving): readonly Problem[] {
  return [...handlerProblems(wiring), ...countProblems(wiring), ...attemptProblems(wiring)];
}

function handlerProblems(wiring: Receiving): readonly Problem[] {
  const { timeoutSeconds, handlerTimeoutSeconds } = wiring;
  if (turnsPerInvocation(wiring) !== 0) return [];
  const least = Math.floor(Number(handlerTimeoutSeconds) + marginSeconds) + 1;
  const most = Math.ceil(Number(timeoutSeconds) - marginSeconds) - 1;
  const other = most >= 1 ? `, or handlerTimeout, and the handler's timeoutMs, to ${most} s at most` : '';
  return [
    refusal(
      'handlerTimeout',
      `handlerTimeout is ${handlerTimeoutSeconds} s, and timeout is ${timeoutSeconds} s, of which pawl keeps ${marginSeconds} s to record ` +
        'the outcome, and needs a moment to claim: no message would ever start, because pawl starts only what can end in time. ' +
        `Set timeout to ${least} s or more${other}.`,
    ),
  ];
}

function countProblems(wiring: Receiving): readonly Problem[] {
  const { maxReceiveCount, defersInFlight } = wiring;
  if (typeof maxReceiveCount !== 'number') return [];
  const { all, because } = leastReceives(wiring);
  if (maxReceiveCount < fewestReceives && defersInFlight !== false && because.length === 0) {
    return [
      refusal(
        'receives',
        `maxReceiveCount is ${maxReceiveCount}, below ${fewestReceives}: throttled invocations, and a duplicate that waits for a ` +
          'claim in flight, use up receives, and SQS would dead-letter a healthy message. Set maxReceiveCount to ' +
          `${fewestReceives} or more.`,
      ),
    ];
  }
  // Without duplicates that wait, the first receive is enough for a message that nothing keeps from its turn.
  const least = defersInFlight === false ? all - fewestReceives + 1 : all;
  if (maxReceiveCount >= least) return [];
  const fixes = [
    ...(least > mostReceives ? [] : [`Set maxReceiveCount to ${least} or more`]),
    ...(wiring.batchSize > 1 ? ['lower batchSize'] : []),
  ];
  const [fix = 'Make the waits shorter', ...otherFixes] = fixes;
  return [
    refusal(
      'receives',
      `maxReceiveCount is ${maxReceiveCount}, and a healthy message may need ${least} receives before it has run: ` +
        `${[`${least - (all - fewestReceives)} for throttling, lost workers and duplicates`, ...because].join(', ')}. ` +
        `SQS would dead-letter it before it has run. ${[capital(fix), ...otherFixes].join(', or ')}.`,
    ),
  ];
}

function attemptProblems(wiring: Receiving): readonly Problem[] {
  const { maxAttempts = handlerDefaults.maxAttempts } = wiring;
  const ofLocks = receivesOfLocks(wiring);
  if (ofLocks === 0 || maxAttempts > ofLocks) return [];
  return [
    refusal(
      'attempts',
      `maxAttempts is ${maxAttempts}, and a message may be tried ${ofLocks} times while it waits for ` +
        `locks: pawl would park a healthy message before it has run. Set maxAttempts, and the handler's, to ${ofLocks + 1} or more.`,
    ),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
