import { Aspects, CfnParameter, Duration, RemovalPolicy, SecretValue, type Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import {
  AttributeType,
  type CfnGlobalTable,
  type CfnTable,
  type ITable,
  Table,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { type CfnRule, Schedule } from 'aws-cdk-lib/aws-events';
import {
  AnyPrincipal,
  type CfnPolicy,
  type CfnRole,
  Effect,
  ManagedPolicy,
  PolicyStatement,
  Role,
} from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, type CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, Consumer, OpenClaimsSweep, type OpenClaimsSweepProps } from '../../lib/cdk/index.ts';
import { type RuleName, wiringRules } from '../../lib/pawl/deployment/wiring-rules.ts';
import { addConsumer, addExisting, emptyStack, entryFile, lockFile, type Overrides, refusalOf } from './support.ts';

/*
 * Every cell of the table of rules: a stack that breaks the rule, and one that only just does not. A rule that has a cell and no case here
 * does not compile.
 */

interface Case {
  readonly says: RegExp;
  readonly broken: (stack: Stack) => void;
  readonly narrow: (stack: Stack) => void;
}

type NamesIn<Column extends 'construct' | 'template'> = {
  [Name in RuleName]: (typeof wiringRules)[Name][Column] extends true ? Name : never;
}[RuleName];

/** The resources of a consumer, for escape hatches. */
function resourcesOf(consumer: Consumer, table: ITable) {
  const { stack } = consumer.queue;
  const made = <Resource>(node: { readonly defaultChild?: unknown } | undefined) => node?.defaultChild as Resource;
  return {
    stack,
    consumer,
    queue: made<CfnQueue>(consumer.queue.node),
    dead: made<CfnQueue>(consumer.deadLetterQueue.node),
    fn: made<CfnFunction>(consumer.function.node),
    role: made<CfnRole>(consumer.function.role?.node),
    table: made<CfnTable>(table.node),
    source: stack.node.findAll().find((node) => node instanceof CfnEventSourceMapping) as CfnEventSourceMapping,
  };
}

type Resources = ReturnType<typeof resourcesOf>;

/** A consumer that makes everything, of which something is changed behind its back. */
const changed =
  (change: (resources: Resources) => void, overrides: Overrides = {}) =>
  (stack: Stack) => {
    const claimsTable = new ClaimsTable(stack, 'Claims').table;
    change(resourcesOf(addConsumer(stack, { claimsTable, ...overrides }), claimsTable));
  };

const given = (overrides: Overrides) => (stack: Stack) => void addConsumer(stack, overrides);

/** A consumer with a table of its own making. */
const withTable = (make: (stack: Stack) => Table) => (stack: Stack) =>
  void addConsumer(stack, { claimsTable: make(stack) as ITable });
const tableWith = (props: Partial<ConstructorParameters<typeof Table>[2]> = {}) =>
  withTable(
    (stack) =>
      new Table(stack, 'Own', {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        timeToLiveAttribute: 'expiresAt',
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        ...props,
      }),
  );

/** What keeps the queue's policy from saying anything of the function. */
const statement = (effect: Effect, actions: readonly string[], more: object = {}) =>
  new PolicyStatement({ effect, actions: [...actions], resources: ['*'], ...more });

const denying = (what: 'queue' | 'deadLetterQueue', conditions: Record<string, Record<string, unknown>> = {}) =>
  changed(({ consumer }) => {
    const denial = { effect: Effect.DENY, actions: ['sqs:*'], resources: ['*'], conditions };
    consumer[what].addToResourcePolicy(new PolicyStatement({ ...denial, principals: [new AnyPrincipal()] }));
  });

/** A queue whose dead-letter queue exists. */
const deadLetters =
  (props: ConstructorParameters<typeof Queue>[2] = {}) =>
  (stack: Stack) =>
    void addConsumer(stack, { deadLetterQueue: new Queue(stack, 'Dead', props) });

const twoConsumers =
  (other: (stack: Stack, first: Consumer, table: ITable) => Overrides, first: Overrides = {}) =>
  (stack: Stack) => {
    const claimsTable = new ClaimsTable(stack, 'Claims').table;
    const one = addConsumer(stack, { claimsTable, ...first });
    const { entry, ...props } = { entry: entryFile, ...other(stack, one, claimsTable) };
    new Consumer(stack, 'Other', {
      depsLockFilePath: lockFile,
      claimsTable,
      ...(props.function ? {} : { entry }),
      ...props,
    });
  };

const minutes3 = { visibilityTimeout: Duration.minutes(3) };

/** A queue called mails, whose dead-letter queue is for that of another name. */
const allowedFor = (name: string) => (stack: Stack) => {
  const { queue, deadLetterQueue } = addExisting(stack, {
    queue: { queueName: 'mails', ...minutes3 },
    eventSource: false,
  });
  const policy = { redrivePermission: 'byQueue', sourceQueueArns: [`arn:aws:sqs:eu-west-1:111111111111:${name}`] };
  (deadLetterQueue.node.defaultChild as CfnQueue).addPropertyOverride('RedriveAllowPolicy', policy);
  addConsumer(stack, { queue });
};

/** A global table, with a replica that an escape hatch adds. */
const replicatedTo = (region: string) => (stack: Stack) => {
  const table = new TableV2(stack, 'Own', { partitionKey: { name: 'id', type: AttributeType.STRING } });
  const made = table.node.defaultChild as CfnGlobalTable;
  if (region !== stack.region) made.addPropertyOverride('Replicas.1', { Region: region });
  addConsumer(stack, { claimsTable: table as ITable });
};

/** A sweep whose rule is changed behind its back. */
const sweeping =
  (change: (rule: CfnRule) => void, props: Partial<OpenClaimsSweepProps> = {}) =>
  (stack: Stack) => {
    const claimsTable = new ClaimsTable(stack, 'Claims').table;
    const { rule } = new OpenClaimsSweep(stack, 'Work', {
      entry: entryFile,
      depsLockFilePath: lockFile,
      claimsTable,
      ...props,
    });
    change(rule.node.defaultChild as CfnRule);
  };

const asItIs = () => {};

const ofSeconds9 = { timeout: Duration.seconds(9) };
const capacity = {
  CapacityProviderArn: 'arn:aws:lambda:eu-west-1:111111111111:capacity-provider:shared',
  PerExecutionEnvironmentMaxConcurrency: 64,
};

const template: Readonly<Record<NamesIn<'template'>, Case>> = {
  visibility: {
    says: /visibilityTimeout is 179 s/,
    broken: changed(({ queue }) => queue.addPropertyOverride('VisibilityTimeout', 179)),
    narrow: changed(({ queue }) => queue.addPropertyOverride('VisibilityTimeout', '180')),
  },
  managedInstances: {
    says: /visibilityTimeout is 69 s, .* on Managed Instances, .* timeout of 9 s .* for up to 60 s: .* Set visibilityTimeout to 70 s or more/,
    broken: changed(({ fn, queue }) => {
      fn.addPropertyOverride('CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig', capacity);
      queue.addPropertyOverride('VisibilityTimeout', 69);
    }, ofSeconds9),
    narrow: changed(({ fn, queue }) => {
      fn.addPropertyOverride('CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig', capacity);
      queue.addPropertyOverride('VisibilityTimeout', 70);
    }, ofSeconds9),
  },
  lease: {
    says: /lease is 181 s, longer than visibilityTimeout, which is 180 s/,
    broken: changed(({ queue }) => queue.addPropertyOverride('VisibilityTimeout', 180), {
      lease: Duration.seconds(181),
      visibilityTimeout: Duration.seconds(200),
    }),
    narrow: changed(({ queue }) => queue.addPropertyOverride('VisibilityTimeout', 181), {
      lease: Duration.seconds(181),
      visibilityTimeout: Duration.seconds(200),
    }),
  },
  claimRetention: {
    says: /claimRetention is 18 days, shorter than .* = 19 days/,
    broken: changed(({ queue }) => queue.addPropertyOverride('MessageRetentionPeriod', 5 * 86_400), {
      claimRetention: Duration.days(18),
    }),
    narrow: changed(({ queue }) => queue.addPropertyDeletionOverride('MessageRetentionPeriod'), {
      claimRetention: Duration.days(18),
    }),
  },
  queueRetention: {
    says: /keeps messages for 1079 s, less than 6 receives × visibilityTimeout = 6 × 180 s = 1080 s/,
    broken: changed(({ queue }) => queue.addPropertyOverride('MessageRetentionPeriod', 1079), { maxReceiveCount: 6 }),
    narrow: changed(({ queue }) => queue.addPropertyOverride('MessageRetentionPeriod', 1080), { maxReceiveCount: 6 }),
  },
  deadLetterRetention: {
    says: /dead-letter queue keeps messages for 60 s, less than the queue, which keeps them for 4 days/,
    broken: changed(({ dead }) => dead.addPropertyOverride('MessageRetentionPeriod', 60)),
    narrow: changed(({ dead }) => dead.addPropertyDeletionOverride('MessageRetentionPeriod')),
  },
  deadLetterQueue: {
    says: /^The queue has no dead-letter queue/,
    broken: changed(({ queue }) => queue.addPropertyDeletionOverride('RedrivePolicy')),
    // As a text, which CloudFormation takes as well.
    narrow: changed(({ queue, dead }) => {
      const target = `$\{${dead.stack.resolve(dead.logicalId)}.Arn}`;
      queue.addPropertyOverride('RedrivePolicy', {
        'Fn::Sub': `{"deadLetterTargetArn":"${target}","maxReceiveCount":5}`,
      });
    }),
  },
  deadLetterQueueOther: {
    says: /The redrive policy of the queue leads to .*, and the deadLetterQueue of the consumer is .* Use one queue for both/,
    broken: changed(({ stack, queue }) => {
      const other = new Queue(stack, 'Other', { retentionPeriod: Duration.days(14) });
      queue.addPropertyOverride('RedrivePolicy.deadLetterTargetArn', other.queueArn);
    }),
    narrow: changed(({ stack, queue, consumer }) => {
      new Queue(stack, 'Other', { retentionPeriod: Duration.days(14) });
      queue.addPropertyOverride('RedrivePolicy.deadLetterTargetArn', consumer.deadLetterQueue.queueArn);
    }),
  },
  deadLetterQueueItself: {
    says: /^The queue is its own dead-letter queue/,
    broken: changed(({ queue }) =>
      queue.addPropertyOverride('RedrivePolicy.deadLetterTargetArn', {
        'Fn::GetAtt': [queue.stack.resolve(queue.logicalId), 'Arn'],
      }),
    ),
    narrow: changed(({ queue, dead }) =>
      queue.addPropertyOverride('RedrivePolicy.deadLetterTargetArn', {
        'Fn::GetAtt': [dead.stack.resolve(dead.logicalId), 'Arn'],
      }),
    ),
  },
  deadLetterQueuePlace: {
    says: /its dead-letter queue is arn:aws:sqs:eu-west-1:222222222222:dead, in another region or account/,
    broken: (stack) => {
      const queue = new Queue(stack, 'Mails', {
        visibilityTimeout: Duration.minutes(3),
        deadLetterQueue: {
          queue: Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:eu-west-1:222222222222:dead'),
          maxReceiveCount: 5,
        },
      });
      addConsumer(stack, { queue });
    },
    narrow: (stack) => {
      const queue = new Queue(stack, 'Mails', {
        visibilityTimeout: Duration.minutes(3),
        deadLetterQueue: {
          queue: Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:eu-west-1:111111111111:dead'),
          maxReceiveCount: 5,
        },
      });
      addConsumer(stack, { queue });
    },
  },
  deadLetterQueueKind: {
    says: /The queue is standard and its dead-letter queue is FIFO/,
    broken: changed(({ dead }) => dead.addPropertyOverride('FifoQueue', true)),
    narrow: changed(({ dead }) => dead.addPropertyOverride('FifoQueue', 'false')),
  },
  redriveAllowed: {
    says: /The redrive allow policy of the dead-letter queue permits arn:aws:sqs:eu-west-1:111111111111:letters, and not this one/,
    broken: allowedFor('letters'),
    narrow: allowedFor('mails'),
  },
  receives: {
    says: /maxReceiveCount is 14, and a healthy message may need 15 receives/,
    broken: changed(({ queue }) => queue.addPropertyOverride('RedrivePolicy.maxReceiveCount', 14), {
      concurrency: 1,
      batchSize: 5,
    }),
    narrow: changed(({ queue }) => queue.addPropertyOverride('RedrivePolicy.maxReceiveCount', 15), {
      concurrency: 1,
      batchSize: 5,
    }),
  },
  handlerTimeout: {
    says: /handlerTimeout is 20 s, and timeout is 21 s, .* no message would ever start.* Set timeout to 22 s or more, .* to 19 s at most/,
    broken: changed(({ fn }) => fn.addPropertyOverride('Timeout', 21), { handlerTimeout: Duration.seconds(20) }),
    narrow: changed(({ fn }) => fn.addPropertyOverride('Timeout', 22), { handlerTimeout: Duration.seconds(20) }),
  },
  partialResponses: {
    says: /does not take partial responses/,
    broken: changed(({ source }) => source.addPropertyDeletionOverride('FunctionResponseTypes')),
    narrow: changed(({ source }) => source.addPropertyOverride('FunctionResponseTypes', ['ReportBatchItemFailures'])),
  },
  batch: {
    says: /batchSize is 11 with no maxBatchingWindow/,
    broken: changed(({ source }) => source.addPropertyOverride('BatchSize', 11)),
    narrow: changed(({ source }) => source.addPropertyOverride('BatchSize', 10)),
  },
  provisionedPollers: {
    says: /has provisioned pollers and maxConcurrency 5/,
    broken: changed(({ source }) => source.addPropertyOverride('ProvisionedPollerConfig', { MinimumPollers: 2 }), {
      maxConcurrency: 5,
    }),
    narrow: changed(({ source }) => source.addPropertyOverride('ProvisionedPollerConfig', { MinimumPollers: 2 })),
  },
  eventFilters: {
    says: /has a filter, and Lambda deletes/,
    broken: changed(({ source }) => source.addPropertyOverride('FilterCriteria.Filters', [{ Pattern: '{}' }])),
    narrow: changed(({ source }) => {
      source.addPropertyOverride('FilterCriteria.Filters', [{ Pattern: '{}' }]);
      source.addPropertyDeletionOverride('FilterCriteria');
    }),
  },
  disabled: {
    says: /The event source is disabled/,
    broken: changed(({ source }) => source.addPropertyOverride('Enabled', 'false')),
    narrow: changed(({ source }) => source.addPropertyOverride('Enabled', true)),
  },
  schedule: {
    says: /^No schedule starts the sweep of open claims: claims in doubt wait/,
    // It starts another function.
    broken: sweeping((rule) =>
      rule.addPropertyOverride('Targets.0.Arn', 'arn:aws:lambda:eu-west-1:111111111111:function:other'),
    ),
    narrow: sweeping((rule) => rule.addPropertyOverride('State', 'ENABLED')),
  },
  scheduleSeldom: {
    says: /cron\(0 0\/2 \* \* \? \*\) leaves up to 2 hours between two runs .* maxSilence is 1 hour: .* Set maxSilence to 2 hours or more/,
    broken: sweeping((rule) => rule.addPropertyOverride('ScheduleExpression', 'cron(0 0/2 * * ? *)')),
    narrow: sweeping((rule) => rule.addPropertyOverride('ScheduleExpression', 'cron(0 * * * ? *)')),
  },
  oneEventSource: {
    says: /through 2 event sources, and Lambda accepts one/,
    broken: (stack) => {
      const consumer = addConsumer(stack);
      const live = (consumer.function as LambdaFunction).addAlias('live');
      live.addEventSource(new SqsEventSource(consumer.queue, { reportBatchItemFailures: true }));
    },
    narrow: (stack) => {
      const { queue, function: sendMail } = addExisting(stack, { eventSource: false });
      sendMail.addAlias('live').addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
      addConsumer(stack, {
        queue,
        function: sendMail,
        entry: undefined as never,
        depsLockFilePath: undefined as never,
      });
    },
  },
  oneConsumer: {
    says: /The queue feeds another function, by .* as well/,
    broken: changed(({ stack, consumer }) => {
      const { function: other } = addExisting(stack, { eventSource: false });
      other.addEventSource(new SqsEventSource(consumer.queue, { reportBatchItemFailures: true }));
    }),
    // On its way out: it gets none of the messages.
    narrow: changed(({ stack, consumer }) => {
      const { function: other } = addExisting(stack, { eventSource: false });
      other.addEventSource(new SqsEventSource(consumer.queue, { reportBatchItemFailures: true, enabled: false }));
    }),
  },
  runtime: {
    says: /runtime is nodejs20\.x, and pawl needs nodejs22\.x or later/,
    broken: changed(({ fn }) => fn.addPropertyOverride('Runtime', 'nodejs20.x')),
    narrow: changed(({ fn }) => fn.addPropertyOverride('Runtime', 'nodejs22.x')),
  },
  reservedConcurrency: {
    says: /reservedConcurrentExecutions is 9, and the event sources of the function run up to 10 batches at once/,
    broken: changed(({ fn }) => fn.addPropertyOverride('ReservedConcurrentExecutions', 9), { maxConcurrency: 10 }),
    narrow: changed(({ fn }) => fn.addPropertyOverride('ReservedConcurrentExecutions', 10), { maxConcurrency: 10 }),
  },
  unboundedPolling: {
    says: /reservedConcurrentExecutions is 5, and an event source of the function has no maxConcurrency/,
    broken: changed(({ fn }) => fn.addPropertyOverride('ReservedConcurrentExecutions', 5)),
    narrow: changed(({ fn }) => fn.addPropertyOverride('ReservedConcurrentExecutions', 5), { maxConcurrency: 5 }),
  },
  tableKey: {
    says: /The key of the claims table .* is pk \(HASH, S\)/,
    broken: changed(({ table }) => {
      table.addPropertyOverride('KeySchema.0.AttributeName', 'pk');
      table.addPropertyOverride('AttributeDefinitions.0.AttributeName', 'pk');
    }),
    narrow: changed(({ table }) => table.addPropertyOverride('KeySchema.0.AttributeName', 'id')),
  },
  tableReplicas: {
    says: /is replicated to another region \(eu-central-1\)/,
    broken: replicatedTo('eu-central-1'),
    narrow: replicatedTo('eu-west-1'),
  },
  tableTtl: {
    says: /deletes by leaseUntil/,
    broken: changed(({ table }) => table.addPropertyOverride('TimeToLiveSpecification.AttributeName', 'leaseUntil')),
    narrow: changed(({ table }) => table.addPropertyOverride('TimeToLiveSpecification.AttributeName', 'expiresAt')),
  },
  tableGrows: {
    says: /has no TTL/,
    broken: changed(({ table }) => table.addPropertyOverride('TimeToLiveSpecification.Enabled', false)),
    narrow: changed(({ table }) => table.addPropertyOverride('TimeToLiveSpecification.Enabled', 'true')),
  },
  tableDeletion: {
    says: /may be deleted/,
    broken: changed(({ table }) => {
      table.addPropertyOverride('DeletionProtectionEnabled', false);
      table.addOverride('DeletionPolicy', 'Delete');
    }),
    narrow: changed(({ table }) => table.addOverride('DeletionPolicy', 'Delete')),
  },
  tableRecovery: {
    says: /has no point-in-time recovery/,
    broken: changed(({ table }) => table.addPropertyDeletionOverride('PointInTimeRecoverySpecification')),
    narrow: changed(({ table }) =>
      table.addPropertyOverride('PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled', true),
    ),
  },
  permissions: {
    says: /The function may not sqs:SendMessage on the dead-letter queue/,
    broken: changed(({ consumer, role }) => removeGrant(consumer, role, 'sqs:SendMessage')),
    narrow: changed(({ consumer, role }) => {
      removeGrant(consumer, role, 'sqs:SendMessage');
      role.addPropertyOverride('Policies', [
        { PolicyName: 'All', PolicyDocument: { Statement: { Effect: 'Allow', NotAction: 'iam:*', Resource: '*' } } },
      ]);
    }),
  },
  permissionsDenied: {
    says: /may not sqs:ReceiveMessage, .* on the queue: a policy of its role denies it/,
    // Everything but what is listed is denied.
    broken: changed(({ consumer }) =>
      consumer.function.addToRolePolicy(
        new PolicyStatement({ effect: Effect.DENY, notActions: ['dynamodb:*', 'sqs:SendMessage'], resources: ['*'] }),
      ),
    ),
    narrow: changed(({ consumer }) =>
      consumer.function.addToRolePolicy(
        new PolicyStatement({ effect: Effect.DENY, notActions: ['dynamodb:*', 'sqs:*'], resources: ['*'] }),
      ),
    ),
  },
  permissionsConditional: {
    says: /may not sqs:SendMessage on the dead-letter queue except under a condition/,
    broken: changed(({ consumer, role }) => {
      removeGrant(consumer, role, 'sqs:SendMessage');
      const conditions = { StringEquals: { 'aws:PrincipalTag/team': 'mails' } };
      consumer.function.addToRolePolicy(statement(Effect.ALLOW, ['sqs:SendMessage'], { conditions }));
    }),
    narrow: changed(({ consumer, role }) => {
      removeGrant(consumer, role, 'sqs:SendMessage');
      const conditions = { Bool: { 'aws:SecureTransport': 'true' } };
      consumer.function.addToRolePolicy(statement(Effect.ALLOW, ['sqs:SendMessage'], { conditions }));
    }),
  },
  permissionsBoundary: {
    says: /may not sqs:ReceiveMessage, .* on the queue: the permissions boundary of its role/,
    broken: changed((resources) => bound(resources, ['dynamodb:*', 'sqs:SendMessage'])),
    narrow: changed((resources) => bound(resources, ['dynamodb:*', 'sqs:*'])),
  },
  resourcePolicy: {
    says: /may not sqs:ReceiveMessage, .* on the queue: the policy of the queue denies it/,
    broken: denying('queue'),
    narrow: denying('queue', { Bool: { 'aws:SecureTransport': 'false' } }),
  },
  permissionsUnseen: {
    says: /Whether the function may .* is not certain/,
    broken: changed(({ role }) =>
      role.addPropertyOverride('PermissionsBoundary', 'arn:aws:iam::111111111111:policy/company-boundary'),
    ),
    narrow: changed((resources) => bound(resources, ['*'])),
  },
  variables: {
    says: /has another DEAD_LETTER_QUEUE_URL than Shop\/Work set/,
    broken: changed(({ fn }) =>
      fn.addPropertyOverride('Environment.Variables.DEAD_LETTER_QUEUE_URL', 'https://elsewhere'),
    ),
    narrow: changed(({ fn }) => fn.addPropertyOverride('Environment.Variables.OTHER_QUEUE_URL', 'https://elsewhere')),
  },
  secrets: {
    says: /environment\.API_KEY holds a secret's value/,
    broken: changed(({ fn }) =>
      fn.addPropertyOverride('Environment.Variables.API_KEY', '{{resolve:secretsmanager:key:SecretString}}'),
    ),
    narrow: changed(({ fn }) =>
      fn.addPropertyOverride(
        'Environment.Variables.API_KEY',
        'arn:aws:secretsmanager:eu-west-1:111111111111:secret:key',
      ),
    ),
  },
};

/** Takes an action out of the role's policy, as an escape hatch does. */
function removeGrant(consumer: Consumer, role: CfnRole, action: string): void {
  const policy = role.node.scope?.node.findChild('DefaultPolicy').node.defaultChild as CfnPolicy;
  Aspects.of(consumer).add({
    visit: (node) => {
      if (node !== consumer) return;
      const { Statement } = role.stack.resolve(policy.policyDocument);
      const index = Statement.findIndex((one: { readonly Action: unknown }) => [one.Action].flat().includes(action));
      if (index >= 0) policy.addPropertyOverride(`PolicyDocument.Statement.${index}.Action`, 'sqs:ListQueues');
    },
  });
}

function bound({ role, stack }: Resources, actions: readonly string[]): void {
  const statements = [new PolicyStatement({ actions: [...actions], resources: ['*'] })];
  const boundary = new ManagedPolicy(stack, 'Boundary', { statements });
  role.addPropertyOverride('PermissionsBoundary', boundary.managedPolicyArn);
}

const construct: Readonly<Record<NamesIn<'construct'>, Case>> = {
  visibility: {
    says: /visibilityTimeout is 179 s/,
    broken: given({ visibilityTimeout: Duration.seconds(179) }),
    narrow: given({ visibilityTimeout: Duration.seconds(180) }),
  },
  lease: {
    says: /lease is 181 s/,
    broken: given({ lease: Duration.seconds(181) }),
    narrow: given({ lease: Duration.seconds(180) }),
  },
  claimRetention: {
    says: /claimRetention is 17 days/,
    broken: given({ claimRetention: Duration.days(17) }),
    narrow: given({ claimRetention: Duration.days(18) }),
  },
  queueRetention: {
    says: /The queue keeps messages for 1799 s, less than 10 receives/,
    broken: given({ fifo: true, retentionPeriod: Duration.seconds(1799) }),
    narrow: given({ fifo: true, retentionPeriod: Duration.seconds(1800) }),
  },
  deadLetterQueue: {
    says: /The dead-letter queue of Shop\/Plain is not known/,
    broken: (stack) => void addConsumer(stack, { queue: new Queue(stack, 'Plain', minutes3) }),
    narrow: (stack) => {
      const queue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
      addConsumer(stack, {
        queue: new Queue(stack, 'Plain', { ...minutes3, deadLetterQueue: { queue, maxReceiveCount: 5 } }),
      });
    },
  },
  deadLetterQueueOther: {
    says: /The redrive policy of the queue leads to .* Use one queue for both/,
    broken: twoDeadLetterQueues(false),
    narrow: twoDeadLetterQueues(true),
  },
  deadLetterQueueItself: {
    says: /The queue is its own dead-letter queue/,
    broken: (stack) => {
      const queue = Queue.fromQueueArn(stack, 'Mails', 'arn:aws:sqs:eu-west-1:111111111111:mails');
      addConsumer(stack, { queue, deadLetterQueue: queue });
    },
    narrow: (stack) => {
      const named = (name: string) => Queue.fromQueueArn(stack, name, `arn:aws:sqs:eu-west-1:111111111111:${name}`);
      addConsumer(stack, { queue: named('mails'), deadLetterQueue: named('dead-mails') });
    },
  },
  deadLetterQueuePlace: {
    says: /dead-letter queue is arn:aws:sqs:eu-central-1:111111111111:dead, in another region/,
    broken: (stack) =>
      void addConsumer(stack, {
        deadLetterQueue: Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:eu-central-1:111111111111:dead'),
      }),
    narrow: (stack) =>
      void addConsumer(stack, {
        queue: Queue.fromQueueArn(stack, 'Mails', 'arn:aws:sqs:eu-west-1:111111111111:mails'),
        deadLetterQueue: Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:eu-west-1:111111111111:dead'),
      }),
  },
  deadLetterQueueKind: {
    says: /The queue is standard and its dead-letter queue is FIFO/,
    broken: deadLetters({ fifo: true, retentionPeriod: Duration.days(14) }),
    narrow: deadLetters({ retentionPeriod: Duration.days(14) }),
  },
  receives: {
    says: /maxReceiveCount is 24, and a healthy message may need 25 receives/,
    broken: given({ concurrency: 1, handlerTimeout: Duration.seconds(20), maxReceiveCount: 24 }),
    narrow: given({ concurrency: 1, handlerTimeout: Duration.seconds(20), maxReceiveCount: 25 }),
  },
  handlerTimeout: {
    says: /handlerTimeout is 29 s, and timeout is 30 s/,
    broken: given({ handlerTimeout: Duration.seconds(29) }),
    narrow: given({ handlerTimeout: Duration.seconds(28) }),
  },
  attempts: {
    says: /maxAttempts is 6, and a message may be tried 6 times while it waits for locks/,
    broken: given({ lockLease: Duration.minutes(1), lockAttempts: 3, maxAttempts: 6 }),
    narrow: given({ lockLease: Duration.minutes(1), lockAttempts: 3, maxAttempts: 7 }),
  },
  provisionedPollers: {
    says: /has provisioned pollers and maxConcurrency 5, .* each poller runs up to 10 batches at once/,
    broken: given({ provisionedPollerConfig: { maximumPollers: 2 }, maxConcurrency: 5 }),
    narrow: given({ provisionedPollerConfig: { maximumPollers: 2 } }),
  },
  batch: {
    says: /batchSize is 11 with no maxBatchingWindow/,
    broken: given({ batchSize: 11 }),
    narrow: given({ batchSize: 11, maxBatchingWindow: Duration.seconds(1) }),
  },
  oneConsumer: {
    says: /The queue feeds the function of Shop\/(Work|Other) as well/,
    broken: twoConsumers((_, { queue }) => ({ queue })),
    narrow: twoConsumers(() => ({})),
  },
  operation: {
    says: /The operation 'send-email' is that of Shop\/(Work|Other) as well, another function on the same claims table/,
    broken: twoConsumers(() => ({ operation: 'send-email' }), { operation: 'send-email' }),
    narrow: twoConsumers(() => ({ operation: 'send-email', sharedOperation: true }), {
      operation: 'send-email',
      sharedOperation: true,
    }),
  },
  place: {
    says: /the claims table arn:aws:dynamodb:eu-central-1:111111111111:table\/claims, in another region or account/,
    broken: (stack) =>
      void addConsumer(stack, {
        claimsTable: Table.fromTableArn(stack, 'Own', 'arn:aws:dynamodb:eu-central-1:111111111111:table/claims'),
      }),
    narrow: (stack) =>
      void addConsumer(stack, {
        claimsTable: Table.fromTableArn(stack, 'Own', 'arn:aws:dynamodb:eu-west-1:111111111111:table/claims'),
      }),
  },
  tableKey: {
    says: /is pk \(HASH, S\)/,
    broken: tableWith({ partitionKey: { name: 'pk', type: AttributeType.STRING } }),
    narrow: tableWith(),
  },
  tableReplicas: {
    says: /is replicated to another region/,
    broken: tableWith({ replicationRegions: ['eu-central-1'] }),
    narrow: tableWith({ replicationRegions: [] }),
  },
  tableTtl: {
    says: /deletes by ttl/,
    broken: tableWith({ timeToLiveAttribute: 'ttl' }),
    narrow: tableWith(),
  },
  tableGrows: {
    says: /has no TTL/,
    broken: tableWith({ timeToLiveAttribute: undefined as never }),
    narrow: tableWith(),
  },
  tableDeletion: {
    says: /may be deleted/,
    broken: tableWith({ removalPolicy: RemovalPolicy.DESTROY }),
    narrow: tableWith({ removalPolicy: RemovalPolicy.DESTROY, deletionProtection: true }),
  },
  tableRecovery: {
    says: /has no point-in-time recovery/,
    broken: tableWith({ pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: false } }),
    narrow: tableWith(),
  },
  scheduleSeldom: {
    says: /rate\(26 hours\) leaves up to 26 hours .* Set maxSilence to 26 hours or more/,
    broken: sweeping(asItIs, { schedule: Schedule.rate(Duration.hours(26)) }),
    narrow: sweeping(asItIs, { schedule: Schedule.rate(Duration.hours(25)) }),
  },
  permissions: {
    says: /its role takes no grants. Import the role as mutable/,
    broken: withRole(false),
    narrow: withRole(true),
  },
  variables: {
    says: /environment sets CLAIMS_TABLE/,
    broken: given({ environment: { CLAIMS_TABLE: 'mine' } }),
    narrow: given({ environment: { MY_CLAIMS_TABLE: 'mine' } }),
  },
  secrets: {
    says: /environment\.API_KEY holds a secret's value/,
    broken: given({ environment: { API_KEY: SecretValue.secretsManager('key').unsafeUnwrap() } }),
    narrow: given({ environment: { API_KEY_ARN: 'arn:aws:secretsmanager:eu-west-1:111111111111:secret:key' } }),
  },
  misplaced: {
    says: /fifo is given beside queue/,
    broken: (stack) =>
      void addConsumer(stack, { queue: addExisting(stack, { eventSource: false }).queue, fifo: false }),
    narrow: (stack) =>
      void addConsumer(stack, {
        queue: addExisting(stack, { eventSource: false }).queue,
        timeout: Duration.seconds(10),
      }),
  },
  deploymentTime: {
    says: /handlerTimeout is not known before deployment/,
    broken: (stack) => {
      const parameter = new CfnParameter(stack, 'Seconds', { type: 'Number' });
      addConsumer(stack, { handlerTimeout: Duration.seconds(parameter.valueAsNumber) });
    },
    narrow: given({ handlerTimeout: Duration.seconds(10) }),
  },
};

function twoDeadLetterQueues(areTheSame: boolean) {
  return (stack: Stack) => {
    const queue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
    const deadLetterQueue = areTheSame ? queue : new Queue(stack, 'Other', { retentionPeriod: Duration.days(14) });
    const mails = new Queue(stack, 'Mails', { ...minutes3, deadLetterQueue: { queue, maxReceiveCount: 5 } });
    addConsumer(stack, { deadLetterQueue, queue: mails });
  };
}

function withRole(mutable: boolean) {
  return (stack: Stack) => {
    const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::111111111111:role/mail', { mutable });
    const { queue, function: sendMail } = addExisting(stack, { function: { role } });
    new Consumer(stack, 'Work', { claimsTable: new ClaimsTable(stack, 'Claims').table, queue, function: sendMail });
  };
}

/** What is refused, or, for a rule that only warns, warned of, in a stack of one account and region. */
function foundIn(build: (stack: Stack) => void, level: 'problem' | 'warning'): readonly string[] {
  const place = ['eu-west-1', '111111111111'] as const;
  if (level === 'problem') return refusalOf(build, ...place) ?? [];
  const stack = emptyStack(...place);
  build(stack);
  const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('pawl:'));
  return warnings.map(({ entry }) => String(entry.data));
}

test('a schedule of a sweep that is disabled is warned of, as an event source is', () => {
  const disabled = foundIn(
    sweeping((rule) => rule.addPropertyOverride('State', 'DISABLED')),
    'warning',
  );
  expect(disabled).toContainEqual(expect.stringMatching(/The schedule of the sweep of open claims, .*, is disabled/));
});

describe.each([
  ['the options of a construct', 'construct', construct],
  ['the rendered template', 'template', template],
] as const)('in %s', (_, column, cases) => {
  test('every rule that can be broken has a case', () => {
    const names = Object.entries(wiringRules).filter(([, rule]) => rule[column] === true);
    expect(Object.keys(cases).sort()).toEqual(names.map(([name]) => name).sort());
  });

  const all = Object.entries(cases) as readonly (readonly [RuleName, Case])[];
  test.each(all)(
    '%s: what breaks it is found, and what only just does not is accepted',
    (name, { says, broken, narrow }) => {
      const { level } = wiringRules[name];
      expect(foundIn(broken, level)).toContainEqual(expect.stringMatching(says));
      const narrowly = foundIn(narrow, level);
      expect(level === 'problem' ? narrowly : narrowly.filter((text) => says.test(text))).toEqual([]);
    },
  );
});
