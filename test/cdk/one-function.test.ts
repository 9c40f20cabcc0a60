import { Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, Consumer } from '../../lib/cdk/index.ts';
import { addConsumer, emptyStack, refusalOf } from './support.ts';

/** A queue with a dead-letter queue, its own or a given one. */
function queueWith(stack: Stack, id: string, deadLetters?: IQueue): Queue {
  const queue = deadLetters ?? new Queue(stack, `${id}Dead`, { retentionPeriod: Duration.days(14) });
  return new Queue(stack, id, {
    visibilityTimeout: Duration.minutes(3),
    deadLetterQueue: { queue, maxReceiveCount: 5 },
  });
}

/** One function that an urgent and a bulk queue feed: the same operation, and the same claims. */
function oneFunction(stack: Stack, deadLetters?: IQueue) {
  const claimsTable = new ClaimsTable(stack, 'Claims').table;
  const props = { claimsTable, operation: 'send-email' };
  const urgent = addConsumer(stack, { ...props, queue: queueWith(stack, 'Urgent', deadLetters) });
  new Consumer(stack, 'Bulk', {
    ...props,
    queue: queueWith(stack, 'BulkMails', deadLetters),
    function: urgent.function,
  });
}

function variablesOf(stack: Stack): Readonly<Record<string, unknown>> {
  const [made] = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
  return made?.['Properties'].Environment.Variables;
}

describe('one function on two queues', () => {
  test('with a dead-letter queue each is accepted, and told which queue has which', () => {
    const stack = emptyStack();
    oneFunction(stack);
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', 2);
    template.resourceCountIs('AWS::Lambda::Function', 1);
    const ids = Object.keys(template.findResources('AWS::SQS::Queue'));
    const id = (name: string) => ids.find((one) => new RegExp(`^${name}[0-9A-F]{8}$`).test(one));
    expect(variablesOf(stack)['DEAD_LETTER_QUEUE_URL']).toEqual({
      'Fn::Join': [
        '',
        [
          { 'Fn::GetAtt': [id('Urgent'), 'Arn'] },
          '=',
          { Ref: id('UrgentDead') },
          ' ',
          { 'Fn::GetAtt': [id('BulkMails'), 'Arn'] },
          '=',
          { Ref: id('BulkMailsDead') },
        ],
      ],
    });
  });

  test('with one dead-letter queue is told its URL', () => {
    const stack = emptyStack();
    const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
    oneFunction(stack, dead);
    expect(variablesOf(stack)['DEAD_LETTER_QUEUE_URL']).toEqual(stack.resolve(dead.queueUrl));
  });

  test('with two claims tables is refused, and names the other consumer', () => {
    const refusal = refusalOf((stack) => {
      const urgent = addConsumer(stack, { queue: queueWith(stack, 'Urgent') });
      const claimsTable = new ClaimsTable(stack, 'OtherClaims').table;
      new Consumer(stack, 'Bulk', { claimsTable, queue: queueWith(stack, 'BulkMails'), function: urgent.function });
    });
    expect(refusal).toEqual([
      expect.stringMatching(
        /is the function of Shop\/Work as well, which has another claimsTable.* Give both consumers the same/,
      ),
    ]);
  });

  test('is limited by what both event sources run at once', () => {
    const limited = (reservedConcurrentExecutions: number) =>
      refusalOf((stack) => {
        const claimsTable = new ClaimsTable(stack, 'Claims').table;
        const urgent = addConsumer(stack, { claimsTable, queue: queueWith(stack, 'Urgent'), maxConcurrency: 4 });
        const props = { claimsTable, maxConcurrency: 3, function: urgent.function };
        new Consumer(stack, 'Bulk', { ...props, queue: queueWith(stack, 'BulkMails') });
        Object.assign(urgent.function.node.defaultChild ?? {}, { reservedConcurrentExecutions });
      });
    expect(limited(6)).toContainEqual(expect.stringMatching(/is 6, and the event sources .* up to 7 batches at once/));
    expect(limited(7)).toBeUndefined();
  });
});

describe('two functions with one operation', () => {
  const two = (operations: readonly [string?, string?], oneTable = true, shared: readonly boolean[] = [false, false]) =>
    refusalOf((stack) => {
      const claims = new ClaimsTable(stack, 'Claims').table;
      const others = oneTable ? claims : new ClaimsTable(stack, 'OtherClaims').table;
      for (const [index, claimsTable] of [claims, others].entries()) {
        const operation = operations[index];
        new Consumer(stack, index === 0 ? 'Work' : 'Other', {
          entry: import.meta.filename,
          depsLockFilePath: new URL('../../package-lock.json', import.meta.url).pathname,
          claimsTable,
          ...(operation !== undefined && { operation }),
          ...(shared[index] && { sharedOperation: true }),
        });
      }
    });

  test('on one table are refused, and both ways out are named', () => {
    expect(two(['send-email', 'send-email'])).toEqual([
      expect.stringMatching(
        /'send-email' is that of Shop\/Other as well.* Give each its own operation.*sharedOperation: true on both/,
      ),
    ]);
  });

  test('on two tables, with two operations, or with none that is known, are accepted', () => {
    expect(two(['send-email', 'send-email'], false)).toBeUndefined();
    expect(two(['send-email', 'send-letter'])).toBeUndefined();
    expect(two(['send-email'])).toBeUndefined();
  });

  test('are accepted only where both say that they share it', () => {
    expect(two(['send-email', 'send-email'], true, [true, true])).toBeUndefined();
    expect(two(['send-email', 'send-email'], true, [false, true])).toHaveLength(1);
  });
});
