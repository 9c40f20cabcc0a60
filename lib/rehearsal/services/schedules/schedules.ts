import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InStack } from '../../engine/app/constructs.ts';
import { rehearsedAccount, rehearsedRegion } from '../../engine/app/template.ts';
import type { Destinations } from '../../engine/destinations.ts';
import type { ProvisionedSchedule } from './read-schedules.ts';

/** A schedule: a rule of EventBridge, or a schedule of EventBridge Scheduler. */
export interface RehearsedSchedule extends InStack {
  readonly expression: string;
  readonly enabled: boolean;
  /** Sends the event of one due time to all targets. Resolves when they have it; an asynchronous invocation goes on. */
  run(): Promise<void>;
}

/** Makes a schedule that runs when its caller wants it. */
export function scheduleOf(schedule: ProvisionedSchedule, destinations: Destinations): RehearsedSchedule {
  const { stack, logicalId, construct, expression, enabled } = schedule;
  return { stack, logicalId, construct, expression, enabled, run: () => runOnce(schedule, destinations) };
}

async function runOnce({ arn, source, targets }: ProvisionedSchedule, destinations: Destinations): Promise<void> {
  const event = {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source,
    account: rehearsedAccount,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region: rehearsedRegion,
    resources: [arn],
    detail: source === 'aws.events' ? {} : '{}',
  };
  for (const target of targets) await destinations.send(target.arn, target.input ?? event, {}, target.groupId);
}

const msPerUnit: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** How often a schedule is due; `undefined` if it has no rate. */
function rateOf(expression: string): number | undefined {
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression.trim()) ?? [];
  const unitMs = msPerUnit[unit];
  return unitMs === undefined ? undefined : Number(value) * unitMs;
}

/** Runs every enabled schedule with a rate, on a clock that is this much faster. */
export function startClock(schedules: readonly RehearsedSchedule[], speed: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = schedules.map(async ({ enabled, expression, construct, run }) => {
    const rateMs = rateOf(expression);
    if (!enabled || rateMs === undefined) return;
    for (;;) {
      await sleep(rateMs / speed, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await run().catch((error: unknown) => console.error(`The schedule ${construct} failed:`, error));
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
