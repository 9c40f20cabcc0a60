import { transformSync } from 'esbuild';
import { type Block, blockWith } from '../../checks/docs/pages.ts';

/** A name by what it stands for, in an example. */
export type Names = Readonly<Record<string, unknown>>;

/** An example as it is printed. Called, it runs with these names for what it imports and for what its reader has. */
export type Example = (names?: Names) => Promise<Names>;

const importPattern = /^import (?:(?<whole>\w+),? )?(?:\{(?<named>[^}]*)\} )?(?:from )?"(?<specifier>[^"]+)";$/gm;
const AsyncFunction: new (...parts: string[]) => Example = Object.getPrototypeOf(async () => undefined).constructor;

/**
 * Makes an example of a guide runnable, without changing a character of it but its imports and exports: what it imports is the real
 * thing, unless another is handed in by the same name.
 *
 * @param text what tells the block from the others of its guide
 */
export async function exampleOf(guide: string, text: string): Promise<Example> {
  return runnable(blockWith(guide, text));
}

/** The same of a block that the caller has found. */
export async function runnable({ code }: Block): Promise<Example> {
  const { code: plain } = transformSync(code, {
    loader: 'ts',
    format: 'esm',
    target: 'node22',
    // What is imported stays imported, used or not.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const imported: Record<string, unknown> = {};
  for (const { groups = {} } of plain.matchAll(importPattern)) {
    const { whole, named = '', specifier = '' } = groups;
    const module = await import(specifier);
    if (whole) imported[whole] = module.default;
    for (const one of named.split(',')) {
      const [name = '', as = name] = one.trim().split(/\s+as\s+/);
      if (name) imported[as] = module[name];
    }
  }
  const exported = [
    ...[...plain.matchAll(/^export (?:const|function|async function|class) (\w+)/gm)].map(([, name]) => name),
    ...[...plain.matchAll(/^export \{([^}]*)\};$/gm)].flatMap(([, names = '']) => names.split(',')),
  ].map((name = '') => name.trim());
  const body = plain
    .replace(importPattern, '')
    .replace(/^export \{[^}]*\};$/gm, '')
    .replace(/^export (?=\w)/gm, '');

  return async (names = {}) => {
    const all = { ...imported, ...names };
    // In a scope of its own, where it may declare again what it has been handed.
    const scope = `"use strict";\n{\n${body}\nreturn { ${exported.join(', ')} };\n}`;
    const run = new AsyncFunction(...Object.keys(all), scope);
    return Reflect.apply(run, undefined, Object.values(all));
  };
}
