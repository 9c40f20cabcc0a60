import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from '@cdktf/hcl2json';
import { type Run, root, run } from './tools.ts';

/*
 * Parses a template with HashiCorp's own parser, and holds its resources against the schema of the AWS provider: names, types and what is required.
 * The schema comes as TypeScript's types, so TypeScript is who compares. `terraform validate` would need the provider itself, which no registry of
 * packages has.
 */

/** The types of each resource, by its folder among the provider's. */
const configOf: Readonly<Record<string, readonly [folder: string, type: string]>> = {
  aws_dynamodb_table: ['dynamodb-table', 'DynamodbTableConfig'],
  aws_sqs_queue: ['sqs-queue', 'SqsQueueConfig'],
  aws_sqs_queue_policy: ['sqs-queue-policy', 'SqsQueuePolicyConfig'],
  aws_cloudwatch_log_group: ['cloudwatch-log-group', 'CloudwatchLogGroupConfig'],
  aws_iam_role: ['iam-role', 'IamRoleConfig'],
  aws_iam_role_policy: ['iam-role-policy', 'IamRolePolicyConfig'],
  aws_lambda_function: ['lambda-function', 'LambdaFunctionConfig'],
  aws_lambda_event_source_mapping: ['lambda-event-source-mapping', 'LambdaEventSourceMappingConfig'],
};
const dataConfigOf: typeof configOf = {
  aws_dynamodb_table: ['data-aws-dynamodb-table', 'DataAwsDynamodbTableConfig'],
};

export const providerFolders = [...Object.values(configOf), ...Object.values(dataConfigOf)].map(([folder]) => folder);

/** The blocks that a resource may have several of: the schema has them as lists. */
const repeated = ['attribute', 'global_secondary_index'];
/** Maps whose keys are the author's. */
const free = ['variables'];

/** What the provider's types take from the library that they were made for. */
const cdktf = `
export interface IResolvable { readonly isResolvable: unique symbol }
export interface TerraformMetaArguments {
  readonly dependsOn?: readonly string[];
  readonly lifecycle?: { readonly preventDestroy?: boolean };
}
`;

export async function checkTerraform(types: string, folder: string, template: string): Promise<Run> {
  const path = join(folder, 'main.tf');
  await writeFile(path, template);
  const { resource = {}, data = {} } = await parse('main.tf', template);
  const source = [...declarations(resource, configOf, types), ...declarations(data, dataConfigOf, types)];
  await writeFile(join(folder, 'main.ts'), `${source.join('\n')}\n`);
  await writeFile(join(folder, 'cdktf.d.ts'), cdktf);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    paths: { cdktf: ['./cdktf.d.ts'], constructs: [join(root, 'node_modules', 'constructs')] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  const compared = await run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc')], folder);
  return compared.code === 0 ? formatted(folder) : compared;
}

type Resources = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

function declarations(resources: Resources, configs: typeof configOf, types: string): readonly string[] {
  return Object.entries(resources).flatMap(([type, named]) => {
    const [folder, config] = configs[type] ?? [];
    if (folder === undefined) throw new Error(`checks/printed/terraform.ts has no schema for ${type}.`);
    return Object.entries(named).map(([name, blocks]) => {
      const value = JSON.stringify(inCamelCase(blocks[0]), undefined, 2);
      return `({ ${JSON.stringify(name)}: ${value} }) satisfies Record<string, import(${JSON.stringify(join(types, folder))}).${config}>;`;
    });
  });
}

/** The schema's names, as the types have them. The parser gives every block as a list. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      if (free.includes(name)) return [camel, one];
      const isBlock = Array.isArray(one) && one.length === 1 && typeof one[0] === 'object';
      return [camel, inCamelCase(isBlock && !repeated.includes(name) ? one[0] : one)];
    }),
  );
}

/** Whether the file is as `terraform fmt` would write it, where Terraform is at hand. */
async function formatted(folder: string): Promise<Run> {
  const version = await run('terraform', ['version'], folder);
  if (version.code !== 0) return { code: 0, output: 'terraform is not at hand: its format was not checked' };
  return run('terraform', ['fmt', '-check', '-diff', 'main.tf'], folder);
}
