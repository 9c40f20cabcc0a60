import { Duration, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import {
  CapacityProvider,
  CfnEventSourceMapping,
  type CfnFunction,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { describe, expect, it } from 'vitest';
import { ClaimsTable, Consumer } from '../../lib/cdk/index.ts';
import {
  addConsumer,
  addExisting,
  consumerTemplate,
  type Existing,
  emptyStack,
  type Overrides,
  refusalOf,
} from './support.ts';

/* Event sources and functions as Lambda offers them now: each is wired rightly, or refused with the reason. */

const refusal = (overrides: Overrides, change: (source: CfnEventSourceMapping) => void = () => {}) =>
  refusalOf((stack) => {
    addConsumer(stack, overrides);
    change(stack.node.findAll().find((node) => node instanceof CfnEventSourceMapping) as CfnEventSourceMapping);
  });

/** Around a queue and a function that exist, with an event source that the shop made. */
const around = (existing: Existing, change: (made: ReturnType<typeof addExisting>) => void = () => {}) =>
  refusalOf((stack) => {
    const made = addExisting(stack, existing);
    change(made);
    const claimsTable = new ClaimsTable(stack, 'Claims').table;
    new Consumer(stack, 'Work', { claimsTable, queue: made.queue, function: made.function });
  });

describe('provisioned pollers', () => {
  it.each([
    [{}, 2, 200],
    [{ minimumPollers: 5 }, 5, 200],
    [{ minimumPollers: 2, maximumPollers: 2 }, 2, 2],
    [{ minimumPollers: 200, maximumPollers: 2000 }, 200, 2000],
  ])('%o reach the event source', (provisionedPollerConfig, MinimumPollers, MaximumPollers) => {
    consumerTemplate({ provisionedPollerConfig }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      ProvisionedPollerConfig: { MinimumPollers, MaximumPollers },
      ScalingConfig: Match.absent(),
    });
  });

  it('limit the function as maxConcurrency does: ten batches at once for each', () => {
    const reserving = (reservedConcurrentExecutions: number) =>
      around({
        function: { reservedConcurrentExecutions },
        eventSource: { provisionedPollerConfig: { maximumPollers: 3 } },
      });
    expect(reserving(29)?.join()).toMatch(
      /reservedConcurrentExecutions is 29, .* run up to 30 batches at once, by maxConcurrency or 10 for each/,
    );
    expect(reserving(30)).toBeUndefined();
  });

  it('are 200 at most where the event source does not say: 2,000 batches', () => {
    const reserved = around({
      function: { reservedConcurrentExecutions: 100 },
      eventSource: { provisionedPollerConfig: {} },
    });
    expect(reserved?.join()).toMatch(/run up to 2000 batches at once/);
  });

  it('are refused beside an event source that exists: they are set there', () => {
    const refused = refusalOf((stack) => {
      const { queue, function: sendMail } = addExisting(stack);
      addConsumer(stack, { queue, function: sendMail, provisionedPollerConfig: {} });
    });
    expect(refused).toEqual([
      expect.stringMatching(/^provisionedPollerConfig is given, and the event source exists already/),
    ]);
  });
});

describe('a batch, a window and a concurrency that Lambda refuses', () => {
  it('are refused in the template as well', () => {
    const refused = refusal({}, (source) => source.addPropertyOverride('ScalingConfig.MaximumConcurrency', 1));
    expect(refused).toEqual([expect.stringMatching(/^maxConcurrency is 1/)]);
  });

  it('are accepted at their ends', () => {
    const longest = { maxBatchingWindow: Duration.seconds(300), batchSize: 10_000, maxConcurrency: 1000 };
    expect(refusal(longest)).toBeUndefined();
    expect(refusal({ maxConcurrency: 2, batchSize: 1 })).toBeUndefined();
  });
});

describe('a batching window', () => {
  it('is added to the visibility timeout that the construct chooses, and demanded of one that exists', () => {
    consumerTemplate({ maxBatchingWindow: Duration.seconds(20) }).hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 200,
    });
    const windowed = (visibility: number) =>
      around({
        queue: { visibilityTimeout: Duration.seconds(visibility) },
        eventSource: { maxBatchingWindow: Duration.seconds(20) },
      });
    expect(windowed(79)?.join()).toMatch(/6 × 10 s \+ 20 s = 80 s/);
    expect(windowed(80)).toBeUndefined();
  });
});

describe('filters', () => {
  it('of an event source are told of, because Lambda deletes what does not match', () => {
    const stack = emptyStack();
    const filters = [FilterCriteria.filter({ body: { type: FilterRule.isEqual('order') } })];
    const { queue, function: sendMail } = addExisting(stack, { eventSource: { filters } });
    addConsumer(stack, { queue, function: sendMail });
    Template.fromStack(stack);
    Annotations.fromStack(stack).hasWarning('/Shop/Work', Match.stringLikeRegexp('has a filter, and Lambda deletes'));
  });

  it('that would split one queue between two functions do not: each message goes to one of them by chance', () => {
    const split = refusalOf((stack) => {
      const only = (type: string) => [FilterCriteria.filter({ body: { type: FilterRule.isEqual(type) } })];
      const { queue, function: sendMail } = addExisting(stack, { eventSource: { filters: only('mail') } });
      const orders = addConsumer(stack, { queue, function: sendMail });
      const other = addConsumerBeside(stack);
      other.addEventSource(new SqsEventSource(orders.queue, { reportBatchItemFailures: true, filters: only('order') }));
    });
    expect(split?.join()).toMatch(
      /The queue feeds another function, .* each message goes to one of the functions by chance/,
    );
  });
});

/** A function that is no consumer of pawl's. */
function addConsumerBeside(stack: Stack): LambdaFunction {
  return new Consumer(stack, 'Beside', {
    claimsTable: new ClaimsTable(stack, 'OtherClaims').table,
    entry: import.meta.filename,
    depsLockFilePath: `${process.cwd()}/package-lock.json`,
  }).function as LambdaFunction;
}

describe('aliases', () => {
  it('of which one is fed get messages rightly, also with two versions behind it', () => {
    const weighted = around({ eventSource: false }, ({ queue, function: sendMail }) => {
      const live = sendMail.addAlias('live', {
        additionalVersions: [{ version: sendMail.latestVersion, weight: 0.1 }],
      });
      live.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
    });
    expect(weighted).toBeUndefined();
  });

  it('of which two are fed from one queue are refused, by their names', () => {
    const two = around({ eventSource: false }, ({ queue, function: sendMail }) => {
      for (const name of ['blue', 'green']) {
        sendMail.addAlias(name).addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
      }
    });
    expect(two?.join()).toMatch(/through 2 event sources, and Lambda accepts one: .*blue.*, .*green/);
  });
});

describe('a function on Managed Instances', () => {
  /** As CDK wires it: a provider in a VPC, and a function that is added to it. */
  function onInstances(stack: Stack, overrides: Overrides = {}) {
    const vpc = new Vpc(stack, 'Vpc', { natGateways: 0 });
    const capacityProvider = new CapacityProvider(stack, 'Instances', {
      subnets: vpc.isolatedSubnets,
      securityGroups: [new SecurityGroup(stack, 'Group', { vpc: vpc as IVpc })],
    });
    const consumer = addConsumer(stack, { memorySize: 2048, ...overrides });
    capacityProvider.addFunction(consumer.function, { perExecutionEnvironmentMaxConcurrency: 64 });
  }

  it('is accepted, also where it gets its capacity provider after the Consumer', () => {
    expect(refusalOf((stack) => onInstances(stack))).toBeUndefined();
  });

  it('whose messages return before its claims are free is refused, with the visibility timeout that it needs', () => {
    const timeout = Duration.seconds(10);
    expect(refusalOf((stack) => onInstances(stack, { timeout }))).toEqual([
      expect.stringMatching(/^visibilityTimeout is 60 s, .* Set visibilityTimeout to 71 s or more/),
    ]);
    const visibilityTimeout = Duration.seconds(71);
    expect(refusalOf((stack) => onInstances(stack, { timeout, visibilityTimeout }))).toBeUndefined();
  });

  it('that exists decides the visibility timeout of the queue that the construct makes', () => {
    const stack = emptyStack();
    const { function: sendMail } = addExisting(stack, { eventSource: false });
    const capacityProviderArn = 'arn:aws:lambda:eu-west-1:111111111111:capacity-provider:shared';
    const made = sendMail.node.defaultChild as CfnFunction;
    made.capacityProviderConfig = { lambdaManagedInstancesCapacityProviderConfig: { capacityProviderArn } };
    addConsumer(stack, { function: sendMail });
    const queues = Template.fromStack(stack).findResources('AWS::SQS::Queue', {
      Properties: { VisibilityTimeout: 71 },
    });
    expect(Object.keys(queues)).toHaveLength(1);
  });
});
