import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { checkDocstrings, sharesOf } from '../../checks/docstrings.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const sound = `/** How often it is tried, and where. */
export interface SendOptions {
  /**
   * The number of tries.
   * @default 3
   */
  readonly tries?: number;
  /** Where it goes. */
  readonly to: string;
}

/** What is sent. */
export interface Parcel {
  /** What it says. */
  readonly text: string;
}

/** What became of it. */
export type Sent = 'sent' | 'refused';

/**
 * The post.
 *
 * @example
 * const post = new Post();
 */
export class Post {
  readonly open = true;
}

/**
 * Sends a parcel.
 *
 * @throws Error when it is refused
 * @example
 * const parcel: Parcel = { text: city };
 * const sent: Sent = send(parcel, { to: 'Bern', tries: 2 });
 */
export function send(parcel: Parcel, options: SendOptions): Sent {
  return parcel.text === options.to ? 'refused' : 'sent';
}
`;
/** Whole: the two option types have their examples as well. */
const whole = sound
  .replace('and where. */', "and where.\n * @example\n * const options: SendOptions = { to: 'Bern' };\n */")
  .replace('/** How often', '/**\n * How often')
  .replace(
    '/** What is sent. */',
    "/**\n * What is sent.\n *\n * @example\n * const parcel: Parcel = { text: 'Hello' };\n */",
  );

mkdirSync(join(root, '.pawl'), { recursive: true });
const scratch = mkdtempSync(join(root, '.pawl', 'docstrings-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** The check of a package of one file. */
function checked(source: string) {
  const root = `${mkdtempSync(join(scratch, 'package-'))}/`;
  const config = join(root, 'tsconfig.json');
  writeFileSync(join(root, 'index.ts'), source);
  writeFileSync(config, JSON.stringify({ compilerOptions: { strict: true, types: [] }, files: ['index.ts'] }));
  const prelude = "declare global {\n  const city: 'Bern';\n}\nexport {};\n";
  return checkDocstrings(new Map([['pawl', join(root, 'index.ts')]]), { root, config, prelude });
}

/** The line of the sound source that contains this, from 1. */
const lineOf = (source: string, text: string) => source.slice(0, source.indexOf(text)).split('\n').length;

test('a package passes whose functions, classes and option types have docstrings with examples that compile', () => {
  const { entries, problems } = checked(whole);
  expect(problems).toEqual([]);
  expect(sharesOf(entries.flatMap(({ names }) => names))).toEqual({
    names: { has: 5, of: 5 },
    examples: { has: 4, of: 4 },
    options: { has: 3, of: 3 },
  });
});

test('a tag may stand behind the sentence, in one line', () => {
  const { problems } = checked(
    whole.replace('/**\n   * The number of tries.\n   * @default 3\n   */', '/** The number of tries. @default 3 */'),
  );
  expect(problems).toEqual([]);
});

test('an option type is one by its name, or because a public function takes it', () => {
  const { problems } = checked(sound);
  expect(problems).toEqual([
    `index.ts:2: SendOptions, an option type, has no @example with code`,
    `index.ts:${lineOf(sound, 'export interface Parcel')}: Parcel, an option type, has no @example with code`,
  ]);
});

test('whatever lacks a docstring, an example or a default is named with its place, and counts', () => {
  const source = whole
    .replace('/** What became of it. */\n', '')
    .replace(' * The post.\n *\n', ' * the post\n *\n')
    .replace(' * const post = new Post();\n', '')
    .replace('   * @default 3\n', '')
    .replace('  /** Where it goes. */\n', '');
  const { entries, problems } = checked(source);
  const place = (text: string) => `index.ts:${lineOf(source, text)}`;
  expect(problems).toEqual([
    `${place('readonly tries')}: the option SendOptions.tries may be left out, and its docstring has no @default`,
    `${place('readonly to')}: the option SendOptions.to has no docstring that begins with a sentence`,
    `${place('export type Sent')}: Sent has no docstring that begins with a sentence`,
    `${place('export class Post')}: Post has no docstring that begins with a sentence`,
    `${place('export class Post')}: Post, a class, has no @example with code`,
  ]);
  expect(sharesOf(entries.flatMap(({ names }) => names))).toEqual({
    names: { has: 3, of: 5 },
    examples: { has: 3, of: 4 },
    options: { has: 1, of: 3 },
  });
});

test('an example that does not compile any more is named with its line: an option was renamed, a function is gone', () => {
  const source = whole.replace('readonly tries?', 'readonly attempts?').replace('new Post()', 'openPost()');
  const { problems } = checked(source);
  expect(problems).toHaveLength(2);
  expect(problems).toContainEqual(
    expect.stringMatching(
      new RegExp(
        `^index.ts:${lineOf(source, "to: 'Bern', tries: 2")}: the example of send does not compile: .*'tries'`,
      ),
    ),
  );
  expect(problems).toContainEqual(
    expect.stringMatching(
      new RegExp(`^index.ts:${lineOf(source, 'openPost()')}: the example of Post does not compile: .*'openPost'`),
    ),
  );
});

test('an example declares nothing for another one, and has what the prelude declares', () => {
  const { problems } = checked(
    whole
      .replace("const parcel: Parcel = { text: 'Hello' };", 'const text = city;\n * const parcel: Parcel = { text };')
      .replace('text: city };', 'text };'),
  );
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/the example of send does not compile: .*'text'/);
});
