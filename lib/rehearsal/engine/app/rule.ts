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
export const refused = (why: string): PropertyRule => ({ kind: 'refused', why });

/** A rule for some values of a property; the rehearsal does as any other value says. */
export function listedIf(is: (value: unknown) => boolean, why: string): PropertyRule {
  return { kind: 'by-value', of: (value) => (is(value) ? listed(why) : run) };
}

export function refusedUnless(is: (value: unknown) => boolean, why: string): PropertyRule {
  return { kind: 'by-value', of: (value) => (is(value) ? run : refused(why)) };
}

/** Rules for several names at once. */
export function all(rule: PropertyRule, ...names: readonly string[]): PropertyRules {
  return Object.fromEntries(names.map((name) => [name, rule]));
}
