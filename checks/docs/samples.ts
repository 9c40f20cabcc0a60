import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, guides, repositoryRoot } from './pages.ts';

/**
 * What a compiler does not find in a sample, and its reader copies: a response that is not looked at, so that a 503 counts as done; and a name that only
 * the hidden lines of the page import.
 */

/** A sample, and what stands hidden before it. */
export interface Sample {
  readonly place: string;
  readonly given: string;
  readonly code: string;
}

/** The code of the README, of the pages and of the examples. */
export function samples(): readonly Sample[] {
  const ofPages = guides.flatMap((guide) =>
    blocksOf(guide).map(({ number, given, code }) => ({ place: `${guide}, block ${number}`, given, code })),
  );
  const ofExamples = readdirSync(join(repositoryRoot, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .toSorted()
    .map((path) => ({
      place: `examples/${path}`,
      given: '',
      code: readFileSync(join(repositoryRoot, 'examples', path), 'utf8'),
    }));
  return [...ofPages, ...ofExamples];
}

/** `fetch` does not throw for a status: its caller has to look at `ok` or `status`. */
const lookedAt = /const (?:\{(?<parts>[^}]*)\}|(?<name>\w+)) = await $/;

/** The calls of `fetch` whose response nothing looks at, a sentence each. */
export function uncheckedResponses({ place, code }: Sample): readonly string[] {
  return Array.from(code.matchAll(/(?<![\w.])fetch\(/g), ({ index }) => {
    const { parts, name } = lookedAt.exec(code.slice(0, index))?.groups ?? {};
    const names = parts?.split(',').map((part) => part.trim()) ?? [];
    const after = code.slice(index);
    const isLookedAt =
      names.some((part) => ['ok', 'status'].includes(part) && new RegExp(`if \\([^\\n]*\\b${part}\\b`).test(after)) ||
      (name !== undefined && new RegExp(`if \\([^\\n]*\\b${name}\\.(?:ok|status)\\b`).test(after));
    const line = code.slice(0, index).split('\n').length;
    return isLookedAt ? '' : `${place}, line ${line}: fetch, and no look at the response: a 503 counts as done.`;
  }).filter((said) => said !== '');
}

const importPattern = /^import (?:type )?(?:(?<whole>\w+),? ?)?(?:\{(?<named>[^}]*)\} )?from '(?<from>[^']+)';$/gm;

/** The names that a sample uses and only its hidden lines import, a sentence each. */
export function hiddenImports({ place, given, code }: Sample): readonly string[] {
  return [...given.matchAll(importPattern)].flatMap(({ groups = {} }) =>
    [groups['whole'] ?? '', ...(groups['named'] ?? '').split(',')]
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type /, '')
            .split(' as ')
            .at(-1) ?? '',
      )
      .filter((name) => name !== '' && new RegExp(`(?<![\\w.'])${name}\\b`).test(code))
      .map((name) => `${place}: ${name} of '${groups['from']}' is imported where no reader sees it.`),
  );
}
