import { byConstruct, from, type Rules } from './rule.ts';

/** What the role of a function may do. */
export const permissions = {
  permissions: {
    broken: 'a permission that the role lacks, also where a `grant…` had no effect',
    because: '`grant…` does nothing on an immutable role, or on a function imported without its role',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: from.evaluation,
  },
  permissionsDenied: {
    broken: 'a permission that a policy of the role denies',
    because: 'a denial overrides every grant',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.evaluation,
  },
  permissionsConditional: {
    broken: 'a permission that a policy gives only under a condition',
    because: 'only a request at run time shows whether the condition is met',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.evaluation,
  },
  permissionsBoundary: {
    broken: 'a permissions boundary that leaves out a permission the consumer needs',
    because: 'a boundary limits every grant',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.boundaries,
  },
  resourcePolicy: {
    broken:
      'a policy of the queue or the dead-letter queue that denies a permission the consumer needs; in a template, a policy of the table as well',
    because: 'a denial overrides every grant',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.evaluation,
  },
  permissionsUnseen: {
    broken: 'a permissions boundary that is defined elsewhere, or a denial under a condition',
    because: 'the template does not show whether it stops the consumer',
    level: 'warning',
    construct: byConstruct,
    template: true,
    doctor: 'IAM evaluates both',
    source: from.boundaries,
  },
} as const satisfies Rules;
