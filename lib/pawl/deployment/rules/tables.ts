import type { Rules } from './rule.ts';

const indexOfYours = '`ClaimsTable` has the index, and a table of your own works without it';
const markOfAnOperator = 'an operator sets the mark, in a table that is deployed';

/** The table of claims. */
export const tables = {
  tableKey: {
    broken: 'a claims table whose key is not `id`, a string',
    because: 'pawl cannot write a claim',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableReplicas: {
    broken: 'a claims table with replicas in other regions',
    because:
      'two regions can both grant the same claim; with strong consistency they cannot, and such a table has no transactions and no TTL',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableTtl: {
    broken: 'a claims table whose TTL attribute is not `expiresAt`',
    because: 'DynamoDB deletes claims too early, or never',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableGrows: {
    broken: 'a claims table without TTL',
    because: 'the table grows for ever',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableDeletion: {
    broken: 'a claims table without deletion protection; in a template, a policy that retains the table is enough',
    because: 'if the table is deleted, pawl forgets what happened, and repeats effects',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableRecovery: {
    broken: 'a claims table without point-in-time recovery',
    because: 'you cannot restore claims that were deleted by mistake',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableOpenIndex: {
    broken:
      'a claims table without the index `open`, with another index of that name, or while DynamoDB is building it',
    because: '`pawl claims` cannot list what is parked or in doubt; consumers do not need it',
    level: 'warning',
    construct: indexOfYours,
    template: indexOfYours,
    doctor: true,
  },
  tableRestored: {
    broken: 'a claims table whose mark of a restore stands, or is of an earlier table',
    because: "new keys are in doubt: under `'park'`, nothing runs until the mark is lifted",
    level: 'warning',
    construct: markOfAnOperator,
    template: markOfAnOperator,
    doctor: true,
  },
} as const satisfies Rules;
