/** One behaviour of pawl's, broken on purpose: functions that take the place of some that a module exports. */
export interface Mutant {
  readonly what: string;
  /** The module, by its path in the repository. */
  readonly module: string;
  /** What the broken module exports in place of its own functions. The types of a module hold it: a rename breaks the compilation. */
  readonly breakage: (original: object) => object;
}

/**
 * A mutant of one module.
 *
 * @example
 * breaks<typeof import('../../lib/pawl/rules/store.ts')>('a first claim overwrites what is there', 'lib/pawl/rules/store.ts', ({ unchanged }) => ({
 *   unchanged: (seen, found) => seen === undefined || unchanged(seen, found),
 * }))
 */
export function breaks<Module extends object>(
  what: string,
  module: string,
  breakage: (original: Module) => Partial<Module>,
): Mutant {
  return { what, module, breakage: (original) => breakage(original as Module) };
}

/** How a mutant is named on a command line, in a log and in the environment. */
export function nameOf({ module, what }: Mutant): string {
  return `${module}: ${what}`;
}
