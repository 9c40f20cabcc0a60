import { Duration, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, Consumer } from '../../lib/cdk/index.ts';
import { addExisting, refusalOf } from './support.ts';

describe('a new function takes over the queue of an old one, of which one event source is enabled', () => {
  const takingOver = (enabled: { readonly old: boolean; readonly new: boolean }) => (stack: Stack) => {
    const { queue, function: old } = addExisting(stack, { eventSource: { enabled: enabled.old } });
    const next = new LambdaFunction(stack, 'Next', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => {}'),
      timeout: Duration.seconds(10),
    });
    next.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true, enabled: enabled.new }));
    const claimsTable = new ClaimsTable(stack, 'Claims').table;
    const common = { queue, claimsTable, operation: 'send-email', sharedOperation: true };
    new Consumer(stack, 'Old', { ...common, function: old });
    new Consumer(stack, 'Work', { ...common, function: next });
  };

  test.each([
    { old: true, new: false },
    { old: false, new: true },
  ])('and that is accepted: %o', (enabled) => {
    expect(refusalOf(takingOver(enabled))).toBeUndefined();
  });

  test('and both enabled are refused', () => {
    const refusals = refusalOf(takingOver({ old: true, new: true }));
    expect(refusals).toEqual([expect.stringMatching(/The queue feeds the function of Shop\/Old as well/)]);
  });
});

test('a disabled event source takes nothing of the reserved concurrency', () => {
  const withAnother = (enabled: boolean) => (stack: Stack) => {
    const { queue, function: sendMail } = addExisting(stack, {
      function: { reservedConcurrentExecutions: 10 },
      eventSource: { maxConcurrency: 10 },
    });
    const former = new Queue(stack, 'FormerMails', { visibilityTimeout: Duration.seconds(60) });
    sendMail.addEventSource(new SqsEventSource(former, { reportBatchItemFailures: true, maxConcurrency: 10, enabled }));
    new Consumer(stack, 'Work', { queue, function: sendMail, claimsTable: new ClaimsTable(stack, 'Claims').table });
  };
  expect(refusalOf(withAnother(false))).toBeUndefined();
  expect(refusalOf(withAnother(true))).toEqual([expect.stringMatching(/^reservedConcurrentExecutions is 10/)]);
});
