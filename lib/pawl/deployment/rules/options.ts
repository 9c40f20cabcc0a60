import type { Rules } from './rule.ts';

/** Options of a construct that cannot mean anything. */
export const options = {
  misplaced: {
    broken:
      'an option such as `timeout` beside an existing `function`, or one such as `fifo` beside an existing `queue`',
    because: 'the option has no effect',
    level: 'problem',
    construct: true,
    template: 'the options are not in the template',
    doctor: 'the options are not deployed',
  },
  deploymentTime: {
    broken: 'an option whose value is known only at deployment, where a rule compares it',
    because: 'pawl cannot check anything against it',
    level: 'problem',
    construct: true,
    template: 'if a value of an existing resource is unknown, pawl does not check it',
    doctor: 'once deployed, every value is known',
  },
} as const satisfies Rules;
