import { App, Duration, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, test } from 'vitest';
import { ClaimsDashboard, ClaimsTable, Consumer } from '../../../lib/cdk/index.ts';
import { runPawlHere } from '../../support/in-process.ts';
import { expectAdvice, type Mistake, untyped } from './mistake.ts';

const scope = () => new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');

/** A consumer of which one property is wrong. */
function consumer(wrong: object) {
  const stack = scope();
  const { table } = new ClaimsTable(stack, 'Claims');
  return new Consumer(stack, 'Orders', untyped({ claimsTable: table, entry: 'lambda/send-email.ts', ...wrong }));
}

/** What the doctor writes. */
async function doctorSays(...args: string[]): Promise<string> {
  const { out, error } = await runPawlHere('doctor', ...args);
  return `${out}${error}`.trimEnd();
}

const mistakes: readonly Mistake[] = [
  {
    mistake: 'no table',
    make: () => consumer({ claimsTable: undefined }),
    wrong: 'got undefined',
    expected: 'claimsTable: expected a table',
    toDo: 'the property table of a ClaimsTable',
    code: 'wired-wrongly',
  },
  {
    mistake: 'the construct of the table in place of the table',
    make: () => consumer({ claimsTable: new ClaimsTable(scope(), 'Other') }),
    wrong: 'got an object of class ClaimsTable',
    expected: 'claimsTable: expected a table',
    toDo: 'the property table of a ClaimsTable',
    code: 'wired-wrongly',
  },
  {
    mistake: 'the name of a table',
    make: () => consumer({ claimsTable: 'claims' }),
    wrong: "got 'claims'",
    expected: 'claimsTable: expected a table',
    toDo: 'the property table of a ClaimsTable',
    code: 'wired-wrongly',
  },
  {
    mistake: 'a time-out as a number',
    make: () => consumer({ timeout: 30 }),
    wrong: 'got 30',
    expected: 'timeout: expected a Duration',
    toDo: 'Duration.seconds(…)',
    code: 'wired-wrongly',
  },
  {
    mistake: 'the ARN of a queue',
    make: () => consumer({ queue: 'arn:aws:sqs:eu-west-1:123456789012:orders' }),
    wrong: "got 'arn:aws:sqs:eu-west-1:123456789012:orders'",
    expected: 'queue: expected a queue of aws-sqs',
    toDo: 'Queue.fromQueueArn(…)',
    code: 'wired-wrongly',
  },
  {
    mistake: 'the ARN of a function',
    make: () => consumer({ entry: undefined, function: 'arn:aws:lambda:eu-west-1:123456789012:function:f' }),
    wrong: "got 'arn:aws:lambda",
    expected: 'function: expected a function of aws-lambda',
    toDo: 'Function.fromFunctionArn(…)',
    code: 'wired-wrongly',
  },
  {
    mistake: 'neither a function nor the file of its handler',
    make: () => consumer({ entry: undefined }),
    wrong: 'There is no function',
    expected: 'entry (the path of the handler’s file)',
    toDo: 'Give entry',
    code: 'wired-wrongly',
  },
  {
    mistake: 'a visibility timeout below that of the function',
    make: () => consumer({ timeout: Duration.seconds(60), visibilityTimeout: Duration.seconds(60) }),
    wrong: 'visibilityTimeout is 60 s, shorter than',
    expected: '= 360 s',
    toDo: 'Set visibilityTimeout to 360 s or more',
    code: 'wired-wrongly',
  },
  {
    mistake: 'a misspelt property',
    make: () => consumer({ visibiltyTimeout: Duration.seconds(60) }),
    wrong: "there is no option 'visibiltyTimeout'",
    expected: "Did you mean 'visibilityTimeout'?",
    toDo: 'See node_modules/pawl/docs/reference/wiring.md',
    code: 'wired-wrongly',
  },
  {
    mistake: 'no properties',
    make: () => new Consumer(scope(), 'Orders', untyped(undefined)),
    wrong: 'got undefined',
    expected: 'Consumer: expected an object of properties',
    toDo: 'as the third argument',
    code: 'wired-wrongly',
  },
  {
    mistake: 'a dashboard of a table that is not a ClaimsTable',
    make: () => {
      const stack = scope();
      const { table } = new ClaimsTable(stack, 'Claims');
      return new ClaimsDashboard(stack, 'Dashboard', untyped({ claimsTable: table, consumers: [] }));
    },
    wrong: 'claimsTable: expected a ClaimsTable itself',
    expected: 'and not',
    toDo: 'its property table',
    code: 'wired-wrongly',
  },
  {
    mistake: 'a dashboard of queues',
    make: () => {
      const stack = scope();
      const claimsTable = new ClaimsTable(stack, 'Claims');
      return new ClaimsDashboard(stack, 'Dashboard', untyped({ claimsTable, consumers: [new Queue(stack, 'Queue')] }));
    },
    wrong: 'consumers: expected',
    expected: 'a list of Consumer',
    toDo: '[sendEmail, issueGiftCard]',
    code: 'wired-wrongly',
  },
  {
    mistake: 'metrics of an operation that is not known',
    make: () => consumer({}).metricClaims('Granted'),
    wrong: 'has no metrics on claims',
    expected: 'its operation is not known',
    toDo: 'Set the option operation',
    code: 'wired-wrongly',
  },
  {
    mistake: 'a doctor without a stack',
    make: () => doctorSays(),
    wrong: 'got nothing',
    expected: 'takes the name of one stack or function',
    toDo: 'Run: pawl doctor --help',
    code: 'command-line',
  },
  {
    mistake: 'a misspelt option of the doctor',
    make: () => doctorSays('Shop', '--regoin', 'eu-west-1'),
    wrong: "There is no option '--regoin'. Did you mean '--region'?",
    expected: 'Run:',
    toDo: 'pawl doctor --help',
    code: 'command-line',
  },
  {
    mistake: 'a number for the doctor that is none',
    make: () => doctorSays('Shop', '--claim-retention-days', 'long'),
    wrong: "got 'long'",
    expected: '--claim-retention-days: expected a number above 0',
    toDo: 'pawl doctor --help',
    code: 'command-line',
  },
];

describe('a construct and the doctor', () => {
  test.each(mistakes)('of $mistake: says what is wrong, what was expected and what to do', expectAdvice);
});
