import { from, inHandler, inHandlerDeployed, type Rules } from './rule.ts';

/** What a function is, where it stands, and what it is told. */
export const functions = {
  runtime: {
    broken: 'a runtime other than Node 22 or later',
    because: 'pawl uses features that older runtimes lack: the first batch throws',
    level: 'problem',
    construct: 'the construct takes Node 24',
    template: true,
    doctor: true,
    source: from.runtimes,
  },
  place: {
    broken: 'a queue or a claims table in another region than the function, or a table of another account',
    because: 'Lambda polls only its own region, and the function looks for the table in its own region and account',
    level: 'problem',
    construct: true,
    template: 'a template has one region and one account',
    doctor: '`doctor` looks for the table where the function is',
    source: from.configure,
  },
  operation: {
    broken: 'two functions with one `operation` on one claims table',
    because: 'the second function takes the first one’s completed key for its own, and never runs',
    level: 'problem',
    construct: true,
    template: inHandler,
    doctor: inHandlerDeployed,
  },
  variables: {
    broken: '`CLAIMS_TABLE` or `DEAD_LETTER_QUEUE_URL` set to another value',
    because: 'the construct sets them, and the handler reads them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: '`doctor` starts from these variables, and `deadLetterQueueOther` compares the dead-letter queue',
  },
  secrets: {
    broken: 'a secret’s value in the environment of a function that the construct makes',
    because: 'everyone who may describe the function can read it',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'once deployed, a secret looks like any other text',
  },
} as const satisfies Rules;
