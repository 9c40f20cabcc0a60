import { compileErrors } from '../compile.ts';
import { blocksOf, filesOf, guides } from './pages.ts';

/** Compiles the code of the README and of the guides, as a project that uses the package would. */

export interface Compiled {
  /** What the compiler says; empty when all compiles. */
  readonly errors: string;
  /** The pages that have code. */
  readonly pages: ReadonlySet<string>;
}

/** A page's path as the name of a folder. */
const nameOf = (guide: string) => guide.replace(/\.md$/, '').replaceAll('/', '-');

export function compileSnippets(): Compiled {
  const files = new Map<string, string>();
  const pages = new Set<string>();
  for (const guide of guides) {
    // Files that import each other are compiled in a folder of their own.
    const made = [...filesOf(guide)].filter(([path]) => path.endsWith('.ts'));
    for (const [path, code] of made) files.set(`${nameOf(guide)}/${path}`, code);
    const filed = new Set(made.map(([, code]) => code));
    for (const { number, given, code } of blocksOf(guide)) {
      pages.add(guide);
      if (!filed.has(code)) files.set(`${nameOf(guide)}-${number}.ts`, `${given}${code}\nexport {};\n`);
    }
  }
  // A pattern that no longer finds the code would leave nothing to compile.
  if (!pages.has('README.md') || pages.size <= 10) {
    throw new Error(
      `Expected code in README.md and in more than 10 pages; found it in ${[...pages].join(', ') || 'none'}.`,
    );
  }
  return { errors: compileErrors(files), pages };
}

if (import.meta.main) {
  const { errors, pages } = compileSnippets();
  if (errors === '') console.log(`The code of ${pages.size} pages compiles.`);
  else {
    console.error(errors);
    process.exitCode = 1;
  }
}
