import type { Memory } from './memory.ts';

/** A tenth of the messages that were planned, or the last part of a run that was stopped in time. */
export interface Tenth extends Memory {
  /** Orders with a card by the end of it. */
  readonly orders: number;
  readonly ordersPerSecond: number;
}

export interface SoakResult {
  readonly planned: number;
  readonly sent: number;
  readonly seconds: number;
  /** Sandboxes that were killed. */
  readonly killed: number;
  /** Orders without a card, neither on their queue nor in its dead-letter queue. */
  readonly lost: number;
  readonly doubled: number;
  /** Messages that were still on their queue when the time was over. */
  readonly unfinished: number;
  readonly deadLettered: number;
  readonly tenths: readonly Tenth[];
  /** Of the last tenth to the first. */
  readonly throughputRatio: number;
  /** Of the second half to the first. A process begins small. */
  readonly sandboxMemoryRatio: number;
  readonly stackMemoryRatio: number;
  readonly stackHeapRatio: number;
}

/** What comes of the tenths. The last one is left out if it is a rest. */
export function trendOf(tenths: readonly Tenth[]) {
  const half = Math.ceil(tenths.length / 2);
  const most = (some: readonly Tenth[], what: keyof Memory) => Math.max(...some.map((tenth) => tenth[what]));
  const ratio = (what: keyof Memory) => most(tenths.slice(half), what) / most(tenths.slice(0, half), what);
  return {
    throughputRatio: (tenths.at(-1)?.ordersPerSecond ?? Number.NaN) / (tenths[0]?.ordersPerSecond ?? Number.NaN),
    sandboxMemoryRatio: ratio('sandboxMb'),
    stackMemoryRatio: ratio('stackMb'),
    stackHeapRatio: ratio('stackHeapMb'),
  };
}

export function asText(result: SoakResult): string {
  const line = (one: readonly (string | number)[]) => one.map((cell) => String(cell).padStart(14)).join('');
  const rows = result.tenths.map(({ orders, ordersPerSecond, sandboxMb, stackMb, stackHeapMb, dynamoDbMb }) =>
    line([
      orders,
      ordersPerSecond.toFixed(0),
      sandboxMb.toFixed(0),
      stackMb.toFixed(0),
      stackHeapMb.toFixed(1),
      dynamoDbMb.toFixed(0),
    ]),
  );
  const { planned, sent, seconds, killed, lost, doubled, unfinished, deadLettered } = result;
  const ratios = `throughput × ${result.throughputRatio.toFixed(2)} from first to last; memory of the second half to the first: sandboxes × ${result.sandboxMemoryRatio.toFixed(2)}, stack × ${result.stackMemoryRatio.toFixed(2)}, its heap in use × ${result.stackHeapRatio.toFixed(2)}`;
  return [
    line(['orders', 'a second', 'sandbox, MB', 'stack, MB', 'its heap, MB', 'DynamoDB, MB']),
    ...rows,
    '',
    `${sent} of ${planned} sent in ${seconds.toFixed(0)} s; ${killed} sandboxes killed; ${lost} lost, ${doubled} doubled, ${unfinished} unfinished, ${deadLettered} dead-lettered`,
    ratios,
  ].join('\n');
}
