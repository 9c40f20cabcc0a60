import { readFileSync } from 'node:fs';

/** How long a process, or who is served, has waited for what the machine did not give. */

/** The second number is what a thread has spent on a run queue, in nanoseconds. Of a process, it is that of its main thread, which runs the handler. */
export function waitedOnLinux(pid?: number): number | undefined {
  try {
    const text = readFileSync(pid === undefined ? '/proc/thread-self/schedstat' : `/proc/${pid}/schedstat`, 'utf8');
    const waited = Number(text.split(' ')[1]) / 1e6;
    return Number.isFinite(waited) ? waited : undefined;
  } catch {
    // Another system, a kernel without it, or the process has ended.
    return undefined;
  }
}

const tickMs = 20;
/** What a timer is late on an idle machine. */
const usualLagMs = 5;

/** Where the system does not say it: how late the timers of this process are. A machine that is late here is late for its sandboxes. */
export function createLag(now: () => number) {
  let timer: NodeJS.Timeout | undefined;
  let expected = 0;
  let total = 0;
  const late = () => (timer === undefined ? 0 : Math.max(0, now() - expected - usualLagMs));
  return {
    totalMs: () => total + late(),
    start() {
      if (timer !== undefined) return;
      expected = now() + tickMs;
      timer = setInterval(() => {
        total += late();
        expected = now() + tickMs;
      }, tickMs).unref();
    },
    stop() {
      total += late();
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** What a service takes for an answer, at the most. */
const usualAnswerMs = 100;

export type Late = ReturnType<typeof createLate>;

/** The time in which at least one answer to a sandbox was late. */
export function createLate(now: () => number) {
  const begun = new Set<{ readonly at: number }>();
  let counted = 0;
  let total = 0;
  const totalMs = () => {
    const from = Math.max(counted, Math.min(...[...begun].map(({ at }) => at)) + usualAnswerMs);
    if (now() > from) {
      total += now() - from;
      counted = now();
    }
    return total;
  };
  return {
    totalMs,
    async serving<Answer>(answer: Promise<Answer>): Promise<Answer> {
      const one = { at: now() };
      begun.add(one);
      try {
        return await answer;
      } finally {
        totalMs();
        begun.delete(one);
      }
    },
  };
}
