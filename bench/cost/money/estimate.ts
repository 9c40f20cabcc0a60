import { type Cost, costOf } from './cost.ts';
import type { Paid } from './money.ts';
import type { Prices } from './prices.ts';
import type { Measured } from './written.ts';

/** What a reader plans: the calculator of the documentation asks for it. */
export interface Plan {
  /** Messages a month, each delivered once. */
  readonly messages: number;
  /** Messages of one invocation. */
  readonly size: number;
  /** How long the effect of one message takes, in milliseconds. */
  readonly handlerMs: number;
  readonly memoryMb: number;
}

export interface Estimate {
  readonly name: Paid;
  /** As tables call it. */
  readonly title: string;
  readonly durationMs: number;
  /** US dollars a month. */
  readonly cost: Cost;
}

/**
 * What a month costs with each contender that was measured. It is the function that makes the bench's table (`costOf`), with a duration between those
 * that were measured.
 */
export function estimatesOf(plan: Plan, measured: readonly Measured[], prices: Prices): readonly Estimate[] {
  return [...Map.groupBy(measured, ({ name }) => name)].map(([name, own]) => {
    const { title, units } = own[0] as Measured;
    const durationMs = durationOf(plan, own);
    const million = costOf({ size: plan.size, memoryMb: plan.memoryMb, durationMs, units }, prices);
    const share = plan.messages / 1_000_000;
    const { lambda, dynamoDb, storage, sqs, total } = million;
    const cost = {
      lambda: lambda * share,
      dynamoDb: dynamoDb * share,
      storage: storage * share,
      sqs: sqs * share,
      total: total * share,
    };
    return { name, title, durationMs, cost };
  });
}

/** Along each axis in turn, on a line between the two measured points around the wanted one. */
function durationOf({ size, handlerMs, memoryMb }: Plan, own: readonly Measured[]): number {
  const along = (some: readonly Measured[], axes: readonly Axis[]): number => {
    const [axis, ...rest] = axes;
    if (axis === undefined) return some[0]?.durationMs ?? Number.NaN;
    const points = [...Map.groupBy(some, ({ [axis.of]: value }) => value)]
      .toSorted(([a], [b]) => a - b)
      .map(([at, group]) => ({ at, value: along(group, rest) }));
    return onLine(points, axis);
  };
  const duration = along(own, [
    // Beyond the measured batches and memories nothing is known. A longer handler is longer by itself.
    { of: 'size', at: size, beyond: 'stays' },
    { of: 'memoryMb', at: memoryMb, beyond: 'stays' },
    { of: 'handlerMs', at: handlerMs, beyond: 'goes on' },
  ]);
  return Math.max(0, duration);
}

interface Axis {
  readonly of: 'size' | 'memoryMb' | 'handlerMs';
  readonly at: number;
  readonly beyond: 'stays' | 'goes on';
}

interface Point {
  readonly at: number;
  readonly value: number;
}

function onLine(points: readonly Point[], { at, beyond }: Axis): number {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  const wanted = Math.max(at, first.at);
  if (wanted >= last.at && (beyond === 'stays' || points.length === 1)) return last.value;
  // Beyond the last point, on the line through the last two.
  const above = points.findIndex((point) => point.at > wanted);
  const to = points[above === -1 ? points.length - 1 : above] ?? last;
  const from = points[points.indexOf(to) - 1] ?? first;
  return from.value + ((wanted - from.at) / (to.at - from.at)) * (to.value - from.value);
}
