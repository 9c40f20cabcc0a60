import { type Counted, countedKinds, type History, type LiveEvent } from './api.ts';

/** Where the counts over time come from. */
export interface HistorySource {
  read(): Promise<History>;
}

export function emptySeries(): Record<Counted, number[]> {
  return { done: [], suppressed: [], 'taken-over': [], parked: [] };
}

/** For a console that nothing reports to. @param why the sentence that the page shows */
export function noHistory(why: string): HistorySource {
  const none: History = { source: 'none', why, from: 0, periodMs: 1, series: emptySeries() };
  return { read: async () => none };
}

const periodMs = 5000;
/** An hour. */
const mostPeriods = 720;

/** Counts what is reported while the console runs. */
export function liveHistory(now: () => number) {
  let from = now();
  const series = emptySeries();

  /** Opens the periods that have begun since, and drops what is over an hour old. */
  function catchUp(): void {
    const begun = Math.floor((now() - from) / periodMs) + 1;
    const missing = begun - series.done.length;
    if (missing > mostPeriods) {
      for (const name of countedKinds) series[name].length = 0;
      from = now();
    }
    const length = Math.floor((now() - from) / periodMs) + 1;
    for (const name of countedKinds) while (series[name].length < length) series[name].push(0);
    const over = length - mostPeriods;
    if (over > 0) {
      from += over * periodMs;
      for (const name of countedKinds) series[name].splice(0, over);
    }
  }

  return {
    count({ counts }: LiveEvent): void {
      if (counts === undefined) return;
      catchUp();
      const own = series[counts];
      own[own.length - 1] = (own.at(-1) ?? 0) + 1;
    },
    async read(): Promise<History> {
      catchUp();
      return { source: 'live', why: undefined, from, periodMs, series: structuredClone(series) };
    },
  };
}
