import { compileErrors } from '../compile.ts';
import type { Example } from './comment.ts';
import type { Entry, PublicName } from './public-names.ts';

/**
 * Compiles the examples of docstrings, all in one program. In scope without an import are the public names of the entry, as in the editor of a reader who
 * came from there, and what the prelude declares. The example imports everything else by itself.
 */

interface Module {
  readonly example: Example;
  readonly of: string;
  readonly code: string;
}

/**
 * What is wrong with the examples: the place, the name and the compiler's sentence, one each.
 *
 * @param sources what `pawl` and `pawl/…` are
 * @param prelude code that declares what every example may use
 */
export function brokenExamples(
  entries: readonly Entry[],
  sources: ReadonlyMap<string, string>,
  prelude: string,
): readonly string[] {
  const modules = modulesOf(entries);
  const files = new Map(Array.from(modules, ([path, { code }]) => [path, code]));
  const errors = compileErrors(files.set('prelude.ts', prelude), sources);
  // What an error says in further lines is indented.
  return errors
    .split(/\n(?! |$)/)
    .filter((error) => error !== '')
    .map((error) => placed(error.trimEnd(), modules));
}

/** Each example once, as a module of the first entry that exports its name. */
function modulesOf(entries: readonly Entry[]): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>();
  const seen = new Set<string>();
  for (const { name: entry, names } of entries) {
    for (const { name, examples } of names) {
      for (const example of examples) {
        const place = `${example.file}:${example.line}`;
        if (seen.has(place)) continue;
        seen.add(place);
        const path = `${entry.replaceAll('/', '-')}-${name}-${example.line}.ts`;
        modules.set(path, { example, of: name, code: moduleOf(example, entry, names) });
      }
    }
  }
  return modules;
}

/** The example, below one line that imports the names of its entry: a line of the module stays a line of the docstring. */
function moduleOf({ code }: Example, entry: string, names: readonly PublicName[]): string {
  const own = new Set([...declaredIn(code), ...importedIn(code)]);
  const used = names.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(code) && !own.has(name));
  const imported = used.map(({ name, isValue }) => (isValue ? name : `type ${name}`));
  return `import { ${imported.join(', ')} } from '${entry}';\n${code}\nexport {};\n`;
}

function declaredIn(code: string): readonly string[] {
  const declarations = code.matchAll(/\b(?:const|let|function|class|type|interface) (\w+)/g);
  return Array.from(declarations, ([, name = '']) => name);
}

function importedIn(code: string): readonly string[] {
  const imports = code.matchAll(/^import (?:type )?\{([^}]*)\}/gm);
  return Array.from(imports, ([, names = '']) => names.split(','))
    .flat()
    .map((name) => name.replace('type ', '').trim());
}

/** An error of the compiler, at the line of the docstring. */
function placed(error: string, modules: ReadonlyMap<string, Module>): string {
  const [, path = '', line = '', message = ''] = /^([^(]+)\((\d+),\d+\): error ([\s\S]*)/.exec(error) ?? [];
  const module = modules.get(path);
  // In the sources, or in the prelude: an example is not the place.
  if (module === undefined) return error.replace(/^(\.\.\/)+/, '');
  // The first line of the module is the import; the first of the code, that of the tag.
  return `${module.example.file}:${module.example.line + Number(line) - 2}: the example of ${module.of} does not compile: ${message}`;
}
