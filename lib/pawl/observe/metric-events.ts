import { expect } from '../kernel/check.ts';
import { metricNamespace } from '../kernel/defaults.ts';
import { ageMetrics, metricOf } from '../kernel/event-types.ts';
import { callListener } from '../kernel/listener.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Listener } from './all-of.ts';

/**
 * The options of `metricEvents`.
 *
 * @example
 * const options: MetricOptions = { namespace: 'shop', write: (line) => process.stdout.write(`${line}\n`) };
 */
export interface MetricOptions {
  /**
   * The CloudWatch namespace of the metrics, 1 to 255 characters.
   * @default 'pawl'
   */
  readonly namespace?: string;
  /**
   * Writes one line, which comes without its line end.
   * @default standard output, and not the console: where Lambda logs as JSON, it wraps the console's lines, and CloudWatch finds no metric in
   * them
   */
  readonly write?: (line: string) => void;
}

const known = { namespace: true, write: true } as const satisfies NamesOf<MetricOptions>;

/**
 * A listener that counts events as CloudWatch metrics, without a request. It writes lines in Embedded Metric Format, and CloudWatch Logs makes
 * the metrics from them. There is one metric for each type of event (`Granted`, `TakenOver`, …), with the dimension `operation`,
 * and `OldestWaitingSeconds`: how old the oldest message is that has not been finished. The line also
 * contains the claim's id, for Logs Insights. The id is no dimension: AWS charges for each value of a dimension.
 *
 * @throws OptionError when an option is unknown, or the namespace is not 1 to 255 characters long
 * @example
 * const onEvent = allOf(logEvents, metricEvents({ namespace: 'shop' }));
 */
export function metricEvents(options: MetricOptions = {}): Listener {
  expectOptions(options, { door: 'metricEvents', known, docs: 'docs/guides/operate.md' });
  const { namespace = metricNamespace, write = (line: string): void => void process.stdout.write(`${line}\n`) } =
    options;
  const fits = typeof namespace === 'string' && namespace.length >= 1 && namespace.length <= 255;
  expect(fits, 'metricEvents.namespace', 'a text of 1 to 255 characters', namespace);
  return function countEvent(event) {
    const { type, operation, id, at } = event;
    const metric = metricOf(type);
    const ages = 'oldestMs' in event ? { [ageMetrics[event.type]]: event.oldestMs / 1000 } : {};
    const Metrics = [{ Name: metric, Unit: 'Count' }, ...Object.keys(ages).map((Name) => ({ Name, Unit: 'Seconds' }))];
    const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [['operation']], Metrics }];
    const values = { [metric]: 1, ...ages };
    callListener(write, JSON.stringify({ _aws: { Timestamp: at, CloudWatchMetrics }, operation, ...values, id }));
  };
}
