import type { Rules } from './rule.ts';

const byEnds = '`ExecutionEnds` makes it so';

/** The function that is told the ends of executions. */
export const ends = {
  endsRule: {
    broken: 'a function of `ExecutionEnds` that no enabled rule of EventBridge tells of the ends of its workflow',
    because: 'an end is found by the sweep alone, and that may be days later',
    level: 'warning',
    construct: byEnds,
    template: byEnds,
    doctor: true,
  },
} as const satisfies Rules;
