import { Match, Template } from 'aws-cdk-lib/assertions';
import { User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, type ClaimsTableProps } from '../../lib/cdk/index.ts';
import { openClaimOf } from '../../lib/pawl/rules/open-claims.ts';
import { openIndex } from '../../lib/pawl/stores/dynamodb/open-index.ts';
import { record } from '../support/records.ts';
import { emptyStack, permissions } from './support.ts';

function synthesize(props: ClaimsTableProps = {}): Template {
  const stack = emptyStack();
  new ClaimsTable(stack, 'Claims', props).grantClaims(new User(stack, 'Worker'));
  return Template.fromStack(stack);
}

describe('the claims table', () => {
  const template = synthesize();

  test('is keyed by id alone, on demand, with claims that expire', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: Match.arrayWith([{ AttributeName: 'id', AttributeType: 'S' }]),
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });

  test('outlives its stack, cannot be deleted by accident, and can be restored to any second', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });

  test('belongs to one region: it is no global table, and nothing replicates it', () => {
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    template.resourceCountIs('Custom::DynamoDBReplica', 0);
  });

  test('is encrypted with a key that DynamoDB owns', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { SSEEnabled: false } });
  });

  test('grants exactly what the store calls, on this table only', () => {
    const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    expect(permissions(template)).toEqual([
      {
        actions: [
          'dynamodb:BatchGetItem',
          'dynamodb:PutItem',
          'dynamodb:PartiQLInsert',
          'dynamodb:PartiQLUpdate',
          'dynamodb:GetItem',
          'dynamodb:DescribeTable',
        ],
        resource: { 'Fn::GetAtt': [table, 'Arn'] },
      },
    ]);
  });
});

test('grantLocks grants exactly what locks call: nothing that deletes, scans or queries', () => {
  const stack = emptyStack();
  new ClaimsTable(stack, 'Claims').grantLocks(new User(stack, 'Worker'));
  const template = Template.fromStack(stack);
  const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
  expect(permissions(template)).toEqual([
    {
      actions: ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'],
      resource: { 'Fn::GetAtt': [table, 'Arn'] },
    },
  ]);
});

test('has an index of open claims, which holds no result and no checkpoint', () => {
  const { name, partitionKey, sortKey, projected } = openIndex;
  const [table] = Object.values(synthesize().findResources('AWS::DynamoDB::Table'));
  expect(table?.['Properties'].GlobalSecondaryIndexes).toEqual([
    {
      IndexName: name,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projected] },
    },
  ]);
  // With the keys, everything that an operator sees in a list, and nothing else.
  const shown = Object.keys(openClaimOf(record()));
  expect(['id', sortKey, ...projected].sort()).toEqual(shown.sort());
});

test('grantOperate grants what lists, reads and resolves claims, and nothing that makes, deletes or scans', () => {
  const stack = emptyStack();
  new ClaimsTable(stack, 'Claims').grantOperate(new User(stack, 'OnCall'));
  const template = Template.fromStack(stack);
  const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
  const arn = { 'Fn::GetAtt': [table, 'Arn'] };
  expect(permissions(template)).toEqual([
    { actions: ['dynamodb:Query'], resource: { 'Fn::Join': ['', [arn, '/index/open']] } },
    {
      actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PartiQLUpdate', 'dynamodb:DescribeTable'],
      resource: arn,
    },
  ]);
});

describe('its options', () => {
  test('deletionProtection: false lets the table be deleted', () => {
    synthesize({ deletionProtection: false }).hasResourceProperties('AWS::DynamoDB::Table', {
      DeletionProtectionEnabled: false,
    });
  });

  test.each(['grantClaims', 'grantLocks', 'grantOperate', 'grantRestore', 'grantActs'] as const)(
    'encryptionKey encrypts the table, and %s permits the use of the key',
    (grant) => {
      const stack = emptyStack();
      const claims = new ClaimsTable(stack, 'Claims', { encryptionKey: new Key(stack, 'Key') });
      claims[grant](new User(stack, 'Worker'));
      const template = Template.fromStack(stack);
      const [key = ''] = Object.keys(template.findResources('AWS::KMS::Key'));

      template.hasResourceProperties('AWS::DynamoDB::Table', {
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: { 'Fn::GetAtt': [key, 'Arn'] } },
      });
      expect(permissions(template)).toContainEqual({
        actions: [
          'kms:Decrypt',
          'kms:DescribeKey',
          'kms:Encrypt',
          'kms:GenerateDataKey',
          'kms:GenerateDataKeyWithoutPlaintext',
          'kms:ReEncryptFrom',
          'kms:ReEncryptTo',
        ],
        resource: { 'Fn::GetAtt': [key, 'Arn'] },
      });
    },
  );
});

test('its alarms go off at 10 throttled reads or writes within 5 minutes, and say what to do', () => {
  const template = synthesize();
  for (const MetricName of ['WriteThrottleEvents', 'ReadThrottleEvents']) {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/DynamoDB',
      MetricName,
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: 1,
      Threshold: 10,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmDescription: Match.stringLikeRegexp('^Shop/Claims: DynamoDB throttles .*What to do: '),
    });
  }
});

test('throttleThreshold reaches both alarms, and addAlarmAction too', () => {
  const stack = emptyStack();
  const claims = new ClaimsTable(stack, 'Claims', { throttleThreshold: 3 });
  claims.addAlarmAction({ bind: () => ({ alarmActionArn: 'arn:aws:sns:eu-west-1:123456789012:on-call' }) });
  Template.fromStack(stack).resourcePropertiesCountIs(
    'AWS::CloudWatch::Alarm',
    { Threshold: 3, AlarmActions: ['arn:aws:sns:eu-west-1:123456789012:on-call'] },
    2,
  );
});

test('its metrics are sums over this table', () => {
  const stack = emptyStack();
  const claims = new ClaimsTable(stack, 'Claims');
  const metrics = [
    claims.metricWriteThrottleEvents(),
    claims.metricReadThrottleEvents(),
    claims.metricConditionalCheckFailedRequests(),
  ];
  for (const [index, metric] of metrics.entries()) {
    metric.createAlarm(stack, `Alarm${index}`, { threshold: 1, evaluationPeriods: 1 });
  }
  const template = Template.fromStack(stack);
  for (const MetricName of ['WriteThrottleEvents', 'ReadThrottleEvents', 'ConditionalCheckFailedRequests']) {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName,
      Namespace: 'AWS/DynamoDB',
      Statistic: 'Sum',
      Dimensions: [{ Name: 'TableName', Value: Match.anyValue() }],
    });
  }
});
