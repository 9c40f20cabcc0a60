import type { Resource } from '../app/read-app.ts';
import { type FunctionRead, list, ofType, placeOf, properties, property, type Reading } from '../app/reading.ts';
import { optionalNumber, optionalText, record } from '../app/template.ts';
import type { AsynchronousInvocation, FunctionCode, ProvisionedFunction } from '../provisioned.ts';
import { stubInvoke } from './stub.ts';

/** Reads all functions of the app into `reading.functions`. @param hosts what stands for an address in the template, and the address */
export function readFunctions(reading: Reading, hosts: ReadonlyMap<string, string>): void {
  const ofTheCdk = serviceTokens(reading);
  for (const resource of ofType(reading, 'AWS::Lambda::Function')) {
    const arn = resource.names.attributes['Arn'] ?? '';
    const read = ofTheCdk.has(arn)
      ? notRun('It serves a custom resource, and a rehearsal runs none.')
      : readFunction(reading, resource, hosts);
    if (read.kind === 'not-run') list(reading, resource, read.why);
    reading.functions.set(arn, read);
  }
}

function notRun(why: string): FunctionRead {
  return { kind: 'not-run', why };
}

/** The ARNs of the functions that CloudFormation invokes when it deploys. Most of them the CDK brings. */
function serviceTokens(reading: Reading): ReadonlySet<string> {
  const tokens = new Set<string>();
  for (const resource of reading.resources) {
    if (!('ServiceToken' in resource.properties)) continue;
    try {
      tokens.add(String(property(resource, 'ServiceToken')));
    } catch {
      // A provider that is not in this app runs nowhere here.
    }
  }
  return tokens;
}

function readFunction(reading: Reading, resource: Resource, hosts: ReadonlyMap<string, string>): FunctionRead {
  const stub = stubInvoke(reading.app.stubOf(resource) ?? {});
  try {
    const { Runtime, PackageType, Handler } = properties(resource, 'Runtime', 'PackageType', 'Handler');
    if (stub === undefined && PackageType === 'Image') return notRun('A rehearsal runs no container.');
    if (stub === undefined && !String(Runtime).startsWith('nodejs')) {
      return notRun(`A rehearsal runs functions of Node, and this one's runtime is ${String(Runtime)}.`);
    }
    const code: FunctionCode | undefined = stub === undefined ? codeOf(resource) : { kind: 'inline', text: '' };
    if (code === undefined) return notRun('Its code is not among the assets of the app.');
    const { Timeout, MemorySize, ReservedConcurrentExecutions } = properties(
      resource,
      'Timeout',
      'MemorySize',
      'ReservedConcurrentExecutions',
    );
    const read: ProvisionedFunction = {
      ...placeOf(resource),
      name: resource.name,
      arn: resource.names.attributes['Arn'] ?? '',
      code,
      handler: String(Handler ?? 'index.handler'),
      environment: environmentOf(reading, resource, hosts),
      timeoutMs: Number(Timeout ?? 3) * 1_000,
      memoryMb: Number(MemorySize ?? 128),
      node: optionalNumber(/^nodejs(\d+)/.exec(String(Runtime))?.[1]),
      reservedConcurrency: optionalNumber(ReservedConcurrentExecutions),
      asynchronous: asynchronousOf(reading, resource),
      ...(stub === undefined ? {} : { stub }),
    };
    return { kind: 'runs', function: read };
  } catch (error) {
    return notRun(error instanceof Error ? error.message : String(error));
  }
}

function codeOf({ properties: { Code }, scope }: Resource): FunctionCode | undefined {
  const { S3Key, ZipFile } = record(Code);
  if (ZipFile !== undefined) return { kind: 'inline', text: scope.resolver.text(ZipFile) };
  const path = S3Key === undefined ? undefined : scope.stack.assets.get(scope.resolver.text(S3Key));
  if (path === undefined) return undefined;
  return path.endsWith('.zip') ? { kind: 'zip', path } : { kind: 'folder', path };
}

function environmentOf(
  reading: Reading,
  resource: Resource,
  hosts: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const { resolver, madeUp } = resource.scope;
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(record(record(resource.properties['Environment'])['Variables']))) {
    madeUp.clear();
    let text = resolver.text(value);
    for (const [host, endpoint] of hosts) text = text.replaceAll(`https://${host}`, endpoint);
    environment[name] = text;
    if (madeUp.size === 0) continue;
    const names = reading.resources.filter(({ stack, logicalId }) => stack === resource.stack && madeUp.has(logicalId));
    const of = names.map(({ construct }) => construct).join(', ');
    const why = `The function gets a name that leads nowhere, of ${of}. A stub for it can give a name.`;
    list(reading, resource, why, `Environment.Variables.${name}`);
  }
  return environment;
}

/** Lambda's own number of retries of an event, and the longest that it keeps one. */
const retries = 2;
const longestWaitSeconds = 6 * 60 * 60;

function asynchronousOf(reading: Reading, fn: Resource): AsynchronousInvocation {
  const config = ofType(reading, 'AWS::Lambda::EventInvokeConfig').find(
    (one) => one.stack === fn.stack && String(property(one, 'FunctionName')).replace(/^.*:function:/, '') === fn.name,
  );
  const { MaximumRetryAttempts, MaximumEventAgeInSeconds, DestinationConfig } =
    config === undefined
      ? {}
      : properties(config, 'MaximumRetryAttempts', 'MaximumEventAgeInSeconds', 'DestinationConfig');
  return {
    retries: Number(MaximumRetryAttempts ?? retries),
    maximumAgeMs: Number(MaximumEventAgeInSeconds ?? longestWaitSeconds) * 1_000,
    onFailure: optionalText(record(record(DestinationConfig)['OnFailure'])['Destination']),
    onSuccess: optionalText(record(record(DestinationConfig)['OnSuccess'])['Destination']),
    deadLetterArn: optionalText(record(property(fn, 'DeadLetterConfig'))['TargetArn']),
  };
}
