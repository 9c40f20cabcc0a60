import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type Example,
  exampleNames,
  type Known,
  peersOfEntries,
  prints,
  problemsOf,
  readExample,
  walkOf,
} from '../../checks/examples/example.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version, devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const peers = peersOfEntries(readFileSync(`${root}docs/guides/install.md`, 'utf8'));
const known: Known = { version, versions: devDependencies, peers };
const names = exampleNames(root);

test('the examples are numbered one after the other, and examples/README.md lists them', () => {
  const list = readFileSync(`${root}examples/README.md`, 'utf8');
  expect(names.length).toBe(15);
  for (const [index, name] of names.entries()) {
    expect(Number(name.slice(0, 2))).toBe(index + 1);
    expect(list).toContain(`| [${name.slice(0, 2)}](${name}) |`);
  }
});

test.each(names)('%s has a README of ten lines, less than a hundred lines of code, and names what it needs', (name) => {
  expect(problemsOf(readExample(root, name), known)).toEqual([]);
});

const first = readExample(root, names[0] ?? '');
const changed = (change: Partial<Example>) => problemsOf({ ...first, ...change }, known);

test('a package that the code imports and package.json does not name is a problem', () => {
  const manifest = { ...first.manifest, dependencies: { pawl: `file:../../pawl-${version}.tgz` } };
  expect(changed({ manifest })).toEqual([
    'examples/01-first-consumer: its package.json does not name @aws-sdk/client-dynamodb.',
    'examples/01-first-consumer: its package.json does not name @aws-sdk/client-sqs.',
  ]);
});

test('a package that nothing needs, or in another version than this project has, is a problem', () => {
  const dependencies = { ...first.manifest.dependencies, zod: devDependencies.zod, '@aws-sdk/client-sqs': '^3.1.0' };
  expect(changed({ manifest: { ...first.manifest, dependencies } })).toEqual([
    'examples/01-first-consumer: its package.json names zod, which it does not need.',
    `examples/01-first-consumer: its package.json has @aws-sdk/client-sqs ^3.1.0, and this project has ${devDependencies['@aws-sdk/client-sqs']}.`,
  ]);
});

test('the tarball of another version is a problem', () => {
  expect(problemsOf(first, { ...known, version: '9.0.0' })).toEqual([
    `examples/01-first-consumer: its package.json has pawl file:../../pawl-${version}.tgz, and this project has file:../../pawl-9.0.0.tgz.`,
  ]);
});

test('a link to what the examples share is a problem: what that needs is installed behind no link', () => {
  expect(changed({ npmrc: '' })).toEqual([
    'examples/01-first-consumer: its .npmrc does not say install-links=true, and it names local-aws.',
  ]);
});

test('a hundred lines of code, or an eleventh line in the README, is a problem', () => {
  const long = new Map([...first.code, ['more.ts', '//\n'.repeat(100)]]);
  expect(changed({ code: long })).toHaveLength(1);
  expect(changed({ readme: first.readme.replace('```sh', 'More.\n\nAnd more.\n\n```sh') })).toHaveLength(1);
});

test('a README without commands, or without what they print, is refused', () => {
  expect(() => walkOf('# 01 Title\n\n```sh\nnpm install\n```\n')).toThrow('one block');
});

test('what is printed must have the lines of the README, together and in order', () => {
  expect(prints('> start\n\none\ntwo\n', 'one\ntwo\n')).toBe(true);
  expect(prints('one\nand\ntwo\n', 'one\ntwo\n')).toBe(false);
  expect(prints('two\none\n', 'one\ntwo\n')).toBe(false);
  expect(prints('one\ntwo and more\n', 'one\ntwo\n')).toBe(false);
});

test('a … stands for any text in its line, and alone for any lines', () => {
  expect(prints('parked   7 s   1\n', 'parked … 1\n')).toBe(true);
  expect(prints('$ npx\nfrom\nto\n1 message\n', '$ npx\n…\n1 message\n')).toBe(true);
  expect(prints('$ npx\n1 message\n', '$ npx\n…\n2 messages\n')).toBe(false);
});
