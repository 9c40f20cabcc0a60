import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../checks/packages.ts';
import { folderOfTests, planOf, type Tree, textOf } from '../../checks/verify/plan.ts';

const files = [
  'lib/pawl/sqs/conclude.ts',
  'lib/pawl/rules/decide.ts',
  'lib/pawl/stores/dynamodb/store.ts',
  'test/pawl',
  'test/pawl/sqs',
  'test/pawl/sqs/fifo.test.ts',
  'test/pawl/sqs/rush.long.test.ts',
  'test/pawl/stores',
  'test/suites/laws/claims.test.ts',
];
const tree: Tree = {
  has: (path) => files.includes(path),
  below: (folder) => files.filter((path) => path.startsWith(`${folder}/`)),
};
const planned = (...paths: readonly string[]) =>
  planOf(paths, tree)
    .filter(({ isByHand }) => !isByHand)
    .map(({ command }) => command.join(' '));
const checks = (...paths: readonly string[]) =>
  planned(...paths).flatMap((line) => /^npm run check -- (.+)$/.exec(line)?.[1] ?? []);

test('nothing is asked for when nothing changed', () => {
  expect(planOf([], tree)).toEqual([]);
});

test('every change asks for types, lint, format and boundaries first', () => {
  for (const path of ['lib/pawl/sqs/conclude.ts', 'README.md', '.ci/run'])
    expect(planned(path).slice(0, 4)).toEqual([
      'npm run check -- types',
      'npm run check -- lint',
      'npm run check -- format',
      'npm run check -- boundaries',
    ]);
});

test('a file of a room asks for the tests that import it, and for those in the folder that follows the room', () => {
  expect(planned('lib/pawl/sqs/conclude.ts')).toContain(
    'vitest related --run --project unit lib/pawl/sqs/conclude.ts test/pawl/sqs/fifo.test.ts',
  );
});

test('a file that was deleted asks for the tests of its room', () => {
  expect(planned('lib/pawl/sqs/gone.ts')).toContain('vitest related --run --project unit test/pawl/sqs/fifo.test.ts');
});

test('a store asks for the laws, and a door does not', () => {
  const laws = (path: string) => planned(path).filter((line) => line.includes('--project laws'));
  expect(laws('lib/pawl/stores/dynamodb/store.ts')).toHaveLength(1);
  expect(laws('lib/pawl/sqs/conclude.ts')).toEqual([]);
});

test('the rules ask for every state and for 100,000 seeds', () => {
  expect(planned('lib/pawl/rules/decide.ts')).toEqual(
    expect.arrayContaining(['npm run model', 'npm run simulate -- --seeds 100000']),
  );
  expect(planned('lib/pawl/sqs/conclude.ts')).not.toContain('npm run model');
});

test('a page asks for its checks, and code of a package for what the package promises', () => {
  expect(checks('docs/guides/install.md')).toEqual(expect.arrayContaining(['links', 'snippets', 'spelling']));
  expect(checks('docs/guides/install.md')).not.toContain('api');
  expect(checks('lib/pawl/sqs/conclude.ts')).toContain('api');
  expect(checks('lib/pawl/sqs/conclude.ts')).not.toContain('spelling');
});

test('a test that changed runs in the project that it is of, with its servers', () => {
  expect(planned('test/suites/laws/claims.test.ts')).toContain('vitest run test/suites/laws/claims.test.ts');
});

test('what needs a registry is named, and not run', () => {
  const byHand = planOf(['lib/pawl/package.json'], tree).filter((step) => step.isByHand);
  expect(byHand.map(textOf)).toEqual(['npm run e2e -- package']);
});

/** The rooms of the repository have their tests where this looks for them. */
test.each([
  ['lib/pawl/host.ts', 'test/pawl'],
  ['lib/pawl/stores/dynamodb/lean.ts', 'test/pawl/stores'],
  ['lib/cdk/consumer.ts', 'test/cdk'],
  ['lib/rehearsal/file/judge.ts', 'test/rehearsal/file'],
  ['checks/release/parts.ts', 'test/checks/release'],
  ['proof/model/world.ts', 'test/proof/model'],
  ['vitest.config.ts', undefined],
])('the tests of %s are in %s', (path, folder) => {
  const real: Tree = { has: (one) => existsSync(join(root, one)), below: () => [] };
  expect(folderOfTests(path, real)).toBe(folder);
});
