import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ENTRIES, exportsOf, MODULES_ONLY, typesVersionsOf, withEntries } from '../../checks/entries.ts';
import { rehearsalProject } from '../../checks/package/rehearsal.ts';
import { typesProject } from '../../checks/package/types.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

it('package.json names the entries, and every entry is a module of lib', () => {
  expect(manifest).toEqual(withEntries(manifest));
  for (const module of Object.values(ENTRIES)) expect(existsSync(join(ROOT, `lib/${module}.ts`)), module).toBe(true);
});

it('an entry has a module and types for import, for require, and for node10, which reads no exports', () => {
  const entries = { '.': 'index', './sqs': 'sqs/index' };
  expect(exportsOf(entries)).toMatchObject({
    './sqs': {
      import: { types: './dist/sqs/index.d.ts', default: './dist/sqs/index.js' },
      require: { types: './dist/cjs/sqs/index.d.ts', default: './dist/cjs/sqs/index.js' },
    },
  });
  expect(typesVersionsOf(entries)).toEqual({ '*': { sqs: ['dist/cjs/sqs/index.d.ts'] } });
});

it('the compiler of a CommonJS project finds the types of an entry that has modules only', () => {
  const entries = { './rehearsal': 'rehearsal/index' };
  const modules = { types: './dist/rehearsal/index.d.ts', default: './dist/rehearsal/index.js' };
  expect(exportsOf(entries)).toMatchObject({ './rehearsal': { default: modules } });
  expect(typesVersionsOf(entries)).toEqual({
    '*': { rehearsal: ['dist/rehearsal/index.d.ts'] },
  });
});

it('the types stand first in each condition, where TypeScript looks for them', () => {
  for (const [name, conditions] of Object.entries(exportsOf(ENTRIES))) {
    if (name === './package.json') continue;
    for (const condition of Object.values(conditions as object))
      expect(Object.keys(condition)).toEqual(['types', 'default']);
  }
});

it('every entry is imported by the fresh projects that the package is checked in', () => {
  const { files } = typesProject('7.0');
  const rehearsals = rehearsalProject().files['rehearsal.ts'];
  for (const entry of Object.keys(ENTRIES)) {
    const imported = MODULES_ONLY.has(entry) ? rehearsals : files['nodenext/all.ts'];
    expect(imported).toContain(`from '${entry.replace('.', 'pawl')}'`);
  }
});

it('every optional peer has a range', () => {
  const { peerDependencies, peerDependenciesMeta } = manifest;
  expect(Object.keys(peerDependencies)).toEqual(Object.keys(peerDependenciesMeta));
});
