import type { Progress } from '../../lib/rehearsal/progress.ts';

/** Prints what a run does, with the seconds since its start, and keeps what was not as expected. */
export interface Journal {
  readonly failures: readonly string[];
  say(text: string): void;
  /** Shows a state that the next line replaces. */
  update(text: string): void;
  expect(what: string, isSo: boolean): void;
}

export function createJournal(progress: Progress, elapsed: () => number): Journal {
  const failures: string[] = [];
  const stamp = () => `${elapsed().toFixed(1).padStart(6)} s`;
  const say = (text: string) => progress.say(`${stamp()}  ${text}`);
  return {
    failures,
    say,
    update: (text) => progress.update(`${stamp()}      ${text}`),
    expect(what, isSo) {
      say(`${isSo ? 'ok ' : 'NOT'} ${what}`);
      if (!isSo) failures.push(what);
    },
  };
}
