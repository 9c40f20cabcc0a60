import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InStack } from '../../engine/app/constructs.ts';
import { rehearsedAccount, rehearsedRegion } from '../../engine/app/template.ts';
import type { Destinations } from '../../engine/destinations.ts';
import { type ProvisionedSchedule, parsed } from './read-schedules.ts';

/** A schedule: a rule of EventBridge, or a schedule of EventBridge Scheduler. */
export interface RehearsedSchedule extends InStack {
  readonly expression: string;
  readonly enabled: boolean;
  /** Sends the event of one due time to all targets. Resolves when they have it; an asynchronous invocation goes on. */
  run(): Promise<void>;
  /** Becomes due. Each call of what it returns sends the event of this one due time, as EventBridge does that delivers at least once. */
  due(): () => Promise<void>;
}

/** Makes a schedule that runs when its caller wants it. */
export function scheduleOf(schedule: ProvisionedSchedule, destinations: Destinations): RehearsedSchedule {
  const { stack, logicalId, construct, expression, enabled } = schedule;
  let lastSeconds = 0;
  const due = () => {
    // A handler may know a due time by its second: a schedule is never due twice in one.
    lastSeconds = Math.max(Math.floor(Date.now() / 1_000), lastSeconds + 1);
    const time = new Date(lastSeconds * 1_000).toISOString().replace('.000Z', 'Z');
    const id = randomUUID();
    return () => send(schedule, { id, time }, destinations);
  };
  return { stack, logicalId, construct, expression, enabled, due, run: () => due()() };
}

interface Due {
  readonly id: string;
  readonly time: string;
}

async function send(schedule: ProvisionedSchedule, due: Due, destinations: Destinations): Promise<void> {
  const { arn, source, targets } = schedule;
  const event = {
    version: '0',
    id: due.id,
    'detail-type': 'Scheduled Event',
    source,
    account: rehearsedAccount,
    time: due.time,
    region: rehearsedRegion,
    resources: [arn],
    detail: source === 'aws.events' ? {} : '{}',
  };
  for (const target of targets) {
    const input = source === 'aws.scheduler' ? filled(target.input, arn, due) : target.input;
    await destinations.send(target.arn, input ?? event, {}, target.groupId);
  }
}

/** An input of the scheduler, with what stands for the due time, the attempt and the schedule in it. */
function filled(input: unknown, arn: string, { time }: Due): unknown {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  if (!text?.includes('<aws.scheduler.')) return input;
  const values: Readonly<Record<string, string>> = {
    'schedule-arn': arn,
    'scheduled-time': time,
    'execution-id': randomUUID(),
    'attempt-number': '1',
  };
  return parsed(text.replaceAll(/<aws\.scheduler\.([a-z-]+)>/g, (whole, name: string) => values[name] ?? whole));
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
