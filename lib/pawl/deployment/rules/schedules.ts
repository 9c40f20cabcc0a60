import { byConstruct, inHandler, type Rules } from './rule.ts';

const alarmByConstruct = 'the construct makes the alarm, and the template cannot show what watches it elsewhere';

/** The functions of `OpenClaimsSweep` and of `StatementCheck`, which a schedule starts. */
export const schedules = {
  schedule: {
    broken: 'a sweep or a comparison with statements that no schedule starts',
    because: 'claims in doubt wait for an operator, and what a statement would show is not found',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
  },
  scheduleSeldom: {
    broken: 'a schedule of such a function that is rarer than its `maxSilence`',
    because: 'its alarm for silence goes off although nothing has failed',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  silence: {
    broken: 'such a function without an alarm for silence',
    because: 'a function that does not run sets off no other alarm',
    level: 'warning',
    construct: alarmByConstruct,
    template: alarmByConstruct,
    doctor: true,
  },
  sweepOperations: {
    broken:
      'a sweep that has left claims in doubt, within a day, because their operation is not among its `operations`',
    because: 'no run will ever settle them',
    level: 'warning',
    construct: inHandler,
    template: inHandler,
    doctor: true,
  },
} as const satisfies Rules;
