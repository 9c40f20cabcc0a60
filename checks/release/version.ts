import semver from 'semver';

/*
 * What a version may change, and what its entry of the changelog has to say. VERSIONING.md is the same for people.
 *
 * Owns: the numbers, and the entry. Does not own: what has changed (`surface.ts`, `manifest.ts`, `records.ts`).
 */

/** What kind of step a version is from the one before it: before 1.0, a minor version may break what was. */
export type Step = 'breaking' | 'addition' | 'fix';

/** @returns nothing where the version is not above the last one */
export function stepOf(last: string, now: string): Step | undefined {
  if (semver.valid(now) === null || !semver.gt(now, last)) return undefined;
  const isEarly = semver.major(now) === 0;
  if (semver.major(now) > semver.major(last)) return 'breaking';
  const kind = semver.diff(last, now);
  if (kind === 'minor' || kind === 'preminor') return isEarly ? 'breaking' : 'addition';
  return 'fix';
}

/** The entry of a version in the changelog, without its heading, or `undefined`. */
export function entryOf(changelog: string, heading: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => {
    const [first = ''] = section.split('\n');
    return first === heading || first.startsWith(`${heading} `);
  });
  return found?.split('\n').slice(1).join('\n').trim();
}

/** The lines of an entry, each with what is indented below it. */
function linesOf(entry: string): readonly string[] {
  return entry.split(/\n(?=\S)/);
}

/** Whether the entry says of one of these names that it has changed. */
export function isNamed(entry: string, names: readonly string[], mark: RegExp = /./): boolean {
  // The innermost name: of an option, its own and not that of the type that has it.
  const name = names.at(-1) ?? '';
  return linesOf(entry).some((line) => mark.test(line) && codeIn(line).some((code) => mentions(code, name)));
}

const breaking = /\*\*Breaking/;

/** Whether the entry says of one of these names that it breaks. */
export function isNamedAsBreaking(entry: string, names: readonly string[]): boolean {
  // A line may say several things. What it says before the mark is not what breaks.
  return isNamed(
    linesOf(entry)
      .flatMap((line) => line.split(/(?=\*\*Breaking)/))
      .join('\n'),
    names,
    breaking,
  );
}

/** Whether the entry says that records of another schema are written. */
export function isOfNewRecord(entry: string): boolean {
  return /\*new record\*/i.test(entry);
}

function codeIn(line: string): readonly string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function mentions(code: string, name: string): boolean {
  return code === name || code.split(/[^\w/$-]+/).includes(name);
}
