import { readFileSync } from 'node:fs';

/*
 * One machine has the time for a share of the long tests: `npm run test:long -- --shard=2/4`. `.ci/run` has one, another one for another commit; the workflow
 * `ci` has all of them, side by side; and so has `npm run test:long`.
 */

/** The files of the project `long`, those that take longest first: one of them that begins last keeps a core waiting. `.test.ts` is left out. */
export const longFiles: readonly string[] = readFileSync(new URL('long-files.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** The place of a file among them; behind all of them, if it is none. */
export function placeOf(file: string): number {
  const place = longFiles.findIndex((name) => file.endsWith(`/${name}.test.ts`));
  return place < 0 ? longFiles.length : place;
}

/** Which share of so many has a file, from 1 on. They are dealt out to and fro, so that each share takes as long as the others. */
export function shareOf(file: string, count: number): number {
  const [round, turn] = [Math.floor(placeOf(file) / count), placeOf(file) % count];
  return round % 2 === 0 ? turn + 1 : count - turn;
}
