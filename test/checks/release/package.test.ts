import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAllowed, type Lock, licenceProblems, licencesOf, readLock } from '../../../checks/release/licences.ts';
import { reducedLock } from '../../../checks/release/sbom.ts';
import { tarballProblems } from '../../../checks/release/tarball.ts';

const promises = { exports: { '.': { import: { types: './dist/index.d.ts', default: './dist/index.js' } } }, bin: {} };
const files = new Map([
  ['LICENSE', ''],
  ['README.md', ''],
  ['CHANGELOG.md', ''],
  ['package.json', ''],
  ['dist/index.js', 'export {};'],
  ['dist/index.d.ts', 'export {};'],
]);
const problems = (more: Readonly<Record<string, string>>) =>
  tarballProblems(new Map([...files, ...Object.entries(more)]), promises, '/home/maria/pawl');

test('a tarball with what it promises, and nothing else, is in order', () => {
  expect(problems({})).toEqual([]);
});

test('what an entry leads to must be in the tarball', () => {
  const without = new Map([...files].filter(([path]) => path !== 'dist/index.js'));
  expect(tarballProblems(without, promises, '/home/maria/pawl')).toEqual([
    'dist/index.js is promised, and is not in the tarball',
  ]);
});

test.each([
  ['test/index.test.ts', ''],
  ['dist/index.ts', ''],
  ['.npmrc', ''],
  ['dist/maps.js', '// /home/maria/pawl/lib/index.ts'],
  ['docs/keys.md', '-----BEGIN PRIVATE KEY-----\nMC4'],
  ['docs/keys.md', `AKIA${'A1'.repeat(8)}`],
])('%s with %j is refused', (path, text) => {
  expect(problems({ [path]: text }).length).toBeGreaterThan(0);
});

const lock: Lock = {
  packages: {
    '': { peerDependencies: { peer: '^1.0.0' } },
    'node_modules/peer': { version: '1.0.0', license: 'MIT', dependencies: { shared: '^1.0.0' } },
    'node_modules/shared': { version: '2.0.0', license: 'GPL-3.0-only' },
    'node_modules/peer/node_modules/shared': { version: '1.0.0', license: 'ISC', dependencies: { deep: '^1.0.0' } },
    'node_modules/deep': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', license: 'AGPL-3.0-only' },
  },
};

test('the licence of each package that comes with a peer is looked at, where npm has put it, and of no tool', () => {
  const found = licencesOf(lock, []);
  expect(found.map(({ name, version }) => `${name} ${version}`)).toEqual(['deep 1.0.0', 'peer 1.0.0', 'shared 1.0.0']);
  expect(licenceProblems(found)).toEqual([expect.stringMatching(/^deep 1\.0\.0: none stated is none of 0BSD, /)]);
});

test('a peer that the lock file does not have is refused: nothing would look at its licence', () => {
  const { '': own, ...packages } = lock.packages;
  const peerDependencies = { ...own?.peerDependencies, unseen: '^1.0.0' };
  expect(() => licencesOf({ packages: { ...packages, '': { peerDependencies } } }, [])).toThrow(
    'package-lock.json has no unseen: npm install --save-dev unseen',
  );
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['MIT AND Zlib', false],
  ['GPL-3.0-only AND (MIT OR ISC)', false],
  ['GPL-3.0-only', false],
  ['none stated', false],
])('the licence %s is allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test('what pawl ships, and its peers, have licences that are allowed', () => {
  const found = licencesOf(readLock(fileURLToPath(new URL('../../..', import.meta.url))));
  expect(found.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['@aws-sdk/client-dynamodb', 'aws-cdk-lib', 'preact']),
  );
  expect(licenceProblems(found)).toEqual([]);
});

test('the bill of materials is made of what comes with the package or its peers, and of no tool', () => {
  const { packages } = reducedLock(lock, licencesOf(lock, []));
  expect(Object.keys(packages).toSorted()).toEqual([
    '',
    'node_modules/deep',
    'node_modules/peer',
    'node_modules/peer/node_modules/shared',
  ]);
  expect(packages['']?.dependencies).toEqual({ deep: '1.0.0', peer: '1.0.0' });
});
