import type { Assembly } from './app/assembly.ts';
import { onlyAt } from './app/constructs.ts';
import { type AppScopeOptions, readApp } from './app/read-app.ts';
import { findFunction, ofType, placeOf, type Reading, readingOf } from './app/reading.ts';
import { referencesOf } from './app/references.ts';
import { canSendTo } from './destinations.ts';
import { readFunctions } from './lambda/read-functions.ts';
import { refuseOldClients } from './lambda/refuse-old-clients.ts';
import { readMappings } from './mappings.ts';
import { RefusedAppError } from './not-run.ts';
import type { Part } from './parts.ts';
import type { Provisioned, ProvisionedFunction, ProvisionOptions } from './provisioned.ts';
import type { SqsLocal } from './servers/sqs-local.ts';
import type { Made, Provisioning, Service } from './service.ts';

/** An app that exists, and what its services start in it. */
export interface ProvisionedApp<P extends Part, Faults> extends Provisioned<P> {
  readonly made: readonly Made<P, Faults>[];
}

/**
 * Creates the parts of an app on the local servers, and reads what its functions need.
 *
 * @throws RefusedAppError if the app has something without which a verdict would be wrong
 */
export async function provision<P extends Part, Faults>(
  services: readonly Service<P, Faults, string>[],
  assembly: Assembly,
  servers: Provisioning['servers'],
  options: ProvisionOptions = {},
): Promise<ProvisionedApp<P, Faults>> {
  const { sqs } = servers;
  const app = readApp(adjusted(assembly, { ...options, services, sqs }), { ...options, services, sqs });
  const reading = readingOf(app);
  const hosts = await addresses(services, reading, options);
  readFunctions(reading, hosts);
  await refuseOldClients(reading, assembly.folder);
  const parts: P[] = [];
  const made: Made<P, Faults>[] = [];
  for (const service of services) {
    const one = await service.provision?.({
      reading,
      servers,
      parts,
      canSendTo: (arnService) => canSendTo(services, arnService),
    });
    if (one === undefined) continue;
    made.push(one);
    parts.push(...(one.parts ?? []));
  }
  readMappings(
    reading,
    made.flatMap(({ source }) => source ?? []),
  );
  const { listed, refused } = app.findings;
  if (refused.length > 0) throw new RefusedAppError(refused);
  return {
    stacks: app.stacks.map(({ stack: { stackName, alsoCalled = [] } }) => ({
      name: stackName,
      names: [stackName, ...alsoCalled],
    })),
    parts,
    made,
    notRun: listed,
    functions: runningFunctions(reading),
    hosts,
    functionOf(arn) {
      const found = findFunction(reading, arn);
      return found?.read.kind === 'runs' ? { function: found.read.function, qualifier: found.qualifier } : undefined;
    },
    functionAt: (construct, stack) => functionAt(reading, construct, stack),
  };
}

/** The functions of another version of an app, as they would run beside the parts that are there. */
export function readFunctionsOf(
  services: AppScopeOptions['services'],
  assembly: Assembly,
  sqs: Pick<SqsLocal, 'address'>,
  { hosts, ...options }: Omit<ProvisionOptions, 'addressOf'> & Pick<Provisioned, 'hosts'>,
): readonly ProvisionedFunction[] {
  const read = { ...options, services, sqs };
  const reading = readingOf(readApp(adjusted(assembly, read), read));
  readFunctions(reading, hosts);
  return runningFunctions(reading);
}

function adjusted(assembly: Assembly, options: ProvisionOptions & AppScopeOptions): Assembly {
  const { adjust } = options;
  if (adjust === undefined) return assembly;
  return { ...assembly, stacks: adjust(assembly.stacks, referencesOf(readApp(assembly, options))) };
}

function runningFunctions({ functions }: Reading): readonly ProvisionedFunction[] {
  return [...functions.values()].flatMap((read) => (read.kind === 'runs' ? [read.function] : []));
}

async function addresses(
  services: readonly Pick<Service, 'hosts'>[],
  reading: Reading,
  { addressOf = async (host) => `https://${host}` }: ProvisionOptions,
): Promise<ReadonlyMap<string, string>> {
  const hosts = services.flatMap((service) => service.hosts?.(reading) ?? []);
  return new Map(await Promise.all(hosts.map(async (host) => [host, await addressOf(host)] as const)));
}

function functionAt(reading: Reading, construct: string, stack: string | undefined): ProvisionedFunction {
  const resources = ofType(reading, 'AWS::Lambda::Function').filter(
    (one) => stack === undefined || one.stack === stack,
  );
  const { stack: found, logicalId } = onlyAt(resources.map(placeOf), construct, 'function');
  const arn =
    resources.find((one) => one.stack === found && one.logicalId === logicalId)?.names.attributes['Arn'] ?? '';
  const read = reading.functions.get(arn);
  if (read?.kind === 'runs') return read.function;
  throw new Error(`A rehearsal does not run the function at ${construct}. ${read?.why ?? ''}`);
}
