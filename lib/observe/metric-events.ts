import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Listener } from './all-of.ts';

export interface MetricOptions {
  /**
   * The CloudWatch namespace of the metrics, 1 to 255 characters.
   * @default 'pawl'
   */
  readonly namespace?: string;
  /**
   * Where the lines go, each without its line end.
   * @default standard output, past the console: where Lambda writes its logs as JSON, it wraps what comes by the console,
   * and CloudWatch then finds no metric in it
   */
  readonly write?: (line: string) => void;
}

const known = { namespace: true, write: true } as const satisfies NamesOf<MetricOptions>;

/**
 * A listener that counts events as CloudWatch metrics, without a request: it writes lines in Embedded Metric Format, from
 * which CloudWatch Logs makes the metrics. There is one metric for each type of event (`Granted`, `TakenOver`, …), by
 * `operation`. The claim's id is in the line for Logs Insights, and is no dimension: each value of one is paid for.
 *
 * @throws OptionError when the namespace is none
 * @example
 * onEvent: allOf(logEvents, metricEvents({ namespace: 'shop' }))
 */
export function metricEvents(options: MetricOptions = {}): Listener {
  expectOptions(options, { door: 'metricEvents', known, docs: 'docs/operate.md' });
  const { namespace = 'pawl', write = (line) => process.stdout.write(`${line}\n`) } = options;
  const fits = typeof namespace === 'string' && namespace.length >= 1 && namespace.length <= 255;
  expect(fits, 'metricEvents.namespace', 'a text of 1 to 255 characters', namespace);
  return function countEvent({ type, operation, id, at }) {
    const metric = type.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
    const Metrics = [{ Name: metric, Unit: 'Count' }];
    const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [['operation']], Metrics }];
    write(JSON.stringify({ _aws: { Timestamp: at, CloudWatchMetrics }, operation, [metric]: 1, id }));
  };
}
