import type { LambdaLocal, LocalFunction } from './lambda.ts';
import type { ProvisionedFunction } from './provision.ts';

/** A function of the app, by its stack and its construct. */
export interface FunctionPlace {
  readonly stack: string;
  /** The path of the construct in the app: `Billing/Invoices/Function`. */
  readonly construct: string;
}

/** A version of the functions that is being deployed, or replaced: it gets some of the invocations, in sandboxes of its own. */
export interface OtherVersion {
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
  readonly place: FunctionPlace;
  readonly maxSandboxes: number;
}

/** The functions of all stacks, each created when it is first wanted. */
export interface Functions {
  readonly lambda: LambdaLocal;
  readonly options: FunctionsOptions;
  readonly created: Map<string, Promise<RehearsedFunction>>;
}

/** The function that runs for this one of the template: always the same, so that all its invokers share its sandboxes. */
export function functionFor(
  functions: Functions,
  stack: string,
  provisioned: ProvisionedFunction,
): Promise<RehearsedFunction> {
  const id = `${stack}/${provisioned.logicalId}`;
  const known = functions.created.get(id);
  if (known !== undefined) return known;
  const created = create(functions, { stack, construct: provisioned.construct }, provisioned);
  functions.created.set(id, created);
  return created;
}

async function create(
  { lambda, options }: Functions,
  place: FunctionPlace,
  provisioned: ProvisionedFunction,
): Promise<RehearsedFunction> {
  const { sandboxesPerFunction = 3, bundleFor, other } = options;
  const definition = {
    ...provisioned,
    environment: { ...provisioned.environment, ...options.environment },
    maxSandboxes: Math.min(sandboxesPerFunction, provisioned.reservedConcurrency ?? sandboxesPerFunction),
  };
  const { maxSandboxes } = definition;
  const folder = (await bundleFor?.(place)) ?? provisioned.folder;
  const fn = lambda.createFunction({ ...definition, folder });
  const otherFolder = await other?.bundleFor(place);
  if (other === undefined || otherFolder === undefined) return { ...fn, place, maxSandboxes };
  const beside = lambda.createFunction({ ...definition, folder: otherFolder });
  return { ...fn, place, maxSandboxes, invoke: (event) => (other.takesNext() ? beside : fn).invoke(event) };
}
