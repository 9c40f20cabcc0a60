import { createHash } from 'node:crypto';
import type { Host } from '../../lib/pawl/kernel/host.ts';

/** A Saturday in 2026, so that nothing passes only because its times are near zero. */
export const someDay = Date.UTC(2026, 10, 21, 9, 30);

export interface VirtualHost extends Host {
  /** Moves the clock on, and runs what came due on the way, in order. */
  advance(ms: number): Promise<void>;
}

/** A host whose time passes only when told to, and whose ids count up. */
export function virtualHost(start = someDay, also: Pick<Host, 'outlivesInvocations'> = {}): VirtualHost {
  let time = start;
  let ids = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    ...also,
    now: () => time,
    random: () => 0.5,
    randomId: () => `claim-${++ids}`,
    sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        await settled();
        const [due] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (due === undefined) break;
        timers.delete(due);
        time = Math.max(time, due.at);
        due.run();
      }
      time = end;
      await settled();
    },
  };
}
