/** Counts over time, as steps: a count stays what it was until the next one. The numbers stand beside the picture. */

export interface Series {
  readonly title: string;
  /** The class that colours it. */
  readonly tone: string;
  /** When, and how many, oldest first. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

const height = 60;

export function Lines({
  series,
  from,
  until,
  label,
}: {
  readonly series: readonly Series[];
  readonly from: number;
  readonly until: number;
  readonly label: string;
}) {
  const most = Math.max(1, ...series.flatMap(({ points }) => points.map(([, value]) => value)));
  const y = (value: number) => height - 1 - (value / most) * (height - 3);
  return (
    <svg class="lines" viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="spark-ground" x1="0" x2="100" y1={height - 0.5} y2={height - 0.5} />
      {series.map(({ title, tone, points }) => (
        <path key={title} class={`line line-${tone}`} d={stepsOf(points, (at) => xOf(at, from, until), y)} />
      ))}
    </svg>
  );
}

/** Where a time stands in a picture that is 100 wide. */
export function xOf(at: number, from: number, until: number): number {
  return until <= from ? 0 : Math.min(100, Math.max(0, ((at - from) / (until - from)) * 100));
}

function stepsOf(points: Series['points'], x: (at: number) => number, y: (value: number) => number): string {
  const steps = points.map(([at, value]) => `H${x(at).toFixed(2)}V${y(value).toFixed(2)}`);
  return `M0 ${y(0)}${steps.join('')}`;
}
