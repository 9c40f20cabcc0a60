import { type CdkApp, copyAssembly, type SynthesizedApp, synthesize } from './app/synthesize.ts';
import { definitionOf, type FunctionPlace, functionFor, functionId } from './lambda/functions.ts';
import type { NotRun } from './not-run.ts';
import { readFunctionsOf } from './provision.ts';
import type { Starting } from './service.ts';

/** The version of an app that is deployed over the one that runs. */
export type NextVersion =
  /** Another version of the app: code, handler, environment, timeout and memory of its functions. */
  | { readonly app: CdkApp | SynthesizedApp; readonly context?: Readonly<Record<string, unknown>> }
  /** Other code for the functions: the folder of a bundle; `undefined` if a function keeps its own. */
  | ((place: FunctionPlace) => Promise<string | undefined>);

/** Deploys. Only functions change: tables, queues and mappings stay as they are. */
export async function deploy(
  starting: Starting,
  next: NextVersion = async () => undefined,
): Promise<readonly NotRun[]> {
  return typeof next === 'function' ? deployBundles(starting, next) : deployApp(starting, next);
}

/** All functions that are in use get new sandboxes, as a deployment gives them, also those that keep their code. */
async function deployBundles(
  { functions }: Starting,
  bundleFor: (place: FunctionPlace) => Promise<string | undefined>,
): Promise<readonly NotRun[]> {
  for (const created of functions.created.values()) {
    const fn = await created;
    const folder = await bundleFor({ stack: fn.provisioned.stack, construct: fn.provisioned.construct });
    fn.deploy(folder === undefined ? {} : { folder });
  }
  return [];
}

async function deployApp(
  { services, provisioned, functions, servers, options, keep }: Starting,
  { app, context }: Exclude<NextVersion, (...args: never) => unknown>,
): Promise<readonly NotRun[]> {
  const assembly = keep('assembly' in app ? await copyAssembly(app.assembly) : await synthesize(app, context));
  const known = new Map(provisioned.functions.map((fn) => [functionId(fn), fn]));
  const left: NotRun[] = [];
  let deployed = 0;
  for (const fn of readFunctionsOf(services, assembly, servers.sqs, { ...options, hosts: provisioned.hosts })) {
    const before = known.get(functionId(fn));
    if (before === undefined) {
      const why = 'The version before has no such function. A deployment in a rehearsal changes functions only.';
      left.push({ stack: fn.stack, construct: fn.construct, type: 'AWS::Lambda::Function', why });
      continue;
    }
    (await functionFor(functions, before)).deploy(await definitionOf(functions, fn, undefined));
    deployed += 1;
  }
  if (deployed === 0) throw new Error('None of the functions of the other version is in the app that runs.');
  return left;
}
