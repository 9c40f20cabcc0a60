import { expect, expectOptions, expectWhole, type NamesOf } from 'pawl/kernel';
import { type CallerOptions, callerOptionNames } from './callers.ts';
import type { EffectCount, Expected } from './effects.ts';
import type { FaultAt } from './faults.ts';
import type { SweptHandler } from './invocation.ts';
import { type Delivery, type SweptMessage, sweptMessageNames } from './traffic.ts';
import type { World } from './world.ts';

/** One run: how the traffic comes, and what goes wrong. A finding is one, too. */
export interface Scenario {
  readonly delivery?: Delivery;
  readonly faults: readonly FaultAt[];
}

/**
 * The options of `crashSweep` and `assertSurvivesCrashes`: the traffic, the handler, the provider's side, and what counts as an effect.
 *
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * const options: CrashSweepOptions<{ readonly sent: string[] }> = {
 *   messages: [{ body: { id: 'order-1' } }],
 *   provider: () => ({ sent: [] }),
 *   handler: (world, { sent }) =>
 *     eachMessage<Order>(
 *       { ...world.options, operation: 'send-email', key: bodyField('id'), onAbandoned: 'park' },
 *       ({ body }) => world.io('mailer.send', async () => sent.push(body.id)),
 *     ),
 *   effects: ({ sent }) => sent.length,
 * };
 */
export interface CrashSweepOptions<Provider> {
  /** What is sent, all at once. A producer that sends twice is the same message twice. */
  readonly messages: readonly SweptMessage[];
  /** Makes what outlives every crash: the provider's side, and what it has done. Called once for each run. */
  readonly provider: (time: { readonly now: () => number }) => Provider;
  /**
   * Makes the handler, as a cold start does: called again for every worker, so that nothing of a dead one is left. It must reach
   * the outside through its world only.
   */
  readonly handler: (world: World, provider: Provider) => SweptHandler;
  /**
   * How often the effect of this message has happened, by the provider's account. It ought to be once, unless `expected` says otherwise.
   * Counted when a run is over; of a FIFO queue after every call as well.
   */
  readonly effects: (provider: Provider, message: SweptMessage) => EffectCount;
  /**
   * How often the effect of this message ought to have happened: 0 for a message without an effect. `'dead-letter'` for a message that belongs in
   * the dead-letter queue, or whose caller must be refused: it has no effect.
   * @default 1, of each effect
   */
  readonly expected?: (provider: Provider, message: SweptMessage) => Expected;
  /**
   * Callers instead of a queue, who each send their message as a request, again and again until they get a final response. For handlers of
   * HTTP, functions made with `once`, and any other async function.
   * @default a queue of SQS
   */
  readonly callers?: CallerOptions;
  /**
   * How the traffic comes. Each is swept, the first most thoroughly. What makes no difference, such as the order of one message, is left out.
   * @default all
   */
  readonly deliveries?: readonly Delivery[];
  /**
   * How long after the worker gave it up a request to the provider may still be applied, in milliseconds. A `settleMs` that is shorter, with
   * `skewMs` added, is caught where a repetition is asked about in time.
   * @default 1500
   */
  readonly lateMs?: number;
  /**
   * How long a message may wait before it is received for the first time, in milliseconds: as long as the queue keeps it.
   * @default 4 days less an hour, of a queue with the default retention; an hour, of callers
   */
  readonly longestWaitMs?: number;
  /**
   * The function's own time-out, in milliseconds.
   * @default 30000
   */
  readonly functionTimeoutMs?: number;
  /**
   * The queue's visibility timeout, in milliseconds.
   * @default six times the function's time-out, as AWS advises
   */
  readonly visibilityTimeoutMs?: number;
  /**
   * After how many receives the queue itself moves a message to the dead-letter queue.
   * @default 5
   */
  readonly maxReceiveCount?: number;
  /**
   * How many messages an invocation is given at most.
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How many workers there are at once.
   * @default 2; one more than there are messages where each is alone: with `callers`, and delivered `apart`
   */
  readonly sandboxes?: number;
  /**
   * What a call throws that fails, or whose response is lost, by its name.
   * @default a connection that was reset
   */
  readonly error?: (name: string) => unknown;
  /**
   * The most runs that are made. Single faults come first; if the pairs are too many, some are left out evenly, and counted.
   * @default 1000
   */
  readonly max?: number;
  /**
   * Makes this run and no other: a finding, to look at it again, or its faults.
   * @default every run
   */
  readonly replay?: Scenario | readonly FaultAt[];
  /**
   * Hears after every run how many were made, of how many; the pairs are counted once the single faults are through.
   * @default none
   */
  readonly onProgress?: (progress: { readonly runs: number; readonly of: number }) => void;
}

const docs = 'docs/guides/testing.md';
const known = {
  messages: true,
  provider: true,
  handler: true,
  effects: true,
  expected: true,
  callers: true,
  deliveries: true,
  lateMs: true,
  longestWaitMs: true,
  functionTimeoutMs: true,
  visibilityTimeoutMs: true,
  maxReceiveCount: true,
  batchSize: true,
  sandboxes: true,
  error: true,
  max: true,
  replay: true,
  onProgress: true,
} as const satisfies NamesOf<CrashSweepOptions<unknown>>;

/** A finding is taken as a `replay`, and says more than a scenario: of it, no name is refused. @throws OptionError */
export function expectCrashSweepOptions<Provider>(door: string, options: CrashSweepOptions<Provider>): void {
  expectOptions(options, { door, known, docs });
  const { callers, messages } = options;
  if (callers !== undefined) expectOptions(callers, { door, within: 'callers', known: callerOptionNames, docs });
  for (const message of messages ?? []) {
    expectOptions(message, { door, within: 'messages', known: sweptMessageNames, docs });
  }
}

/** The options after defaults and validation. */
export type CrashSweepSettings<Provider> = Omit<CrashSweepOptions<Provider>, 'replay'> &
  Required<Pick<CrashSweepOptions<Provider>, Defaulted>> & { readonly replay: Required<Scenario> | undefined };

type Defaulted =
  | 'functionTimeoutMs'
  | 'visibilityTimeoutMs'
  | 'maxReceiveCount'
  | 'batchSize'
  | 'max'
  | 'deliveries'
  | 'lateMs'
  | 'longestWaitMs';

const hourMs = 3600_000;

const allDeliveries: readonly Delivery[] = ['together', 'apart', 'regrouped', 'in-turn', 'reversed', 'long-wait'];

/** Merges defaults, and checks. @throws OptionError */
export function crashSweepSettings<Provider>(options: CrashSweepOptions<Provider>): CrashSweepSettings<Provider> {
  expectCrashSweepOptions('crashSweep', options);
  const { messages, callers, replay, functionTimeoutMs = 30_000 } = options;
  expect(Array.isArray(messages) && messages.length > 0, 'messages', 'a list of at least one', messages);
  const {
    visibilityTimeoutMs = 6 * functionTimeoutMs,
    maxReceiveCount = 5,
    batchSize = 10,
    sandboxes,
    max = 1000,
    lateMs = 1500,
    longestWaitMs = callers ? hourMs : 4 * 24 * hourMs - hourMs,
  } = options;
  const counts = {
    functionTimeoutMs,
    visibilityTimeoutMs,
    maxReceiveCount,
    batchSize,
    max,
    lateMs,
    longestWaitMs,
    ...(sandboxes !== undefined && { sandboxes }),
  };
  for (const [name, count] of Object.entries(counts)) {
    expectWhole(name, count);
    expect(count > 0, name, 'at least 1', count);
  }
  const fits = visibilityTimeoutMs >= functionTimeoutMs;
  expect(
    fits,
    'visibilityTimeoutMs',
    `at least functionTimeoutMs (${functionTimeoutMs}), or Lambda refuses`,
    visibilityTimeoutMs,
  );
  const { deliveries = allDeliveries } = options;
  for (const one of deliveries) expect(allDeliveries.includes(one), 'deliveries', allDeliveries.join(', '), one);
  const telling = deliveries.filter((one) => tellsSomething(one, { ...options, batchSize }));
  const [first = 'together'] = telling;
  const scenario = replay && 'faults' in replay ? replay : { faults: replay ?? [] };
  return {
    ...options,
    ...counts,
    deliveries: telling.length > 0 ? telling : [first],
    replay: replay && { delivery: first, ...scenario },
  };
}

/** Whether the traffic comes otherwise than `together`. */
function tellsSomething(
  delivery: Delivery,
  { messages, callers, batchSize }: Pick<CrashSweepOptions<unknown>, 'messages' | 'callers'> & { batchSize: number },
): boolean {
  if (delivery === 'together') return true;
  if (messages.length === 1) return false;
  if (delivery === 'in-turn' || delivery === 'long-wait') return true;
  if (callers) return false;
  if (delivery === 'reversed') return messages.every(({ messageGroupId }) => messageGroupId === undefined);
  return batchSize > 1;
}
