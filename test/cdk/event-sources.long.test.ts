import { fileURLToPath } from 'node:url';
import { App, Aspects, Duration, Lazy, NestedStack, Stack, type StackProps, Stage } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CfnFunction, Code, type IFunction, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, Consumer, type ConsumerProps } from '../../lib/cdk/index.ts';
import { addConsumer, addExisting, lockFile } from './support.ts';

/*
 * Every stack in which a queue should be consumed has one event source for it, in its own template. A second stack of the same class has
 * the same logical ids; that must not make the first one's event source count as the second one's.
 */

const newApp = () => new App({ context: { 'aws:cdk:bundling-stacks': [] } });

/** The event sources in the stack's own template. */
function eventSourcesIn(stack: Stack): readonly { readonly EventSourceArn: unknown; readonly FunctionName: unknown }[] {
  const found = Template.fromStack(stack).findResources('AWS::Lambda::EventSourceMapping');
  return Object.values(found).map((mapping) => mapping['Properties']);
}

class Mails extends Stack {
  readonly consumer: Consumer;

  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, props);
    this.consumer = addConsumer(this, { operation: 'send-email' });
  }
}

class ExistingMails extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly eventSource: boolean }) {
    super(scope, id, props);
    const { queue, function: sendMail } = addExisting(this, props.eventSource ? {} : { eventSource: false });
    new Consumer(this, 'Work', { claimsTable: new ClaimsTable(this, 'Claims').table, queue, function: sendMail });
  }
}

const environments: readonly (readonly [string, StackProps, StackProps])[] = [
  ['two stacks of one class, wherever they are deployed', {}, {}],
  ['Dev and Prod in two accounts', { env: { account: '111111111111' } }, { env: { account: '222222222222' } }],
  ['two regions', { env: { region: 'eu-west-1' } }, { env: { region: 'eu-central-1' } }],
  [
    'two stacks of one account and region',
    { env: { account: '111111111111', region: 'eu-west-1' } },
    { env: { account: '111111111111', region: 'eu-west-1' } },
  ],
];

describe.each(environments)('%s', (_, one, other) => {
  test('each have the one event source that the Consumer makes', () => {
    const app = newApp();
    const stacks = [new Mails(app, 'Dev', one), new Mails(app, 'Prod', other)];
    expect(stacks.map((stack) => eventSourcesIn(stack).length)).toEqual([1, 1]);
  });

  test('each keep the one event source that was there', () => {
    const app = newApp();
    const stacks = [one, other].map(
      (props, index) => new ExistingMails(app, `Mails${index}`, { ...props, eventSource: true }),
    );
    expect(stacks.map((stack) => eventSourcesIn(stack).length)).toEqual([1, 1]);
  });

  test('each get one around a queue and a function that exist', () => {
    const app = newApp();
    const stacks = [one, other].map(
      (props, index) => new ExistingMails(app, `Mails${index}`, { ...props, eventSource: false }),
    );
    expect(stacks.map((stack) => eventSourcesIn(stack).length)).toEqual([1, 1]);
  });
});

test('two stages of one app, with the same stack in each, have one event source each', () => {
  const app = newApp();
  const stacks = ['Dev', 'Prod'].map((id) => new Mails(new Stage(app, id), 'Mails'));
  expect(stacks.map((stack) => eventSourcesIn(stack).length)).toEqual([1, 1]);
  expect(() => app.synth()).not.toThrow();
});

test('what an aspect says in one stage is not asked for when another stage is checked before', () => {
  const app = newApp();
  new Mails(new Stage(app, 'Dev'), 'Mails');
  const prod = new Mails(new Stage(app, 'Prod'), 'Mails');
  const topics = ['one'];
  const [sendMail] = prod.node.findAll().filter((node) => node instanceof CfnFunction);
  if (sendMail === undefined) throw new Error('there is no function');
  // CDK keeps what this answers first.
  sendMail.description = Lazy.string({ produce: () => `reads ${topics.join(', ')}` });
  Aspects.of(prod).add({ visit: (node) => node === sendMail && topics.push('two') });
  app.synth();
  Template.fromStack(prod).hasResourceProperties('AWS::Lambda::Function', { Description: 'reads one, two' });
});

test('three consumers at one path below three stacks have three event sources, each of its own queue and function', () => {
  const app = newApp();
  const stacks = ['A', 'B', 'C'].map((id) => new Mails(app, id));
  for (const stack of stacks) {
    const [source, ...others] = eventSourcesIn(stack);
    expect(others).toEqual([]);
    const template = Template.fromStack(stack);
    const [queue] = Object.keys(
      template.findResources('AWS::SQS::Queue', { Properties: { RedrivePolicy: Match.anyValue() } }),
    );
    expect(source).toMatchObject({ EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] } });
  }
});

describe('nested stacks', () => {
  test('of one class have one event source each', () => {
    const parent = new Stack(newApp(), 'Parent');
    class Nested extends NestedStack {
      constructor(scope: Construct, id: string) {
        super(scope, id);
        addConsumer(this);
      }
    }
    const nested = ['One', 'Two'].map((id) => new Nested(parent, id));
    expect(nested.map((stack) => eventSourcesIn(stack).length)).toEqual([1, 1]);
    expect(eventSourcesIn(parent)).toEqual([]);
  });

  /** A queue in the parent, its function and event source in a nested stack, the Consumer in the parent. */
  function acrossNesting(reportBatchItemFailures: boolean) {
    const app = newApp();
    const parent = new Stack(app, 'Parent');
    const queue = new Queue(parent, 'Queue', {
      visibilityTimeout: Duration.seconds(60),
      deadLetterQueue: { queue: new Queue(parent, 'Dead', { retentionPeriod: Duration.days(14) }), maxReceiveCount: 5 },
    });
    const nested = new NestedStack(parent, 'Nested');
    const sendMail = plainFunction(nested);
    sendMail.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures }));
    new Consumer(parent, 'Work', { claimsTable: new ClaimsTable(parent, 'Claims').table, queue, function: sendMail });
    return { app, parent, nested };
  }

  test('an event source in a nested stack is found from its parent, and not made twice', () => {
    const { parent, nested } = acrossNesting(true);
    expect([eventSourcesIn(parent).length, eventSourcesIn(nested).length]).toEqual([0, 1]);
  });

  test('what is wrong with it there is refused', () => {
    expect(() => acrossNesting(false).app.synth()).toThrow('does not take partial responses');
  });
});

function plainFunction(scope: Construct): IFunction {
  return new LambdaFunction(scope, 'SendMail', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
    timeout: Duration.seconds(10),
  });
}

describe('a queue of another stack', () => {
  /** The queue in one stack, the function in another, the Consumer beside the function. */
  function acrossStacks(seconds: number, env: StackProps = {}) {
    const app = newApp();
    const queues = new Stack(app, 'Queues', env);
    const queue = new Queue(queues, 'Queue', {
      visibilityTimeout: Duration.seconds(seconds),
      deadLetterQueue: { queue: new Queue(queues, 'Dead', { retentionPeriod: Duration.days(14) }), maxReceiveCount: 5 },
    });
    const functions = new Stack(app, 'Functions', env);
    const claimsTable = new ClaimsTable(functions, 'Claims').table;
    new Consumer(functions, 'Work', { claimsTable, queue, function: plainFunction(functions) });
    return { app, queues, functions };
  }

  test('gets one event source, beside the function', () => {
    const { queues, functions } = acrossStacks(60);
    expect([eventSourcesIn(queues).length, eventSourcesIn(functions).length]).toEqual([0, 1]);
  });

  test('is checked as it is deployed there', () => {
    expect(() => acrossStacks(59).app.synth()).toThrow('visibilityTimeout is 59 s');
  });
});

describe('what another account owns', () => {
  const arn = (name: string) => `arn:aws:sqs:eu-west-1:222222222222:${name}`;
  const props = { env: { account: '111111111111', region: 'eu-west-1' } };

  function importing(scope: Construct, id: string, override: Partial<ConsumerProps> = {}): Stack {
    const stack = new Stack(scope, id, props);
    new Consumer(stack, 'Work', {
      entry: fileURLToPath(import.meta.url),
      depsLockFilePath: lockFile,
      claimsTable: new ClaimsTable(stack, 'Claims').table,
      queue: Queue.fromQueueArn(stack, 'Mails', arn(`mails-${id}`)),
      deadLetterQueue: Queue.fromQueueArn(stack, 'Dead', arn(`dead-${id}`)),
      ...override,
    });
    return stack;
  }

  test('imported into two stacks, two queues have an event source each', () => {
    const app = newApp();
    const stacks = ['a', 'b'].map((id) => importing(app, id));
    expect(stacks.map(eventSourcesIn)).toMatchObject([
      [{ EventSourceArn: arn('mails-a') }],
      [{ EventSourceArn: arn('mails-b') }],
    ]);
  });

  test('imported into two stacks, one queue for two functions is refused', () => {
    const app = newApp();
    importing(app, 'a');
    const other = new Stack(app, 'other', props);
    importing(app, 'b', { queue: Queue.fromQueueArn(other, 'Mails', arn('mails-a')) });
    expect(() => app.synth()).toThrow('The queue feeds the function of a/Work as well');
  });

  test('createEventSource: false makes none', () => {
    expect(eventSourcesIn(importing(newApp(), 'a', { createEventSource: false }))).toEqual([]);
  });
});

test('an event source of an alias counts as one of its function: none is made beside it', () => {
  const stack = new Stack(newApp(), 'Shop');
  const { queue, function: sendMail } = addExisting(stack, { eventSource: false });
  sendMail.addAlias('live').addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
  new Consumer(stack, 'Work', { claimsTable: new ClaimsTable(stack, 'Claims').table, queue, function: sendMail });
  expect(eventSourcesIn(stack)).toHaveLength(1);
});

test('an event source of an alias is held to the same rules', () => {
  const app = newApp();
  const stack = new Stack(app, 'Shop');
  const { queue, function: sendMail } = addExisting(stack, { eventSource: false });
  sendMail.addAlias('live').addEventSource(new SqsEventSource(queue));
  new Consumer(stack, 'Work', { claimsTable: new ClaimsTable(stack, 'Claims').table, queue, function: sendMail });
  expect(() => app.synth()).toThrow('The event source does not take partial responses');
});
