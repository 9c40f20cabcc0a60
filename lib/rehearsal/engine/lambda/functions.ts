import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FunctionCode, ProvisionedFunction } from '../provisioned.ts';
import type { LambdaLocal, LocalFunction } from './lambda.ts';
import { unzip } from './unzip.ts';

/** A function of the app, by its stack and its construct. */
export interface FunctionPlace {
  readonly stack: string;
  /** The path of the construct in the app: `Billing/Invoices/Function`. */
  readonly construct: string;
}

/** A version of the functions that is being deployed, or replaced: it gets some of the invocations, in sandboxes of its own. */
interface OtherVersion {
  /** The folder of its bundle; `undefined` if it has no such function. */
  readonly bundleFor: (place: FunctionPlace) => Promise<string | undefined>;
  /** Whether the next invocation is for it. */
  readonly takesNext: () => boolean;
}

export interface FunctionsOptions {
  /** How many sandboxes each function may have at once, if the template does not reserve fewer. @default 3 */
  readonly sandboxesPerFunction?: number;
  /** Environment variables of all functions, in place of the app's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of another bundle for a function; `undefined` if it keeps its own. @default each keeps its own */
  readonly bundleFor?: (place: FunctionPlace) => Promise<string | undefined>;
  /** Another version of the functions, which runs beside this one. */
  readonly other?: OtherVersion;
}

/** A function that can be invoked. */
export interface RehearsedFunction extends LocalFunction {
  readonly maxSandboxes: number;
  readonly provisioned: ProvisionedFunction;
}

/** The functions of all stacks, each created when it is first wanted. */
export interface Functions {
  readonly lambda: LambdaLocal;
  readonly options: FunctionsOptions;
  /** Where code is written to that is not in a folder yet. It goes with the rehearsal. */
  readonly scratch: string;
  readonly created: Map<string, Promise<RehearsedFunction>>;
}

/** The function that runs for this one of the template: always the same, so that all its invokers share its sandboxes. */
export function functionFor(functions: Functions, provisioned: ProvisionedFunction): Promise<RehearsedFunction> {
  const id = functionId(provisioned);
  const known = functions.created.get(id);
  if (known !== undefined) return known;
  const created = create(functions, provisioned);
  functions.created.set(id, created);
  return created;
}

/** The same id in every version of an app. */
export function functionId({ stack, construct }: FunctionPlace): string {
  return `${stack}: ${construct}`;
}

async function create(functions: Functions, provisioned: ProvisionedFunction): Promise<RehearsedFunction> {
  const { lambda, options } = functions;
  const { other } = options;
  const definition = await definitionOf(functions, provisioned, options.bundleFor);
  const { maxSandboxes } = definition;
  const fn = lambda.createFunction(definition);
  const otherFolder = await other?.bundleFor(provisioned);
  if (other === undefined || otherFolder === undefined) return { ...fn, maxSandboxes, provisioned };
  const beside = lambda.createFunction({ ...definition, folder: otherFolder });
  return {
    ...fn,
    maxSandboxes,
    provisioned,
    invoke: (...given) => (other.takesNext() ? beside : fn).invoke(...given),
  };
}

/** What Lambda has to know of a function. `bundleFor` gives other code than the template's. */
export async function definitionOf(
  { options, scratch }: Functions,
  provisioned: ProvisionedFunction,
  bundleFor: FunctionsOptions['bundleFor'],
) {
  const { sandboxesPerFunction = 3 } = options;
  const { name, construct, handler, timeoutMs, memoryMb, node, reservedConcurrency, stub } = provisioned;
  return {
    name,
    construct,
    handler,
    timeoutMs,
    memoryMb,
    ...(node === undefined ? {} : { node }),
    folder: (await bundleFor?.(provisioned)) ?? (await folderOf(provisioned.code, scratch)),
    environment: { ...provisioned.environment, ...options.environment },
    // A function that reserves nothing may have all. One that reserves 0 is switched off: its invocations wait.
    maxSandboxes: Math.min(sandboxesPerFunction, reservedConcurrency ?? sandboxesPerFunction),
    ...(stub === undefined ? {} : { stub }),
  };
}

let folders = 0;

async function folderOf(code: FunctionCode, scratch: string): Promise<string> {
  if (code.kind === 'folder') return code.path;
  folders += 1;
  const folder = join(scratch, `code-${folders}`);
  await mkdir(folder, { recursive: true });
  if (code.kind === 'zip') await unzip(code.path, folder);
  else await writeFile(join(folder, 'index.js'), code.text);
  return folder;
}
