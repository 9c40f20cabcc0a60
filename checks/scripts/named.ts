import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allChecks } from '../checks.ts';
import { root } from '../packages.ts';
import { scriptOf } from './table.ts';

/** Those of `package.json`. */
export const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

function isThere(name: string, part: string | undefined): boolean {
  if (!Object.hasOwn(scripts, name)) return false;
  if (part === undefined) return true;
  if (name === 'check') return Object.hasOwn(allChecks, part);
  const script = scriptOf(name);
  return script === undefined || Object.hasOwn(script.parts, part);
}

/** The commands `npm run …` of a text that this repository does not have, up to the name of their part. */
export function namesNothing(text: string): readonly string[] {
  const commands = text.matchAll(/npm run (?<name>[a-z][\w:]*)(?: -- (?<part>[a-z][\w-]*))?/g);
  return Array.from(commands)
    .filter(({ groups }) => !isThere(groups?.['name'] ?? '', groups?.['part']))
    .map(([command]) => command);
}
