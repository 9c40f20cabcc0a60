import { type Part, part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { readSchedules } from './read-schedules.ts';
import { types } from './rules.ts';
import { type RehearsedSchedule, scheduleOf } from './schedules.ts';

/** Rules of EventBridge with a schedule, and EventBridge Scheduler. */
export const schedules: Service<Part<'schedule', RehearsedSchedule, RehearsedSchedule>> = {
  types: types,
  page: [
    '| schedule | a rule with a schedule, and a schedule of the scheduler: on demand | targets that are not run, input transformers | |',
  ],
  finds: { schedule: 'schedule' },
  async provision({ reading, canSendTo }) {
    const read = readSchedules(reading, canSendTo);
    return { start: async ({ destinations }) => read.map((one) => part('schedule', scheduleOf(one, destinations))) };
  },
};
