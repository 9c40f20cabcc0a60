import { CfnParameter, Duration, SecretValue, type Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AttributeType, type ITable, MultiRegionConsistency, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  Effect,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  type PolicyStatementProps,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, Consumer, grantClaims, WiringError } from '../../lib/cdk/index.ts';
import { addConsumer, addExisting, type Existing, emptyStack, type Overrides, refusalOf } from './support.ts';

/** What a consumer that makes everything says to these options. */
const refusal = (overrides: Overrides) => refusalOf((stack) => void addConsumer(stack, overrides));

/** What a consumer around a queue, a function and an event source that exist says. */
const adoption = (existing: Existing, overrides: Overrides = {}) =>
  refusalOf((stack) => void adopt(stack, existing, overrides));

function adopt(stack: Stack, existing: Existing, overrides: Overrides = {}): Consumer {
  const { queue, function: sendMail } = addExisting(stack, existing);
  const claimsTable = new ClaimsTable(stack, 'Claims').table;
  return new Consumer(stack, 'Work', { claimsTable, queue, function: sendMail, ...overrides });
}

test('a refusal is an error with the path of the construct and every sentence', () => {
  const overrides = { fifo: true, batchSize: 50, visibilityTimeout: Duration.seconds(60) };
  try {
    addConsumer(emptyStack(), overrides);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof WiringError)) throw error;
    expect(error.path).toBe('Shop/Work');
    expect(error.problems).toHaveLength(2);
    for (const problem of error.problems) expect(error.message).toContain(problem);
  }
});

test('what exists and is as it should be is accepted', () => {
  expect(adoption({})).toBeUndefined();
});

describe('visibilityTimeout', () => {
  test('is refused one second below 6 × timeout + window, with the numbers and both fixes', () => {
    const overrides = { timeout: Duration.seconds(30), maxBatchingWindow: Duration.seconds(20) };
    expect(refusal({ ...overrides, visibilityTimeout: Duration.seconds(199) })).toEqual([
      'visibilityTimeout is 199 s, shorter than 6 × timeout + maxBatchingWindow = 6 × 30 s + 20 s = 200 s: messages would ' +
        'return to the queue while they are still being worked on. Set visibilityTimeout to 200 s or more, ' +
        'or set timeout to 29 s at most.',
    ]);
    expect(refusal({ ...overrides, visibilityTimeout: Duration.seconds(200) })).toBeUndefined();
  });

  test('below any possible timeout leaves one fix', () => {
    expect(refusal({ visibilityTimeout: Duration.seconds(5) })?.[0]).toMatch(
      /Set visibilityTimeout to 180 s or more\.$/,
    );
  });

  test('of an existing queue is held against an existing function and its event source', () => {
    const window = { eventSource: { maxBatchingWindow: Duration.seconds(7) } };
    const visible = (seconds: number) => ({ ...window, queue: { visibilityTimeout: Duration.seconds(seconds) } });
    expect(adoption(visible(66))).toEqual([
      expect.stringContaining('is 66 s, shorter than 6 × timeout + maxBatchingWindow = 6 × 10 s + 7 s = 67 s'),
    ]);
    expect(adoption(visible(67))).toBeUndefined();
  });

  test('that an existing queue leaves unsaid is SQS’s 30 seconds, and a timeout left unsaid is Lambda’s 3', () => {
    const timeout = (seconds: number | undefined) => ({
      timeout: seconds === undefined ? undefined : Duration.seconds(seconds),
    });
    const unsaid = (seconds?: number) =>
      ({ queue: { visibilityTimeout: undefined }, function: timeout(seconds) }) as unknown as Existing;
    expect(adoption(unsaid(6))).toEqual([expect.stringContaining('visibilityTimeout is 30 s')]);
    expect(adoption(unsaid(5))).toBeUndefined();
    expect(adoption(unsaid())).toBeUndefined();
  });

  test('that an escape hatch lowers is refused as well', () => {
    const lowered = (seconds: number) =>
      refusalOf((stack) => {
        const { node } = addConsumer(stack).queue;
        Object.assign(node.defaultChild ?? {}, { visibilityTimeout: seconds });
      });
    expect(lowered(179)).toEqual([expect.stringContaining('visibilityTimeout is 179 s')]);
    expect(lowered(180)).toBeUndefined();
  });

  test('has to be given where the timeout of the function cannot be seen', () => {
    const withImported = (visibilityTimeout?: Duration) =>
      refusalOf((stack) => {
        new Consumer(stack, 'Work', {
          claimsTable: new ClaimsTable(stack, 'Claims').table,
          function: LambdaFunction.fromFunctionArn(stack, 'Imported', 'arn:aws:lambda:eu-west-1:1:function:mail'),
          externalPermissions: true,
          ...(visibilityTimeout && { visibilityTimeout }),
        });
      });
    expect(withImported()).toEqual([expect.stringContaining('Set visibilityTimeout to 6 × its timeout')]);
    expect(withImported(Duration.minutes(3))).toBeUndefined();
  });
});

describe('lease', () => {
  test('is refused one second above the visibility timeout', () => {
    expect(refusal({ lease: Duration.seconds(181) })).toEqual([
      'lease is 181 s, longer than visibilityTimeout, which is 180 s: if a worker dies, its message returns before its claim ' +
        'is free, and uses up receives while it waits. Set visibilityTimeout to 181 s or more, or lease to 180 s at most.',
    ]);
    expect(refusal({ lease: Duration.seconds(180) })).toBeUndefined();
  });

  test('is held against an existing queue as well', () => {
    expect(adoption({}, { lease: Duration.seconds(61) })).toEqual([expect.stringContaining('which is 60 s')]);
    expect(adoption({}, { lease: Duration.seconds(60) })).toBeUndefined();
  });
});

describe('claimRetention', () => {
  test('is refused below the retention of the queue and the dead-letter queue together', () => {
    expect(refusal({ claimRetention: Duration.days(17) })).toEqual([
      'claimRetention is 17 days, shorter than the retention of the queue and of the dead-letter queue together = 4 days + 14 days ' +
        '= 18 days: after a late redrive the claim would be gone, and the effect would happen again. Set ' +
        "claimRetention, and the handler's retentionSeconds, to 18 days or more, or keep messages for less time.",
    ]);
    expect(refusal({ claimRetention: Duration.days(18).minus(Duration.seconds(1)) })).toHaveLength(1);
    expect(refusal({ claimRetention: Duration.days(18) })).toBeUndefined();
  });

  test('of 30 days, the default, covers the longest that SQS has', () => {
    expect(refusal({ retentionPeriod: Duration.days(14) })).toBeUndefined();
  });

  test('is held against existing queues as well', () => {
    const existing = {
      queue: { retentionPeriod: Duration.days(2) },
      deadLetterQueue: { retentionPeriod: Duration.days(3) },
    };
    expect(adoption(existing, { claimRetention: Duration.days(4) })).toEqual([expect.stringContaining('= 5 days')]);
    expect(adoption(existing, { claimRetention: Duration.days(5) })).toBeUndefined();
  });
});

test('an existing event source without partial responses is refused', () => {
  expect(adoption({ eventSource: { reportBatchItemFailures: false } })).toEqual([
    expect.stringMatching(/^The event source does not take partial responses.*reportBatchItemFailures: true/),
  ]);
  expect(adoption({ eventSource: { reportBatchItemFailures: true } })).toBeUndefined();
});

describe('maxReceiveCount', () => {
  test('below 5 is refused for a consumer that defers', () => {
    expect(refusal({ maxReceiveCount: 4 })).toEqual([
      'maxReceiveCount is 4, below 5: throttled invocations, and a duplicate that waits for a claim in flight, use up ' +
        'receives, and SQS would dead-letter a healthy message. Set maxReceiveCount to 5 or more.',
    ]);
    expect(refusal({ maxReceiveCount: 5 })).toBeUndefined();
    expect(refusal({ maxReceiveCount: 4, onInFlight: 'defer' })).toHaveLength(1);
    expect(refusal({ maxReceiveCount: 4, onInFlight: 'discard' })).toBeUndefined();
  });

  test('of an existing queue is looked at as well', () => {
    expect(adoption({ maxReceiveCount: 4 })).toEqual([expect.stringContaining('maxReceiveCount is 4, below 5')]);
    expect(adoption({ maxReceiveCount: 5 })).toBeUndefined();
  });
});

describe('the dead-letter queue', () => {
  const withDeadLetters = (deadLettersFifo: boolean, fifo: boolean) =>
    refusalOf((stack) => {
      const deadLetterQueue = new Queue(stack, 'Dead', deadLettersFifo ? { fifo: true } : {});
      addConsumer(stack, { deadLetterQueue, fifo });
    });

  test('has to be FIFO for a FIFO queue, and standard for a standard one', () => {
    expect(withDeadLetters(false, true)).toEqual([
      'The queue is FIFO and its dead-letter queue is standard, which SQS refuses. Make the dead-letter queue FIFO as well.',
    ]);
    expect(withDeadLetters(true, false)).toEqual([
      expect.stringContaining('is standard and its dead-letter queue is FIFO'),
    ]);
    expect(withDeadLetters(true, true)).toBeUndefined();
    expect(withDeadLetters(false, false)).toBeUndefined();
  });

  test('has to be FIFO for an existing FIFO queue', () => {
    const [fifo, maxReceiveCount] = [{ fifo: true } as const, 10];
    expect(adoption({ queue: fifo, maxReceiveCount })).toEqual([
      expect.stringContaining('The queue is FIFO and its dead-letter queue'),
    ]);
    expect(adoption({ queue: fifo, deadLetterQueue: fifo, maxReceiveCount })).toBeUndefined();
  });

  test('has to exist, and to be known', () => {
    const none = (named: boolean) =>
      refusalOf((stack) => {
        const deadLetterQueue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
        const queue = new Queue(stack, 'Plain', { visibilityTimeout: Duration.minutes(3) });
        addConsumer(stack, { queue, ...(named && { deadLetterQueue }) });
      });
    expect(none(false)).toEqual([expect.stringContaining('The dead-letter queue of Shop/Plain is not known')]);
    // Named, and yet SQS would never move a message there.
    expect(none(true)).toEqual([expect.stringContaining('The queue has no dead-letter queue')]);
  });

  test('of an imported queue has to be named', () => {
    const arn = (name: string) => `arn:aws:sqs:eu-west-1:123456789012:${name}`;
    const imported = (named: boolean) =>
      refusalOf((stack) => {
        const queue = Queue.fromQueueArn(stack, 'Imported', arn('mails'));
        const deadLetterQueue = Queue.fromQueueArn(stack, 'ImportedDead', arn('dead-mails'));
        addConsumer(stack, { queue, ...(named && { deadLetterQueue }) });
      });
    expect(imported(false)).toEqual([expect.stringContaining('The dead-letter queue of Shop/Imported is not known')]);
    expect(imported(true)).toBeUndefined();
  });
});

describe('the claims table', () => {
  const key = { partitionKey: { name: 'id', type: AttributeType.STRING } };
  const withTable = (table: (stack: Stack) => Table | TableV2) =>
    refusalOf((stack) => void addConsumer(stack, { claimsTable: table(stack) as ITable }), 'eu-west-1');

  test('is refused when it is a global table with a replica, even one that is added later', () => {
    const replicated = [
      expect.stringMatching(
        /^The claims table Shop\/Global is replicated to another region \(eu-central-1\): a condition/,
      ),
    ];
    expect(
      withTable((stack) => new TableV2(stack, 'Global', { ...key, replicas: [{ region: 'eu-central-1' }] })),
    ).toEqual(replicated);
    expect(
      refusalOf((stack) => {
        const table = new TableV2(stack, 'Global', key);
        addConsumer(stack, { claimsTable: table as ITable });
        table.addReplica({ region: 'eu-central-1' });
      }, 'eu-west-1'),
    ).toEqual(replicated);
    expect(withTable((stack) => new TableV2(stack, 'Global', key))).toBeUndefined();
  });

  test('is refused with strong consistency between its regions for what such a table has not, and not for its conditions', () => {
    const strong = (stack: Stack) =>
      new TableV2(stack, 'Global', {
        ...key,
        multiRegionConsistency: MultiRegionConsistency.STRONG,
        replicas: [{ region: 'eu-central-1' }, { region: 'eu-west-3' }],
      });
    const [said, ...more] = withTable(strong) ?? [];
    expect(said).toMatch(
      /^The claims table Shop\/Global is a global table with strong consistency, replicated to 2 other/,
    );
    expect(said).toContain('no transactions and no TTL');
    expect(said).not.toContain('condition');
    expect(more).toEqual([]);
  });

  test('is refused when a custom resource replicates it', () => {
    const old = (replicationRegions: string[]) =>
      withTable((stack) => new Table(stack, 'Old', { ...key, replicationRegions }));
    expect(old(['eu-central-1', 'eu-north-1'])).toEqual([expect.stringContaining('replicated to 2 other regions')]);
    expect(old([])).toBeUndefined();
  });

  test('is refused unless its key is id, a string', () => {
    const keyed = (name: string, type: AttributeType, sortKey?: { name: string; type: AttributeType }) =>
      withTable((stack) => new Table(stack, 'Own', { partitionKey: { name, type }, ...(sortKey && { sortKey }) }));
    expect(keyed('pk', AttributeType.STRING)).toEqual([
      expect.stringContaining('Shop/Own is pk (HASH, S), and pawl needs id (HASH, S)'),
    ]);
    expect(keyed('id', AttributeType.NUMBER)).toHaveLength(1);
    expect(keyed('id', AttributeType.STRING, { name: 'sk', type: AttributeType.STRING })).toHaveLength(1);
    expect(keyed('id', AttributeType.STRING)).toBeUndefined();
  });
});

describe('event filters', () => {
  const warnings = (filters?: Record<string, unknown>[]) => {
    const stack = emptyStack();
    adopt(stack, { eventSource: filters === undefined ? {} : { filters } });
    return Annotations.fromStack(stack).findWarning(
      '/Shop/Work',
      Match.stringLikeRegexp('has a filter, and Lambda deletes'),
    );
  };

  test('are warned of, and accepted', () => {
    const filters = [{ pattern: JSON.stringify({ body: { kind: ['mail'] } }) }];
    expect(warnings(filters)).toHaveLength(1);
    expect(adoption({ eventSource: { filters } })).toBeUndefined();
    expect(warnings()).toHaveLength(0);
  });
});

describe('permissions', () => {
  const ROLE = 'arn:aws:iam::123456789012:role/mail';

  test('that an immutable role did not take are named, and are no matter when they are given elsewhere', () => {
    const withRole = (mutable: boolean, overrides: Overrides = {}) =>
      refusalOf((stack) => {
        const role = Role.fromRoleArn(stack, 'Role', ROLE, { mutable });
        adopt(stack, { function: { role } }, overrides);
      });
    const fix =
      'Import the role as mutable, or give the permissions where it is made and set externalPermissions: true. See node_modules/pawl/docs/errors.md#wired-wrongly';
    expect(withRole(false)).toEqual([
      'The function may not dynamodb:BatchGetItem, dynamodb:PutItem, dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate ' +
        `on the claims table, and its role takes no grants. ${fix}`,
      // On the queues CDK gives them in the queues' own policies.
    ]);
    expect(withRole(true)).toBeUndefined();
    expect(withRole(false, { externalPermissions: true })).toBeUndefined();
  });

  test('of a function that was imported without its role are named', () => {
    const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:mail';
    const imported = (withRole: boolean) =>
      refusalOf((stack) => {
        const role = Role.fromRoleArn(stack, 'Role', ROLE);
        const sendMail = LambdaFunction.fromFunctionAttributes(stack, 'Imported', {
          functionArn: arn,
          ...(withRole && { role }),
        });
        const { queue } = addExisting(stack, { eventSource: false });
        const claimsTable = new ClaimsTable(stack, 'Claims').table;
        new Consumer(stack, 'Work', { claimsTable, queue, function: sendMail, createEventSource: false });
      });
    expect(imported(false)).toEqual([
      expect.stringContaining('Import the function with its role'),
      expect.anything(),
      expect.anything(),
    ]);
    expect(imported(true)).toBeUndefined();
  });

  /** A role that takes no grants of its own, and has what `give` gives it. */
  const closedRole = (give: (role: Role, table: Table, resources: string[]) => void) =>
    refusalOf((stack) => {
      const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      const table = new Table(stack, 'Own', { partitionKey: { name: 'id', type: AttributeType.STRING } });
      const {
        queue,
        deadLetterQueue,
        function: sendMail,
      } = addExisting(stack, {
        function: { role: role.withoutPolicyUpdates() },
      });
      role.addToPolicy(
        new PolicyStatement({ actions: ['sqs:*'], resources: [queue.queueArn, deadLetterQueue.queueArn] }),
      );
      give(role, table, [table.tableArn]);
      const claimsTable = table as ITable;
      new Consumer(stack, 'Work', { claimsTable, queue, function: sendMail });
    });

  test('that grantReadWriteData forgets are missed: PartiQL', () => {
    expect(closedRole((role, table) => table.grantReadWriteData(role))).toEqual([
      expect.stringContaining('may not dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate on the claims table'),
    ]);
    expect(closedRole((role, table) => grantClaims(table as never, role))).toBeUndefined();
  });

  /** A role that takes no grants, with these statements in itself. */
  const inline = (...statements: PolicyStatementProps[]) =>
    refusalOf((stack) => {
      const document = new PolicyDocument({
        statements: statements.map((props) => new PolicyStatement({ resources: ['*'], ...props })),
      });
      const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
      const role = new Role(stack, 'Role', { assumedBy, inlinePolicies: { All: document } });
      adopt(stack, { function: { role: role.withoutPolicyUpdates() } });
    });
  const everything = { actions: ['dynamodb:*', 'sqs:*'] };

  test('in the role itself count', () => {
    expect(inline({ actions: ['s3:*'] })).toHaveLength(3);
    expect(inline(everything)).toBeUndefined();
  });

  test('that a policy denies are named, whatever else permits them; a denial under a condition is no matter', () => {
    const denial = { effect: Effect.DENY, actions: ['dynamodb:PartiQL*'] };
    expect(inline(everything, denial)).toEqual([
      'The function may not dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate on the claims table: a policy of its role denies it, ' +
        'and a denial overrides every grant. Remove the denial. See node_modules/pawl/docs/errors.md#wired-wrongly',
    ]);
    expect(inline(everything, { ...denial, actions: ['dynamodb:PartiQLDelete'] })).toBeUndefined();
    const conditions = { Bool: { 'aws:SecureTransport': 'false' } };
    expect(inline(everything, { ...denial, conditions })).toBeUndefined();
  });

  test('count wherever they are written, and with patterns; one action less does not do', () => {
    const managed = (actions: string[]) =>
      closedRole((role, _, resources) => {
        const statements = [new PolicyStatement({ actions, resources })];
        role.addManagedPolicy(new ManagedPolicy(role.stack, 'Managed', { statements }));
      });
    const batches = ['dynamodb:BatchGetItem', 'dynamodb:PartiQL*'];
    expect(managed(batches)).toEqual([expect.stringContaining('may not dynamodb:PutItem on')]);
    expect(managed(['dynamodb:Put*', ...batches])).toBeUndefined();
  });
});

describe('batchSize', () => {
  test('above 10 is refused without a batching window', () => {
    expect(refusal({ batchSize: 11 })?.[0]).toMatch(
      /^batchSize is 11 with no maxBatchingWindow.*Set maxBatchingWindow to 1 s/,
    );
    expect(refusal({ batchSize: 11, maxBatchingWindow: Duration.seconds(0) })).toHaveLength(1);
    expect(refusal({ batchSize: 11, maxBatchingWindow: Duration.seconds(1) })).toBeUndefined();
    expect(refusal({ batchSize: 10 })).toBeUndefined();
  });

  test('above 10 is refused for a FIFO queue, and no window is suggested', () => {
    expect(refusal({ fifo: true, batchSize: 11 })).toEqual([
      'batchSize is 11, and a FIFO queue delivers 10 at most. Lower it.',
    ]);
    expect(refusal({ fifo: true, batchSize: 10 })).toBeUndefined();
  });
});

test('a batching window is refused for a FIFO queue', () => {
  expect(refusal({ fifo: true, maxBatchingWindow: Duration.seconds(5) })).toEqual([
    'maxBatchingWindow is 5 s, and Lambda accepts none for a FIFO queue. Leave it out.',
  ]);
  expect(refusal({ fifo: true })).toBeUndefined();
});

describe('the environment', () => {
  test.each(['CLAIMS_TABLE', 'DEAD_LETTER_QUEUE_URL'])('must not set %s', (name) => {
    expect(refusal({ environment: { [name]: 'mine' } })?.[0]).toContain(`environment sets ${name}`);
    expect(refusal({ environment: { [`MY_${name}`]: 'mine' } })).toBeUndefined();
  });

  test('of an existing function must not set it to something else', () => {
    const set = (value?: string) => adoption({ function: { environment: value ? { CLAIMS_TABLE: value } : {} } });
    expect(set('other')).toEqual([expect.stringContaining('The environment of Shop/SendMail sets CLAIMS_TABLE')]);
    expect(set()).toBeUndefined();
  });

  test('must not hold a secret’s value; its ARN is fine', () => {
    const value = (secret: SecretValue) => secret.unsafeUnwrap();
    const refused = [expect.stringMatching(/^environment\.API_KEY holds a secret's value.*secret\.grantRead/)];
    expect(refusal({ environment: { API_KEY: value(SecretValue.secretsManager('key')) } })).toEqual(refused);
    expect(refusal({ environment: { API_KEY: value(SecretValue.ssmSecure('key', '1')) } })).toEqual(refused);
    expect(refusal({ environment: { API_KEY: '{{resolve:secretsmanager:key}}' } })).toEqual(refused);
    const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:key-AbCdEf';
    expect(refusal({ environment: { API_KEY_ARN: arn } })).toBeUndefined();
  });
});

test('a time that is known at deployment only is refused, because nothing could be checked against it', () => {
  expect(
    refusalOf((stack) => {
      const parameter = new CfnParameter(stack, 'Timeout', { type: 'Number' });
      addConsumer(stack, { timeout: Duration.seconds(parameter.valueAsNumber) });
    }),
  ).toEqual(['timeout is not known before deployment, so pawl cannot check it. Give it a plain number.']);
});

test.each(['batchSize', 'maxReceiveCount', 'concurrency', 'maxAttempts', 'lockAttempts'])(
  '%s that is known at deployment only is refused by its name, and its placeholder is not shown',
  (name) => {
    expect(
      refusalOf((stack) => {
        const parameter = new CfnParameter(stack, 'Number', { type: 'Number' });
        addConsumer(stack, { [name]: parameter.valueAsNumber });
      }),
    ).toEqual([`${name} is not known before deployment, so pawl cannot check it. Give it a plain number.`]);
  },
);

test('an event source that is added after the consumer is refused in the words of pawl, and not of CDK', () => {
  expect(
    refusalOf((stack) => {
      const { queue, function: sendMail } = addConsumer(stack);
      (sendMail as LambdaFunction).addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
    }),
  ).toEqual([
    expect.stringMatching(
      /through 2 event sources, and Lambda accepts one: .*Create your event source before the Cons/,
    ),
  ]);
});

describe('beside what exists', () => {
  test('what decides how it is made is refused', () => {
    expect(adoption({}, { entry: 'a.ts', timeout: Duration.seconds(5), fifo: true })).toEqual([
      'entry is given beside function, which exists already. Set it there, and leave it out here.',
      'timeout is given beside function, which exists already. Set it there, and leave it out here.',
      'fifo is given beside queue, which exists already. Set it there, and leave it out here.',
    ]);
    expect(adoption({}, { batchSize: 5 })).toEqual([
      expect.stringContaining('batchSize is given, and the event source'),
    ]);
    expect(adoption({ eventSource: false }, { batchSize: 5 })).toBeUndefined();
  });

  test('neither entry nor function is no consumer', () => {
    expect(refusal({ entry: undefined as never })).toEqual([expect.stringContaining('There is no function.')]);
  });

  test('a second event source is refused: Lambda would, at deployment', () => {
    expect(
      refusalOf((stack) => {
        const { queue, function: sendMail } = addExisting(stack, { eventSource: false });
        const claimsTable = new ClaimsTable(stack, 'Claims').table;
        new Consumer(stack, 'Work', { claimsTable, queue, function: sendMail });
        sendMail.addEventSourceMapping('Mine', { eventSourceArn: queue.queueArn, reportBatchItemFailures: true });
      }),
    ).toEqual([expect.stringContaining('through 2 event sources, and Lambda accepts one')]);
    expect(adoption({ eventSource: false })).toBeUndefined();
  });

  test('an alias has the settings of its function, and its event source may name its ARN', () => {
    const alias = (seconds: number) =>
      refusalOf((stack) => {
        const { queue, function: sendMail } = addExisting(stack, {
          queue: { visibilityTimeout: Duration.seconds(seconds) },
          eventSource: false,
        });
        const live = sendMail.addAlias('live') as IFunction;
        new CfnEventSourceMapping(stack, 'Mapping', {
          functionName: live.functionArn,
          eventSourceArn: queue.queueArn,
          functionResponseTypes: ['ReportBatchItemFailures'],
        });
        const claimsTable = new ClaimsTable(stack, 'Claims').table;
        new Consumer(stack, 'Work', { claimsTable, queue, function: live });
        // It was found: none was made beside it.
        expect(stack.node.findAll().filter((node) => node instanceof CfnEventSourceMapping)).toHaveLength(1);
      });
    expect(alias(59)).toEqual([expect.stringContaining('6 × 10 s + 0 s = 60 s')]);
    expect(alias(60)).toBeUndefined();
  });

  test('an event source of another queue is none of this one', () => {
    expect(
      refusalOf((stack) => {
        const { function: sendMail } = addExisting(stack);
        const other = new Queue(stack, 'Other', {
          visibilityTimeout: Duration.seconds(60),
          deadLetterQueue: { queue: new Queue(stack, 'DeadOther'), maxReceiveCount: 5 },
        });
        sendMail.addEventSource(new SqsEventSource(other));
        const claimsTable = new ClaimsTable(stack, 'Claims').table;
        new Consumer(stack, 'Work', { claimsTable, queue: other, function: sendMail });
      }),
    ).toEqual([expect.stringContaining('does not take partial responses')]);
  });
});
