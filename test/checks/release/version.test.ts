import { expect, test } from 'vitest';
import { type Manifest, manifestChanges } from '../../../checks/release/manifest.ts';
import { entryOf, isNamed, isNamedAsBreaking, isOfNewRecord, stepOf } from '../../../checks/release/version.ts';

test.each([
  ['0.1.0', '0.2.0', 'breaking'],
  ['0.1.0', '0.1.1', 'fix'],
  ['0.1.0-rc.1', '0.1.0', 'breaking'],
  ['0.9.0', '1.0.0', 'breaking'],
  ['1.0.0', '1.1.0', 'addition'],
  ['1.0.0', '1.0.1', 'fix'],
  ['1.4.2', '2.0.0', 'breaking'],
])('from %s to %s is a step that may contain at most: %s', (last, now, step) => {
  expect(stepOf(last, now)).toBe(step);
});

test.each([
  ['0.1.0', '0.1.0'],
  ['0.2.0', '0.1.9'],
  ['0.1.0', '0.1.0-rc.2'],
  ['0.1.0', 'one'],
])('from %s to %s is no step', (last, now) => {
  expect(stepOf(last, now)).toBeUndefined();
});

const changelog = `# Changelog

## Unreleased

- \`sendOnce\` takes a client.

## 0.2.0 (2026-12-01)

- **Breaking:** the option \`onInFlight\` is \`whenInFlight\` now,
  in \`eachMessage\` too.
- \`step\` is faster. **Breaking (types):** \`bodyField('a')\` is checked.

## 0.1.0 (2026-11-22)

First.
`;

test('the entry of a version is what stands below its heading, to the next one', () => {
  expect(entryOf(changelog, '0.1.0')).toBe('First.');
  expect(entryOf(changelog, 'Unreleased')).toBe('- `sendOnce` takes a client.');
  expect(entryOf(changelog, '0.2')).toBeUndefined();
});

test('a breaking change is named where a line marked as breaking has its name in code', () => {
  const entry = entryOf(changelog, '0.2.0') ?? '';
  expect(isNamedAsBreaking(entry, ['SqsOptions', 'onInFlight'])).toBe(true);
  expect(isNamedAsBreaking(entry, ['eachMessage'])).toBe(true);
  expect(isNamedAsBreaking(entry, ['bodyField'])).toBe(true);
  expect(isNamedAsBreaking(entry, ['inFlight'])).toBe(false);
  // It is named, and what breaks is something else.
  expect(isNamedAsBreaking(entry, ['step'])).toBe(false);
  expect(isNamed(entry, ['step'])).toBe(true);
});

test('a new record is declared by its mark, and not by the words alone', () => {
  expect(isOfNewRecord('- A claim has a phase: *new record*, see the guide.')).toBe(true);
  expect(isOfNewRecord('- A listener for each new record.')).toBe(false);
});

const manifest: Manifest = {
  name: 'pawl',
  version: '1.0.0',
  exports: { '.': {}, './sqs': { import: { default: './sqs.js' }, require: { default: './cjs/sqs.js' } } },
  bin: { pawl: './dist/cli/main.js' },
  engines: { node: '>=22' },
  peerDependencies: { '@aws-sdk/client-sqs': '^3.521.0' },
};
const changes = (change: Partial<Manifest>) =>
  manifestChanges(manifest, { ...manifest, ...change }).map(({ text }) => text);

test('package.json breaks its users when an entry or a command is gone, or more is demanded of Node or of a peer', () => {
  expect(changes({})).toEqual([]);
  expect(changes({ exports: { '.': {} } })).toEqual(['package.json has no entry ./sqs any more']);
  expect(changes({ exports: { '.': {}, './sqs': { import: { default: './sqs.js' } } } })).toEqual([
    'the entry ./sqs of package.json has no require any more',
  ]);
  expect(changes({ bin: {} })).toEqual(['package.json has no command pawl any more']);
  expect(changes({ engines: { node: '>=24' } })).toEqual(['node must be >=24 now, and >=22 was enough']);
  expect(changes({ peerDependencies: { '@aws-sdk/client-sqs': '^3.900.0' } })).toEqual([
    '@aws-sdk/client-sqs must be ^3.900.0 now, and ^3.521.0 was enough',
  ]);
});

test('a wider range of a peer, or a new peer, breaks no user; a new dependency is a change', () => {
  expect(changes({ peerDependencies: { '@aws-sdk/client-sqs': '^3.521.0 || ^4.0.0', zod: '^4.0.0' } })).toEqual([]);
  expect(changes({ dependencies: { zod: '^4.0.0' } })).toEqual(['zod is installed with the package now']);
});
