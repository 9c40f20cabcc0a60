import { notRunAt } from '../not-run.ts';
import type { FunctionReference, ProvisionedFunction } from '../provisioned.ts';
import type { InStack } from './constructs.ts';
import type { AppScope, Resource } from './read-app.ts';
import { functionName } from './references.ts';
import { record } from './template.ts';

/** A function of the app, or why a rehearsal does not run it. */
export type FunctionRead =
  | { readonly kind: 'runs'; readonly function: ProvisionedFunction }
  | { readonly kind: 'not-run'; readonly why: string };

/** An app while its parts are read. */
export interface Reading {
  readonly app: AppScope;
  readonly resources: readonly Resource[];
  /** All functions of the app, by their ARN. */
  readonly functions: Map<string, FunctionRead>;
}

export function readingOf(app: AppScope): Reading {
  return { app, resources: app.stacks.flatMap(({ resources }) => resources), functions: new Map() };
}

export function ofType({ resources }: Reading, ...types: readonly string[]): readonly Resource[] {
  return resources.filter(({ type }) => types.includes(type));
}

/** Where a part is, without the rest of its resource. */
export function placeOf({ logicalId, construct, stack }: Resource): InStack {
  return { logicalId, construct, stack };
}

export function list({ app }: Reading, at: Resource, why: string, property?: string): void {
  app.findings.listed.push(notRunAt(at, why, property));
}

export function refuse({ app }: Reading, at: Resource, why: string, property?: string): void {
  app.findings.refused.push(notRunAt(at, why, property));
}

/** A property of a resource without intrinsic functions. @throws Error as the resolver does */
export function property({ scope, properties }: Resource, name: string): unknown {
  return scope.resolver.resolve(properties[name]);
}

/** The same for some properties. The others may refer to what exists in AWS alone. */
export function properties(resource: Resource, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  return record(Object.fromEntries(names.map((name) => [name, property(resource, name)])));
}

/** Reads a part; if what it refers to is not here, the part is listed and not run. */
export function readOrList<Part>(reading: Reading, at: Resource, read: () => Part | undefined): Part | undefined {
  try {
    return read();
  } catch (error) {
    list(reading, at, `It is not run. ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** What a name or an ARN of a function leads to, with its alias or its version; `undefined` if it is none of this app. */
export function findFunction(
  { functions }: Reading,
  nameOrArn: unknown,
): { readonly read: FunctionRead; readonly qualifier: string | undefined } | undefined {
  const { name, qualifier } = functionName(String(nameOrArn));
  for (const [arn, read] of functions) if (arn.endsWith(`:function:${name}`)) return { read, qualifier };
  return undefined;
}

/**
 * The function that a resource invokes. Refused if it cannot run: what waits for it would wait for ever, and the verdict would call
 * that lost.
 */
export function targetFunction(reading: Reading, at: Resource, nameOrArn: unknown): FunctionReference | undefined {
  const found = findFunction(reading, nameOrArn);
  if (found === undefined) {
    refuse(reading, at, `It invokes ${String(nameOrArn)}, which is no function of this app.`);
    return undefined;
  }
  const { read, qualifier } = found;
  if (read.kind === 'runs') return { function: read.function, qualifier };
  refuse(
    reading,
    at,
    `It invokes a function that a rehearsal does not run. ${read.why} Stub the function to rehearse the rest.`,
  );
  return undefined;
}
