/** Pictures of numbers. Each has its numbers as text beside it, or as its name. */

export interface Part {
  readonly name: string;
  readonly value: number;
  /** The class that colours it. */
  readonly tone: string;
}

/** One bar of several parts. @param of the length of the longest bar beside it */
export function Bar({
  parts,
  of,
  label,
}: {
  readonly parts: readonly Part[];
  readonly of: number;
  readonly label: string;
}) {
  const whole = Math.max(1, of);
  let x = 0;
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="bar-ground" width="100" height="8" />
      {parts.map(({ name, value, tone }) => {
        const from = x;
        // A single claim among thousands must still be seen.
        const width = value === 0 ? 0 : Math.max(1, (value / whole) * 100);
        x += width;
        return <rect key={name} class={`fill-${tone}`} x={from} width={width} height="8" />;
      })}
    </svg>
  );
}

/** Bars over time, oldest first, the newest at the right. @param slots how many bars there is room for, at least */
export function Spark({
  values,
  tone,
  label,
  slots = 1,
}: {
  readonly values: readonly number[];
  readonly tone: string;
  readonly label: string;
  readonly slots?: number;
}) {
  const most = Math.max(1, ...values);
  const all = Math.max(slots, values.length);
  const width = 100 / all;
  const free = all - values.length;
  return (
    <svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="spark-ground" x1="0" x2="100" y1="29.5" y2="29.5" />
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(1.5, (value / most) * 29);
        const key = index;
        return (
          <rect
            key={key}
            class={`fill-${tone}`}
            x={(free + index) * width}
            y={29.5 - height}
            width={width * 0.8}
            height={height}
          />
        );
      })}
    </svg>
  );
}

/** At most so many values, neighbours added up. */
export function condensed(values: readonly number[], most: number): readonly number[] {
  const together = Math.max(1, Math.ceil(values.length / most));
  const sums: number[] = [];
  for (let from = 0; from < values.length; from += together) {
    sums.push(values.slice(from, from + together).reduce((sum, value) => sum + value, 0));
  }
  return sums;
}
