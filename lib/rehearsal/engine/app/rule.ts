import type { Names, TemplateResource } from './template.ts';

/** What becomes of a resource, by its type. */
export type TypeRule =
  | { readonly kind: 'run'; readonly properties: PropertyRules; readonly naming?: Naming }
  /** It changes nothing that a rehearsal can see: permissions, logs, alarms. Its name leads nowhere, unless it is `named`. */
  | { readonly kind: 'without-effect'; readonly named?: true }
  | { readonly kind: 'not-run'; readonly why: string };

/** By the type in CloudFormation. `AWS::IAM::*` is for each type of a service that has no rule of its own. */
export type TypeRules = Readonly<Record<string, TypeRule>>;

/** How resources of a type are called. */
export interface Naming {
  /** The property that names a resource of the type. Elsewhere the same property may name another resource. */
  readonly property?: string;
  /** @default what CloudFormation makes of the stack's name and the logical id */
  readonly make?: (made: string, resource: TemplateResource) => string;
  /** It is found by its name, in the one place where a rehearsal has it: two of one name get two names. */
  readonly isUnique?: true;
  /** What `Ref` and `Fn::GetAtt` give for a name. */
  readonly names: (name: string, at: NamedAt) => Names;
}

/** What a name may depend on, besides itself. */
export interface NamedAt {
  readonly properties: Readonly<Record<string, unknown>>;
  /** The text of a property; `undefined` if what it refers to has no name. */
  readonly text: (value: unknown) => string | undefined;
  /** Where a queue of this name is, or will be. */
  readonly queueAt: (name: string) => { readonly url: string; readonly arn: string };
}

/** What the names of queues and topics end with, if they keep a sequence. */
export function fifo(made: string, { Properties = {} }: TemplateResource): string {
  return made + (String(Properties['FifoQueue'] ?? Properties['FifoTopic']) === 'true' ? '.fifo' : '');
}

/** A type that is run. Without a naming, it has a name only so that other parts find it. */
export function runs(properties: PropertyRules, naming?: Naming): TypeRule {
  return { kind: 'run', properties, ...(naming === undefined ? {} : { naming }) };
}

/** Rules for several types at once. */
export function each(rule: TypeRule, ...types: readonly string[]): TypeRules {
  return Object.fromEntries(types.map((type) => [type, rule]));
}

/**
 * What becomes of one property of a resource that a rehearsal runs.
 *
 * - `run`: the rehearsal does as the property says.
 * - `without-effect`: it changes nothing that a rehearsal can see, such as a tag or a key of encryption.
 * - `listed`: the rehearsal does without, and says so.
 * - `refused`: without it, the verdict would be wrong.
 */
export type PropertyRule =
  | { readonly kind: 'run' }
  | { readonly kind: 'without-effect' }
  | { readonly kind: 'listed'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** It depends on the value. */
  | { readonly kind: 'by-value'; readonly of: (value: unknown) => PropertyRule };

/**
 * By the name of a property, and with dots by the names inside it: `ScalingConfig.MaximumConcurrency`. A name that has a rule is not
 * looked into. In a list, all items have the same rules. A name without a rule is listed.
 */
export type PropertyRules = Readonly<Record<string, PropertyRule>>;

export const run: PropertyRule = { kind: 'run' };
export const withoutEffect: PropertyRule = { kind: 'without-effect' };
export const listed = (why: string): PropertyRule => ({ kind: 'listed', why });
const refuse = (why: string): PropertyRule => ({ kind: 'refused', why });

/** A rule for some values of a property; the rehearsal does as any other value says. */
export function listedIf(is: (value: unknown) => boolean, why: string): PropertyRule {
  return { kind: 'by-value', of: (value) => (is(value) ? listed(why) : run) };
}

export function refusedUnless(is: (value: unknown) => boolean, why: string): PropertyRule {
  return { kind: 'by-value', of: (value) => (is(value) ? run : refuse(why)) };
}

/** Rules for several names at once. */
export function all(rule: PropertyRule, ...names: readonly string[]): PropertyRules {
  return Object.fromEntries(names.map((name) => [name, rule]));
}
