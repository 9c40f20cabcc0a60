import { parse as parseHcl } from '@cdktf/hcl2json';
import { parse as parseYaml } from 'yaml';
import type { ConsumerFacts, QueueFacts } from '../../../../lib/pawl/deployment/doctor/facts.ts';
import { deadLetterActions, queueActions, tableActions } from '../../../../lib/pawl/deployment/needs.ts';
import { decideAccess } from '../../../../lib/pawl/deployment/policy.ts';
import type { Format } from '../../../../lib/pawl/deployment/template/print.ts';
import type { OpenIndex } from '../../../../lib/pawl/deployment/wiring-table.ts';
import { list, record } from '../../../../lib/rehearsal/engine/app/template.ts';

/*
 * Reads a printed template as an account would show it once it is deployed, for the checks of `pawl doctor`. Each format is first brought to the names
 * of CloudFormation. A reference to a resource becomes the text `arn:…:<its name in the template>`, whether it is an ARN, a URL or a name.
 */

type Part = Readonly<Record<string, unknown>>;

/** What matters of a template, with the names of CloudFormation's properties. */
interface Parts {
  readonly table: Part;
  readonly queue: Part;
  readonly deadLetterQueue: Part;
  readonly function: Part;
  readonly source: Part;
  readonly statements: readonly Part[];
}

const arnOf = (name: string) => `arn:aws:any:eu-west-1:123456789012:${name}`;

/** @param locks whether the handler locks, which needs permissions of its own */
export async function factsIn(format: Format, template: string, locks = false): Promise<ConsumerFacts> {
  const parts = await readers[format](template);
  const { queue, source, table } = parts;
  const redrive = record(queue['RedrivePolicy']);
  const variables = record(record(parts.function['Environment'])['Variables']);
  const arns = { queue: String(source['EventSourceArn']), deadLetterQueue: String(redrive['deadLetterTargetArn']) };
  const needs = [
    { on: 'the claims table', actions: tableActions({ locks }), arn: String(variables['CLAIMS_TABLE']) },
    {
      on: 'the claims table',
      actions: tableActions({ individualStore: true }),
      arn: String(variables['CLAIMS_TABLE']),
    },
    { on: 'the queue', actions: queueActions, arn: arns.queue },
    { on: 'the dead-letter queue', actions: deadLetterActions, arn: arns.deadLetterQueue },
  ];
  const policies = { ofRole: parts.statements, ofResource: [], boundary: undefined, roleArn: undefined };
  return {
    functionName: 'f',
    timeoutSeconds: Number(parts.function['Timeout']),
    runtime: String(parts.function['Runtime']),
    managedInstances: false,
    reservedConcurrency: 'none',
    source: {
      enabled: true,
      batchSize: Number(source['BatchSize']),
      maxBatchingWindowSeconds: Number(source['MaximumBatchingWindowInSeconds'] ?? 0),
      reportsBatchItemFailures: list(source['FunctionResponseTypes'] ?? []).includes('ReportBatchItemFailures'),
      filters: 0,
      maxConcurrency: undefined,
      provisionedPollers: undefined,
    },
    sources: ['1'],
    otherFunctions: [],
    maxConcurrencyOfAll: undefined,
    queue: queueIn(queue, arns.queue),
    deadLetterQueue: queueIn(parts.deadLetterQueue, arns.deadLetterQueue),
    namedDeadLetterQueue: String(variables['DEAD_LETTER_QUEUE_URL']),
    table: {
      name: 'claims',
      arn: String(variables['CLAIMS_TABLE']),
      key: keyIn(table),
      mark: undefined,
      openIndex: openIndexIn(table),
      replicas: [],
      replication: 'eventual',
      ttl: { kind: 'on', attribute: String(record(table['TimeToLiveSpecification'])['AttributeName']) },
      isKept: table['DeletionProtectionEnabled'] === true,
      pointInTimeRecovery: record(table['PointInTimeRecoverySpecification'])['PointInTimeRecoveryEnabled'] === true,
    },
    permissions: needs.flatMap(({ on, actions, arn }) =>
      actions.map((action) => ({ on, action, decision: decideAccess(policies, action, arn) })),
    ),
  };
}

function openIndexIn(table: Part): OpenIndex {
  const [index, ...others] = list(table['GlobalSecondaryIndexes'] ?? []).map(record);
  if (index === undefined || others.length > 0 || index['IndexName'] !== 'open') return { kind: 'missing' };
  const key = keyIn({ ...table, KeySchema: index['KeySchema'] });
  return { kind: 'there', key, projected: list(record(index['Projection'])['NonKeyAttributes']).map(String) };
}

function queueIn(properties: Part, arn: string): QueueFacts {
  const redrive = properties['RedrivePolicy'] === undefined ? undefined : record(properties['RedrivePolicy']);
  return {
    name: arn.split(':').at(-1) ?? '',
    arn,
    fifo: properties['FifoQueue'] === true,
    visibilityTimeoutSeconds: Number(properties['VisibilityTimeout'] ?? 30),
    retentionSeconds: Number(properties['MessageRetentionPeriod']),
    maxReceiveCount: redrive === undefined ? 'none' : Number(redrive['maxReceiveCount']),
    redriveArn: redrive === undefined ? undefined : String(redrive['deadLetterTargetArn']),
    redriveAllowedFor: undefined,
  };
}

function keyIn({ KeySchema, AttributeDefinitions }: Part): readonly string[] {
  return list(KeySchema).map((one) => {
    const { AttributeName, KeyType } = record(one);
    const found = list(AttributeDefinitions)
      .map(record)
      .find((definition) => definition['AttributeName'] === AttributeName);
    return `${AttributeName} (${KeyType}, ${found?.['AttributeType']})`;
  });
}

const readers: Readonly<Record<Format, (template: string) => Promise<Parts> | Parts>> = {
  cloudformation: (template) => {
    const { of, statements } = resourcesIn(yamlIn(template));
    return { ...shared(of), function: of('Function'), source: of('EventSource'), statements };
  },
  sam: (template) => {
    const { of, statements } = resourcesIn(yamlIn(template));
    const polling = record(record(record(of('Function')['Events'])['Queue'])['Properties']);
    return {
      ...shared(of),
      function: of('Function'),
      source: { ...polling, EventSourceArn: polling['Queue'] },
      statements,
    };
  },
  serverless: (template) => {
    const document = yamlIn(template);
    const { of } = resourcesIn(record(document['resources']));
    const provider = record(document['provider']);
    const aFunction = record(Object.values(record(document['functions']))[0]);
    const polling = record(record(list(aFunction['events'])[0])['sqs']);
    return {
      ...shared(of),
      function: {
        Timeout: aFunction['timeout'],
        Runtime: provider['runtime'],
        Environment: { Variables: aFunction['environment'] },
      },
      source: {
        EventSourceArn: polling['arn'],
        BatchSize: polling['batchSize'],
        MaximumBatchingWindowInSeconds: polling['maximumBatchingWindow'],
        FunctionResponseTypes: [polling['functionResponseType']],
      },
      statements: list(record(record(provider['iam'])['role'])['statements']).map(record),
    };
  },
  terraform: readTerraform,
};

/** A document whose short forms, such as `!GetAtt Queue.Arn`, are the resources that they refer to. */
function yamlIn(template: string): Part {
  const reference = (tag: string) => ({ tag, resolve: (text: string) => arnOf(text.replace(/\.Arn$/, '')) });
  return record(parseYaml(template, { customTags: [reference('!Ref'), reference('!GetAtt'), reference('!Sub')] }));
}

function resourcesIn(document: Part) {
  const resources = Object.entries(record(document['Resources'])).map(([id, one]) => [id, record(one)] as const);
  const of = (ending: string) => {
    const found = resources.find(([id]) => id.endsWith(ending) && !id.endsWith(`DeadLetter${ending}`));
    return record(found?.[1]['Properties'] ?? {});
  };
  const role = of('Role')['Policies'];
  const documents = role === undefined ? [] : list(role).map((one) => record(record(one)['PolicyDocument']));
  return { of, statements: documents.flatMap((one) => list(one['Statement']).map(record)) };
}

function shared(of: (ending: string) => Part): Pick<Parts, 'table' | 'queue' | 'deadLetterQueue'> {
  return { table: of('ClaimsTable'), queue: of('Queue'), deadLetterQueue: of('DeadLetterQueue') };
}

async function readTerraform(template: string): Promise<Parts> {
  const { resource } = await hclIn(template);
  const one = (type: string, isWanted = (_name: string) => true): Part => {
    const found = Object.entries(record(record(resource)[type])).find(([name]) => isWanted(name));
    return record(list(found?.[1])[0]);
  };
  const isDeadLetters = (name: string) => name.endsWith('_dead_letters');
  const [table, aFunction, source] = [
    one('aws_dynamodb_table'),
    one('aws_lambda_function'),
    one('aws_lambda_event_source_mapping'),
  ];
  const queue = one('aws_sqs_queue', (name) => !isDeadLetters(name));
  const policy = await encodedIn(one('aws_iam_role_policy')['policy']);
  return {
    table: {
      KeySchema: [{ AttributeName: table['hash_key'], KeyType: 'HASH' }],
      AttributeDefinitions: list(table['attribute'])
        .map(record)
        .map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
      GlobalSecondaryIndexes: list(table['global_secondary_index'])
        .map(record)
        .map(({ name, hash_key, range_key, non_key_attributes }) => ({
          IndexName: name,
          KeySchema: [
            { AttributeName: hash_key, KeyType: 'HASH' },
            { AttributeName: range_key, KeyType: 'RANGE' },
          ],
          Projection: { NonKeyAttributes: non_key_attributes },
        })),
      TimeToLiveSpecification: { AttributeName: first(table['ttl'])['attribute_name'] },
      DeletionProtectionEnabled: table['deletion_protection_enabled'],
      PointInTimeRecoverySpecification: {
        PointInTimeRecoveryEnabled: first(table['point_in_time_recovery'])['enabled'],
      },
    },
    queue: { ...queueOf(queue), RedrivePolicy: referring(await encodedIn(queue['redrive_policy'])) },
    deadLetterQueue: queueOf(one('aws_sqs_queue', isDeadLetters)),
    function: {
      Timeout: aFunction['timeout'],
      Runtime: aFunction['runtime'],
      Environment: { Variables: referring(first(aFunction['environment'])['variables']) },
    },
    source: {
      EventSourceArn: referring(source['event_source_arn']),
      BatchSize: source['batch_size'],
      MaximumBatchingWindowInSeconds: source['maximum_batching_window_in_seconds'],
      FunctionResponseTypes: source['function_response_types'],
    },
    statements: list(record(referring(policy))['Statement']).map(record),
  };
}

const first = (blocks: unknown) => record(list(blocks)[0]);

function queueOf(resource: Part): Part {
  return {
    FifoQueue: resource['fifo_queue'],
    VisibilityTimeout: resource['visibility_timeout_seconds'],
    MessageRetentionPeriod: resource['message_retention_seconds'],
  };
}

async function hclIn(text: string): Promise<Part> {
  return record(await parseHcl('printed.tf', text));
}

/** The argument of `jsonencode`, which the parser leaves as text. */
async function encodedIn(expression: unknown): Promise<unknown> {
  const inner = /^\$\{jsonencode\((.*)\)\}$/s.exec(String(expression))?.[1];
  return (await hclIn(`value = ${inner}`))['value'];
}

/** The same value with its references, such as `${aws_sqs_queue.orders.arn}`, as ARNs. */
function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, referring(one)]));
  }
  const found = /^\$\{([\w.]+)\.\w+\}$/.exec(String(value));
  return found?.[1] === undefined ? value : arnOf(found[1]);
}
