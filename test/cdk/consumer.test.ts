import { Duration, Lazy } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, LayerVersion, Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { addConsumer, addExisting, consumerTemplate, emptyStack, permissions } from './support.ts';

/** The logical ids of the only consumer's resources. */
function ids(template: Template) {
  const find = (type: string, name: string) =>
    Object.keys(template.findResources(type)).find((id) => id.startsWith(name)) ?? `no ${type} called ${name}`;
  return {
    queue: find('AWS::SQS::Queue', 'WorkQueue'),
    deadLetterQueue: find('AWS::SQS::Queue', 'WorkDeadLetterQueue'),
    function: find('AWS::Lambda::Function', 'WorkFunction'),
    logs: find('AWS::Logs::LogGroup', 'WorkLogs'),
    table: find('AWS::DynamoDB::Table', 'Claims'),
  };
}

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

describe('a consumer', () => {
  const template = consumerTemplate();
  const id = ids(template);

  test('gives SQS 6 × the function timeout before a message comes back, and the dead-letter queue after 5 receives', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 180,
      MessageRetentionPeriod: 345_600,
      RedrivePolicy: { maxReceiveCount: 5, deadLetterTargetArn: arnOf(id.deadLetterQueue) },
    });
  });

  test('keeps dead letters for 14 days', () => {
    expect(template.findResources('AWS::SQS::Queue')[id.deadLetterQueue]?.['Properties']).toEqual({
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
  });

  test.each(['queue', 'deadLetterQueue'] as const)(
    'encrypts the %s, refuses plain HTTP, and makes it standard',
    (name) => {
      const properties = template.findResources('AWS::SQS::Queue')[id[name]]?.['Properties'];
      expect(properties).toMatchObject({ SqsManagedSseEnabled: true });
      expect(properties).not.toHaveProperty('FifoQueue');
      template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: id[name] }],
        PolicyDocument: {
          Statement: [
            Match.objectLike({
              Effect: 'Deny',
              Action: 'sqs:*',
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            }),
          ],
        },
      });
    },
  );

  test('runs on Node 24, arm64, with 512 MB, 30 seconds, and what pawl needs in its environment', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 512,
      Timeout: 30,
      Environment: {
        Variables: {
          NODE_OPTIONS: '--enable-source-maps',
          CLAIMS_TABLE: { Ref: id.table },
          DEAD_LETTER_QUEUE_URL: { Ref: id.deadLetterQueue },
        },
      },
    });
  });

  test('receives 10 messages at once, without waiting, and may report some of them as failed', () => {
    const [mapping] = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
    expect(mapping?.['Properties']).toEqual({
      BatchSize: 10,
      EventSourceArn: arnOf(id.queue),
      FunctionName: { Ref: id.function },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('logs to its own group, for a month', () => {
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    template.hasResourceProperties('AWS::Lambda::Function', { LoggingConfig: { LogGroup: { Ref: id.logs } } });
  });

  test('may log, claim, consume its queue and send to its dead-letter queue, and nothing else', () => {
    expect(permissions(template)).toEqual([
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resource: arnOf(id.logs) },
      {
        actions: expect.arrayContaining(['dynamodb:PartiQLInsert', 'dynamodb:BatchGetItem']),
        resource: arnOf(id.table),
      },
      { actions: ['sqs:SendMessage'], resource: arnOf(id.deadLetterQueue) },
      {
        actions: expect.arrayContaining(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility']),
        resource: arnOf(id.queue),
      },
    ]);
    for (const role of Object.values(template.findResources('AWS::IAM::Role'))) {
      expect(role['Properties']).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  test('is not traced, and has no layers', () => {
    const [properties] = Object.values(template.findResources('AWS::Lambda::Function')).map((one) => one['Properties']);
    expect(properties).not.toHaveProperty('TracingConfig');
    expect(properties).not.toHaveProperty('Layers');
  });

  test('raises an alarm for the first message that is visible in the dead-letter queue, and says what to do', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [id.deadLetterQueue, 'QueueName'] } }],
      Statistic: 'Maximum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmDescription: Match.stringLikeRegexp('^Shop/Work: .*received 5 times.*What to do: .*redrive'),
    });
  });
});

describe('its options', () => {
  test('timeout and maxBatchingWindow decide the visibility timeout', () => {
    const options = { timeout: Duration.minutes(2), maxBatchingWindow: Duration.seconds(20), batchSize: 100 };
    const template = consumerTemplate(options);
    template.hasResourceProperties('AWS::SQS::Queue', { VisibilityTimeout: 740 });
    template.hasResourceProperties('AWS::Lambda::Function', { Timeout: 120 });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 20,
    });
  });

  test('visibilityTimeout, retentionPeriod and maxReceiveCount reach the queue', () => {
    consumerTemplate({
      visibilityTimeout: Duration.minutes(5),
      retentionPeriod: Duration.days(1),
      maxReceiveCount: 9,
    }).hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 300,
      MessageRetentionPeriod: 86_400,
      RedrivePolicy: { maxReceiveCount: 9 },
    });
  });

  test('handler, memorySize, architecture, environment and logRetention reach the function', () => {
    const template = consumerTemplate({
      handler: 'work',
      memorySize: 1024,
      architecture: Architecture.X86_64,
      environment: { SHOP: 'books' },
      logRetention: RetentionDays.ONE_WEEK,
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'index.work',
      MemorySize: 1024,
      Architectures: ['x86_64'],
      Environment: { Variables: { SHOP: 'books', CLAIMS_TABLE: Match.anyValue() } },
    });
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  });

  test('tracing lets the function write traces, and layers are added to it', () => {
    const stack = emptyStack();
    const collector = LayerVersion.fromLayerVersionArn(
      stack,
      'Collector',
      'arn:aws:lambda:eu-west-1:123456789012:layer:otel:1',
    );
    addConsumer(stack, {
      tracing: Tracing.ACTIVE,
      layers: [collector],
      environment: { AWS_LAMBDA_EXEC_WRAPPER: '/opt/otel-handler' },
    });
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      TracingConfig: { Mode: 'Active' },
      Layers: ['arn:aws:lambda:eu-west-1:123456789012:layer:otel:1'],
      Environment: { Variables: { AWS_LAMBDA_EXEC_WRAPPER: '/opt/otel-handler' } },
    });
    expect(permissions(template)).toContainEqual({
      actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
      resource: '*',
    });
  });

  test('provisioned pollers reach the event source, in place of maxConcurrency', () => {
    const provisionedPollerConfig = { minimumPollers: 5 };
    consumerTemplate({ provisionedPollerConfig }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      ProvisionedPollerConfig: { MinimumPollers: 5, MaximumPollers: 200 },
      ScalingConfig: Match.absent(),
    });
  });

  test('maxConcurrency reaches the event source', () => {
    consumerTemplate({ maxConcurrency: 4 }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      ScalingConfig: { MaximumConcurrency: 4 },
    });
  });

  test('fifo makes both queues FIFO, as SQS demands', () => {
    const template = consumerTemplate({ fifo: true });
    template.resourcePropertiesCountIs('AWS::SQS::Queue', { FifoQueue: true }, 2);
  });

  test('encryptionKey encrypts both queues, and the function may use it for both', () => {
    const stack = emptyStack();
    addConsumer(stack, { encryptionKey: new Key(stack, 'Key') });
    const template = Template.fromStack(stack);
    const [key = ''] = Object.keys(template.findResources('AWS::KMS::Key'));
    template.resourcePropertiesCountIs('AWS::SQS::Queue', { KmsMasterKeyId: arnOf(key) }, 2);
    expect(permissions(template)).toContainEqual({
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resource: arnOf(key),
    });
  });
});

test('grantSendMessages permits sending to the queue only', () => {
  const stack = emptyStack();
  const consumer = addConsumer(stack);
  const producer = new User(stack, 'Producer');
  consumer.grantSendMessages(producer);
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        Match.objectLike({
          Action: Match.arrayWith(['sqs:SendMessage']),
          Resource: arnOf(ids(template).queue),
        }),
      ],
    },
    Users: [Match.anyValue()],
  });
});

test('metricApproximateAgeOfOldestMessage looks at the queue, not at the dead-letter queue', () => {
  const stack = emptyStack();
  const consumer = addConsumer(stack);
  consumer.metricApproximateAgeOfOldestMessage().createAlarm(stack, 'Age', { threshold: 600, evaluationPeriods: 5 });
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [ids(template).queue, 'QueueName'] } }],
  });
});

test('looks at a function that exists without asking early for what its author says last', () => {
  const stack = emptyStack();
  const topics = ['one'];
  // CDK keeps what this answers first.
  const description = Lazy.string({ produce: () => `reads ${topics.join(', ')}` });
  const { queue, function: sendMail } = addExisting(stack, { function: { description } });
  addConsumer(stack, { queue, function: sendMail });
  topics.push('two');
  Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', { Description: 'reads one, two' });
});
