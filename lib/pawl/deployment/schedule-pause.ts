const unitSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };
const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Long enough for a day that only a leap year has. */
const lookedAtDays = 5 * 366;
const from = Date.UTC(2024, 0, 1);

/**
 * The longest time between two runs of `rate(…)` or `cron(…)`, in seconds. Undefined for what is not understood: a cron expression with `L`, `W` or
 * `#`, or one of certain years.
 */
export function longestPauseSeconds(expression: string): number | undefined {
  const [, kind, text = ''] = /^(rate|cron)\((.+)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return ratePause(text);
  return kind === 'cron' ? cronPause(text.trim().split(/\s+/)) : undefined;
}

function ratePause(text: string): number | undefined {
  const [count, unit = ''] = text.trim().split(/\s+/);
  const seconds = unitSeconds[unit.replace(/s$/, '')];
  return seconds === undefined || !(Number(count) > 0) ? undefined : Number(count) * seconds;
}

function cronPause([minute, hour, dayOfMonth, month, dayOfWeek, year, ...more]: readonly string[]): number | undefined {
  const minutes = valuesOf(minute, { least: 0, most: 59 });
  const hours = valuesOf(hour, { least: 0, most: 23 });
  const daysOfMonth = valuesOf(dayOfMonth, { least: 1, most: 31 });
  const months = valuesOf(month, { least: 1, most: 12, names: monthNames });
  const daysOfWeek = valuesOf(dayOfWeek, { least: 1, most: 7, names: dayNames });
  if (!minutes || !hours || !daysOfMonth || !months || !daysOfWeek || year !== '*' || more.length > 0) return undefined;

  const times = hours.flatMap((one) => minutes.map((other) => one * 3600 + other * 60));
  const days = Array.from({ length: lookedAtDays }, (_, day) => new Date(from + day * 86_400_000))
    .filter((day) => daysOfMonth.includes(day.getUTCDate()) && months.includes(day.getUTCMonth() + 1))
    .filter((day) => daysOfWeek.includes(day.getUTCDay() + 1))
    .map((day) => day.getTime() / 1000);
  const overnight = Number(times[0]) - Number(times.at(-1));
  const pauses = [...between(times), ...between(days).map((pause) => pause + overnight)];
  return days.length < 2 ? undefined : Math.max(...pauses);
}

function between(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - Number(times[index]));
}

interface Field {
  readonly least: number;
  readonly most: number;
  /** What may stand for the numbers, from `least` on. */
  readonly names?: readonly string[];
}

/** The numbers that a field of a cron expression matches, in order. */
function valuesOf(text = '', field: Field): readonly number[] | undefined {
  const parts = text.split(',').map((part) => partOf(part, field));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const matched = new Set(parts.flat());
  return Array.from({ length: field.most - field.least + 1 }, (_, index) => field.least + index).filter((value) =>
    matched.has(value),
  );
}

/** `*`, `?`, `5`, `MON-FRI`, or one of these with a step: `0/15`. */
function partOf(text: string, { least, most, names = [] }: Field): readonly number[] | undefined {
  const [range = '', step] = text.split('/');
  const numberOf = (one: string) => {
    const named = names.indexOf(one.toUpperCase());
    return named >= 0 ? named + least : Number(one === '' ? Number.NaN : one);
  };
  const isAll = range === '*' || range === '?';
  const [first = '', last] = range.split('-');
  const from = isAll ? least : numberOf(first);
  const to = isAll || (last === undefined && step !== undefined) ? most : numberOf(last ?? first);
  const by = step === undefined ? 1 : Number(step);
  const isUnderstood = [from, to, by].every(Number.isInteger) && least <= from && from <= to && to <= most && by > 0;
  if (!isUnderstood) return undefined;
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}
