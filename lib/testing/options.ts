import { expect, expectWhole } from '../core/check.ts';
import type { FaultAt } from './faults.ts';
import type { SweptHandler } from './invocation.ts';
import type { SweptMessage } from './queue.ts';
import type { World } from './world.ts';

/** How often an effect has happened; of several effects of one message, how often each. */
export type EffectCount = number | Readonly<Record<string, number>>;

export interface SweepOptions<Provider> {
  /** What is sent, all at once. A producer that sends twice is the same message twice. */
  readonly messages: readonly SweptMessage[];
  /** Makes what outlives every crash: the provider's side, and what it has done. Called once for each run. */
  readonly provider: (time: { readonly now: () => number }) => Provider;
  /**
   * Makes the handler, as a cold start does: called again for every worker, so that nothing of a dead one is left. It must reach
   * the outside through its world only.
   */
  readonly handler: (world: World, provider: Provider) => SweptHandler;
  /** How often the effect of this message has happened, by the provider's account. It ought to be once. */
  readonly effects: (provider: Provider, message: SweptMessage) => EffectCount;
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
   * @default 2
   */
  readonly sandboxes?: number;
  /** What a call throws that fails, or whose answer is lost, by its name. @default a connection that was reset */
  readonly error?: (name: string) => unknown;
  /**
   * The most runs that are made. Single faults come first; if the pairs are too many, some are left out evenly, and counted.
   * @default 1000
   */
  readonly max?: number;
  /** Runs these faults and nothing else: those of a finding, to look at it again. */
  readonly replay?: readonly FaultAt[];
  /** Hears after every run how many were made, of how many; the pairs are counted once the single faults are through. */
  readonly onProgress?: (progress: { readonly runs: number; readonly of: number }) => void;
}

export type SweepSettings<Provider> = SweepOptions<Provider> & Required<Pick<SweepOptions<Provider>, Defaulted>>;

type Defaulted = 'functionTimeoutMs' | 'visibilityTimeoutMs' | 'maxReceiveCount' | 'batchSize' | 'sandboxes' | 'max';

/** Merges defaults, and checks. @throws OptionError */
export function sweepSettings<Provider>(options: SweepOptions<Provider>): SweepSettings<Provider> {
  const { functionTimeoutMs = 30_000 } = options;
  const {
    visibilityTimeoutMs = 6 * functionTimeoutMs,
    maxReceiveCount = 5,
    batchSize = 10,
    sandboxes = 2,
    max = 1000,
  } = options;
  const counts = { functionTimeoutMs, visibilityTimeoutMs, maxReceiveCount, batchSize, sandboxes, max };
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
  expect(options.messages.length > 0, 'messages', 'at least one', 'none');
  return { ...options, ...counts };
}
