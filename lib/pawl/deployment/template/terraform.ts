import { consumerDefaults } from '../consumer-defaults.ts';
import { claimsTableDefinition, keyAttributes, type TableIndex } from '../table-definition.ts';
import { attribute, block, Expression, type HclEntry, hclText, jsonencode, quoted, valueText } from './hcl.ts';
import { type Note, rules, type Template, text } from './notes.ts';
import { encryption, handlerReads, permissionNotes, tablePurpose } from './resources.ts';
import type { Settings } from './settings.ts';
import { logActions, neededStatements, rulesOf } from './statements.ts';

/** A consumer for Terraform's AWS provider. */
export function terraformTemplate(settings: Settings): Template {
  const text = hclText([
    block('terraform', [
      block('required_providers', [attribute('aws', `{\n  source  = "hashicorp/aws"\n  version = ">= 6.20"\n}`)]),
    ]),
    block(`variable ${quoted(`${labelOf(settings)}_package`)}`, [
      attribute('type', 'string'),
      attribute('description', quoted('The path of the zip file with the handler, index.mjs or index.js at its top')),
    ]),
    table(settings),
    ...queues(settings),
    ...role(settings),
    ...theFunction(settings),
    source(settings),
    output(settings, 'queue_url', `aws_sqs_queue.${labelOf(settings)}.url`),
    output(settings, 'function_name', `aws_lambda_function.${labelOf(settings)}.function_name`),
  ]);
  return { kind: 'text', text };
}

/** What Terraform calls the resources of this consumer. */
function labelOf({ name }: Settings): string {
  return name.replaceAll('-', '_');
}

function tableReference({ claimsTable }: Settings): string {
  return `${claimsTable === undefined ? '' : 'data.'}aws_dynamodb_table.claims`;
}

function table({ claimsTable }: Settings): HclEntry {
  if (claimsTable !== undefined) {
    return block('data "aws_dynamodb_table" "claims"', [attribute('name', quoted(claimsTable))]);
  }
  const { key, timeToLiveAttribute, indexes } = claimsTableDefinition;
  const notes = [text(tablePurpose), ...rules(...rulesOf.table)];
  return block(
    'resource "aws_dynamodb_table" "claims"',
    [
      attribute('name', quoted('claims')),
      attribute('billing_mode', quoted('PAY_PER_REQUEST')),
      attribute('hash_key', quoted(key.name), rules(...rulesOf.tableKey)),
      attribute('deletion_protection_enabled', true, rules(...rulesOf.deletion)),
      ...keyAttributes(claimsTableDefinition).map(({ name, type }) =>
        block('attribute', [attribute('name', quoted(name)), attribute('type', quoted(type))]),
      ),
      ...indexes.map(indexBlock),
      block(
        'ttl',
        [attribute('attribute_name', quoted(timeToLiveAttribute)), attribute('enabled', true)],
        rules(...rulesOf.timeToLive),
      ),
      block('point_in_time_recovery', [attribute('enabled', true)], rules(...rulesOf.recovery)),
      block('server_side_encryption', [attribute('enabled', false)], [text(encryption)]),
      block('lifecycle', [attribute('prevent_destroy', true)]),
    ],
    notes,
  );
}

function indexBlock({ name, partitionKey, sortKey, projection }: TableIndex): HclEntry {
  return block('global_secondary_index', [
    attribute('name', quoted(name)),
    attribute('hash_key', quoted(partitionKey.name)),
    ...(sortKey === undefined ? [] : [attribute('range_key', quoted(sortKey.name))]),
    ...(typeof projection === 'string'
      ? [attribute('projection_type', quoted(projection))]
      : [attribute('projection_type', quoted('INCLUDE')), attribute('non_key_attributes', listOf(projection))]),
  ]);
}

function listOf(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(', ')}]`;
}

function queues(settings: Settings): readonly HclEntry[] {
  const label = labelOf(settings);
  const suffix = settings.fifo ? '.fifo' : '';
  const kind = settings.fifo ? [attribute('fifo_queue', true)] : [];
  const encrypted = attribute('sqs_managed_sse_enabled', true);
  return [
    block(`resource "aws_sqs_queue" ${quoted(`${label}_dead_letters`)}`, [
      attribute('name', quoted(`${settings.name}-dead-letters${suffix}`)),
      ...kind,
      encrypted,
      attribute(
        'message_retention_seconds',
        settings.deadLetterRetentionSeconds,
        rules(...rulesOf.deadLetterRetention),
      ),
    ]),
    block(`resource "aws_sqs_queue" ${quoted(label)}`, [
      attribute('name', quoted(`${settings.name}${suffix}`)),
      ...kind,
      encrypted,
      attribute('visibility_timeout_seconds', settings.visibilityTimeoutSeconds, rules(...rulesOf.visibility)),
      attribute('message_retention_seconds', settings.retentionSeconds, rules(...rulesOf.retention)),
      attribute(
        'redrive_policy',
        jsonencode({
          deadLetterTargetArn: new Expression(`aws_sqs_queue.${label}_dead_letters.arn`),
          maxReceiveCount: settings.maxReceiveCount,
        }),
        rules(...rulesOf.redrive, ...rulesOf.receives),
      ),
    ]),
    tlsOnly(label),
    tlsOnly(`${label}_dead_letters`),
  ];
}

function tlsOnly(label: string): HclEntry {
  const statement = {
    Effect: 'Deny',
    Principal: { AWS: '*' },
    Action: 'sqs:*',
    Resource: new Expression(`aws_sqs_queue.${label}.arn`),
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
  return block(`resource "aws_sqs_queue_policy" ${quoted(label)}`, [
    attribute('queue_url', `aws_sqs_queue.${label}.url`),
    attribute('policy', jsonencode({ Version: '2012-10-17', Statement: [statement] })),
  ]);
}

function role(settings: Settings): readonly HclEntry[] {
  const label = labelOf(settings);
  const arns = {
    table: `${tableReference(settings)}.arn`,
    queue: `aws_sqs_queue.${label}.arn`,
    deadLetterQueue: `aws_sqs_queue.${label}_dead_letters.arn`,
  };
  const allow = (sid: string, actions: readonly string[], resource: string) => ({
    Sid: sid,
    Effect: 'Allow',
    Action: actions,
    Resource: new Expression(resource),
  });
  const statements = [
    ...neededStatements(settings).map(({ sid, actions, on }) =>
      allow(sid, actions, typeof on === 'string' ? arns[on] : quoted(on.arn)),
    ),
    allow('Logs', logActions, `"\${aws_cloudwatch_log_group.${label}.arn}:*"`),
  ];
  const assume = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
  };
  return [
    block(`resource "aws_cloudwatch_log_group" ${quoted(label)}`, [
      attribute('name', quoted(`/aws/lambda/${settings.name}`)),
      attribute('retention_in_days', consumerDefaults.logRetentionDays),
    ]),
    block(`resource "aws_iam_role" ${quoted(label)}`, [
      attribute('name', quoted(`${settings.name}-consumer`)),
      attribute('assume_role_policy', jsonencode(assume)),
    ]),
    block(`resource "aws_iam_role_policy" ${quoted(label)}`, [
      attribute('name', quoted('pawl')),
      attribute('role', `aws_iam_role.${label}.id`),
      attribute('policy', jsonencode({ Version: '2012-10-17', Statement: statements }), permissionNotes),
    ]),
  ];
}

function theFunction(settings: Settings): readonly HclEntry[] {
  const label = labelOf(settings);
  const variables = {
    NODE_OPTIONS: '--enable-source-maps',
    CLAIMS_TABLE: new Expression(`${tableReference(settings)}.name`),
    DEAD_LETTER_QUEUE_URL: new Expression(`aws_sqs_queue.${label}_dead_letters.url`),
    ...(settings.workflow === undefined ? {} : { WORKFLOW_ARN: settings.workflow }),
  };
  return [
    block(`resource "aws_lambda_function" ${quoted(label)}`, [
      attribute('function_name', quoted(settings.name)),
      attribute('role', `aws_iam_role.${label}.arn`),
      attribute('filename', `var.${label}_package`),
      attribute('source_code_hash', `filebase64sha256(var.${label}_package)`),
      attribute('handler', quoted('index.handler')),
      attribute('architectures', listOf([consumerDefaults.architecture])),
      attribute('memory_size', consumerDefaults.memoryMb),
      attribute('runtime', quoted(consumerDefaults.runtime), rules(...rulesOf.runtime)),
      attribute('timeout', settings.timeoutSeconds, rules(...rulesOf.timeout)),
      block('logging_config', [
        attribute('log_format', quoted('Text')),
        attribute('log_group', `aws_cloudwatch_log_group.${label}.name`),
      ]),
      block('environment', [attribute('variables', valueText(variables))], [text(handlerReads)]),
    ]),
  ];
}

function source(settings: Settings): HclEntry {
  const label = labelOf(settings);
  const { batchSize, maxBatchingWindowSeconds, maxConcurrency } = settings;
  const notes: readonly Note[] = rules(...rulesOf.source);
  return block(
    `resource "aws_lambda_event_source_mapping" ${quoted(label)}`,
    [
      attribute('event_source_arn', `aws_sqs_queue.${label}.arn`),
      attribute('function_name', `aws_lambda_function.${label}.arn`),
      attribute('batch_size', batchSize, rules(...rulesOf.batch)),
      ...(maxBatchingWindowSeconds === 0
        ? []
        : [attribute('maximum_batching_window_in_seconds', maxBatchingWindowSeconds)]),
      attribute('function_response_types', listOf(['ReportBatchItemFailures']), rules(...rulesOf.partialResponses)),
      ...(maxConcurrency === undefined
        ? []
        : [
            block(
              'scaling_config',
              [attribute('maximum_concurrency', maxConcurrency)],
              rules(...rulesOf.maxConcurrency),
            ),
          ]),
      attribute('depends_on', `[aws_iam_role_policy.${label}]`, [
        text('Lambda checks the permissions on the queue when the event source is made.'),
      ]),
    ],
    notes,
  );
}

function output(settings: Settings, name: string, value: string): HclEntry {
  return block(`output ${quoted(`${labelOf(settings)}_${name}`)}`, [attribute('value', value)]);
}
