import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { list, record, rehearsedAccount, rehearsedRegion, type Template, type TemplateResource } from './template.ts';

const template = '.template.json';
const stackType = 'aws:cloudformation:stack';

/** A synthesized CDK app. */
export interface Assembly {
  /** Where it is. The assets are in there, so it has to stay while functions may be loaded. */
  readonly folder: string;
  /** All stacks, those of stages and nested ones too. A nested stack comes after the stack that it is in. */
  readonly stacks: readonly Synthesized[];
  /** What the app wants to look up in an AWS account before it can synthesize completely: each by its provider. */
  readonly missing: readonly string[];
}

/** One stack of a synthesized CDK app, read back from its cloud assembly. */
export interface Synthesized {
  readonly stackName: string;
  /** What else it is called in the app: its id in the assembly, and its path. */
  readonly alsoCalled?: readonly string[];
  readonly template: Template;
  /** The folder or the zip file of a function's code, by the `S3Key` under which a deployment would upload it. */
  readonly assets: ReadonlyMap<string, string>;
  /** The stack that a nested stack is in, and the logical id that it has there. */
  readonly nestedIn?: { readonly stackName: string; readonly logicalId: string };
}

/**
 * Reads the stacks in a cloud assembly, and in the assemblies of its stages, sorted by their names.
 *
 * @throws Error if the folder holds no cloud assembly
 */
export async function readAssembly(folder: string): Promise<Assembly> {
  return readPart(folder, new Set());
}

/** @param taken the names of the stacks so far. Two regions may have a stack of the same name, and here they are in one place */
async function readPart(folder: string, taken: Set<string>): Promise<Assembly> {
  const manifest = await readManifest(folder);
  const stacks: Synthesized[] = [];
  const missing = list(manifest['missing']).map((one) => String(record(one)['provider']));
  for (const [id, artifact] of Object.entries(record(manifest['artifacts']))) {
    const { type, displayName, environment, properties, metadata } = record(artifact);
    if (type === 'cdk:cloud-assembly') {
      const stage = await readPart(join(folder, String(record(properties)['directoryName'])), taken);
      stacks.push(...stage.stacks);
      missing.push(...stage.missing);
    }
    if (type !== stackType) continue;
    const { templateFile, stackName } = record(properties);
    const named = typeof stackName === 'string' ? stackName : id;
    const name = taken.has(named) ? `${named}-${id}` : named;
    taken.add(name);
    const alsoCalled = [named, id, ...(typeof displayName === 'string' ? [displayName] : [])];
    const place: Place = { folder, environment: String(environment), stackName: name };
    const older = olderAssets(metadata);
    const assets = new Map([
      ...(await readAssets(folder, id)),
      ...older.map(({ key, path }) => [key, resolve(folder, path)] as const),
    ]);
    const [stack, ...nested] = await readStack(place, String(templateFile), { alsoCalled, assets });
    stacks.push({ ...stack, template: withDefaults(stack.template, older) }, ...nested);
  }
  return { folder, stacks: stacks.toSorted((a, b) => (a.stackName < b.stackName ? -1 : 1)), missing };
}

/** What the assembly says is in it. Without a manifest, each template is a stack. */
async function readManifest(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return record(JSON.parse(text));
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith(template) && !name.endsWith(`.nested${template}`))
    .map((name) => name.slice(0, -template.length));
  if (names.length === 0) throw new Error(`There is no cloud assembly in ${folder}. The CDK app has to make one.`);
  const stackNamed = (name: string) => ({ type: stackType, properties: { templateFile: name + template } });
  return { artifacts: Object.fromEntries(names.map((name) => [name, stackNamed(name)])) };
}

interface Place {
  readonly folder: string;
  readonly environment: string;
  readonly stackName: string;
}

type Rest = Omit<Synthesized, 'stackName' | 'template'>;

async function readStack(place: Place, file: string, rest: Rest): Promise<readonly [Synthesized, ...Synthesized[]]> {
  const { folder, environment, stackName } = place;
  const template: Template = JSON.parse(inOnePlace(await readFile(resolve(folder, file), 'utf8'), environment));
  const stack: Synthesized = { ...rest, stackName, template };
  const nested: Synthesized[] = [];
  for (const [logicalId, resource] of Object.entries(template.Resources ?? {})) {
    if (resource.Type !== 'AWS::CloudFormation::Stack') continue;
    const asset = nestedTemplate(resource, rest.assets);
    if (asset === undefined) continue;
    const path = resource.Metadata?.['aws:cdk:path'];
    const inner = `${stackName}-${logicalId}`;
    const within: Rest = {
      alsoCalled: typeof path === 'string' ? [path.replace(/\.NestedStack\/.*$/, '')] : [],
      assets: rest.assets,
      nestedIn: { stackName, logicalId },
    };
    nested.push(...(await readStack({ ...place, stackName: inner }, asset, within)));
  }
  return [stack, ...nested];
}

/** Where the template of a nested stack is: its address names the asset. */
function nestedTemplate({ Properties = {} }: TemplateResource, assets: Rest['assets']): string | undefined {
  const address = JSON.stringify(Properties['TemplateURL'] ?? '');
  return [...assets].find(([key]) => key !== '' && address.includes(key))?.[1];
}

/**
 * A rehearsal takes place in one account and one region. The CDK writes those of a stack that names its own into ARNs and addresses, and no
 * server here has them.
 *
 * Only there: in a name they are a part that the author chose, such as that of a stage `prod-eu-west-1`. Without it, two stages would become one.
 */
function inOnePlace(template: string, environment: string): string {
  const [account = '', region = ''] = environment.replace(/^aws:\/\//, '').split('/');
  // `arn:aws:sqs:eu-west-1:123456789012:name`, of which parts may be references; `https://sqs.eu-west-1.amazonaws.com/123456789012/name`.
  const ours = /^\d{12}$/.test(account)
    ? template.replaceAll(new RegExp(`(?<=:|amazonaws\\.com/)${account}(?=[:/])`, 'g'), rehearsedAccount)
    : template;
  return /^[a-z]{2}(-[a-z]+)+-\d$/.test(region)
    ? ours.replaceAll(
        new RegExp(`(?<=:)${region}(?=:)|(?<=\\.)${region}(?=\\.(?:amazonaws\\.com|"))`, 'g'),
        rehearsedRegion,
      )
    : ours;
}

async function readAssets(folder: string, id: string): Promise<ReadonlyMap<string, string>> {
  const assets = new Map<string, string>();
  const text = await readFile(join(folder, `${id}.assets.json`), 'utf8').catch(() => '{}');
  for (const file of Object.values(record(record(JSON.parse(text))['files']))) {
    const { source, destinations } = record(file);
    for (const destination of Object.values(record(destinations))) {
      // A path that is not relative: the app does not stage its assets.
      assets.set(String(record(destination)['objectKey']), resolve(folder, String(record(source)['path'])));
    }
  }
  return assets;
}

/** An asset as version 1 of the CDK hands it over: by parameters, which `cdk deploy` fills in. */
interface OlderAsset {
  readonly key: string;
  readonly path: string;
  readonly defaults: Readonly<Record<string, string>>;
}

function olderAssets(metadata: unknown): readonly OlderAsset[] {
  const entries = Object.values(record(metadata)).flatMap((all) => list(all).map(record));
  return entries.flatMap(({ type, data }) => {
    const { path, sourceHash, s3BucketParameter, s3KeyParameter, artifactHashParameter } = record(data);
    if (type !== 'aws:cdk:asset' || typeof s3KeyParameter !== 'string') return [];
    const key = String(sourceHash);
    // The template takes the key apart at `||`, into a prefix and the rest.
    const defaults = {
      [s3KeyParameter]: `||${key}`,
      [String(s3BucketParameter)]: 'assets',
      [String(artifactHashParameter)]: key,
    };
    return [{ key, path: String(path), defaults }];
  });
}

function withDefaults(template: Template, older: readonly OlderAsset[]): Template {
  if (older.length === 0) return template;
  const values = older.flatMap(({ defaults }) => Object.entries(defaults));
  const filled = values.map(([name, Default]) => [name, { ...template.Parameters?.[name], Default }]);
  return { ...template, Parameters: { ...template.Parameters, ...Object.fromEntries(filled) } };
}
