import { expect, expectFunction, expectWhole } from '../kernel/check.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Outbox } from './outbox.ts';
import type { OutboxReport } from './sweep-report.ts';

/**
 * The options of `outboxSweep`.
 *
 * @example
 * const options: OutboxSweepOptions = {
 *   outbox: dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }),
 *   olderThanMs: 120_000,
 *   onReport: (report) => console.log(JSON.stringify(report)),
 * };
 */
export interface OutboxSweepOptions {
  /** The outbox, as the workers have it. */
  readonly outbox: Outbox;
  /**
   * How many lanes are sent at once: 1 to 100. A message group of a FIFO queue is a lane, and so is any other message.
   * @default 10
   */
  readonly concurrency?: number;
  /**
   * Younger messages are left to their workers and to the relay, in milliseconds.
   * @default 60000
   */
  readonly olderThanMs?: number;
  /**
   * Is called with the report of each sweep. What it throws is ignored.
   * @default one line in Embedded Metric Format, from which CloudWatch makes metrics
   */
  readonly onReport?: (report: OutboxReport) => void;
}

export const knownOfSweep = {
  outbox: true,
  concurrency: true,
  olderThanMs: true,
  onReport: true,
} as const satisfies NamesOf<OutboxSweepOptions>;

/**
 * What Lambda gives a function besides its event.
 *
 * @example
 * const invocation: SweepInvocation = { getRemainingTimeInMillis: () => 60_000 };
 */
export interface SweepInvocation {
  /** The name of the function, which the metrics carry. */
  readonly functionName?: string;
  /** Milliseconds until Lambda stops the run. */
  getRemainingTimeInMillis(): number;
}

/** Options after defaults and validation. */
export interface SweepSettings extends Required<Omit<OutboxSweepOptions, 'onReport'>> {
  readonly onReport: OutboxSweepOptions['onReport'];
}

/** @throws OptionError */
export function sweepSettings({
  outbox,
  concurrency = 10,
  olderThanMs = 60_000,
  onReport,
}: OutboxSweepOptions): SweepSettings {
  expect(typeof outbox?.store?.lane === 'function', 'outbox', 'dynamoOutbox({ tableName, aws })', outbox);
  const fits = Number.isSafeInteger(concurrency) && concurrency >= 1 && concurrency <= 100;
  expect(fits, 'concurrency', 'a whole number, 1 to 100', concurrency);
  expectWhole('olderThanMs', olderThanMs);
  if (onReport !== undefined) expectFunction('onReport', 'a function', onReport, 'wrong-handler');
  return { outbox, concurrency, olderThanMs, onReport };
}
