import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adapters } from '../../../proof/mutants/adapters.ts';
import { core } from '../../../proof/mutants/core.ts';
import { killers, unitFolders } from '../../../proof/mutants/killers.ts';
import { broken } from '../../../proof/mutants/mutant.ts';

describe('a mutant', () => {
  it.each([...core, ...adapters])('still has its place in $file: $what', (mutant) => {
    const source = readFileSync(mutant.file, 'utf8');
    expect(broken(source, mutant)).not.toBe(source);
  });
});

describe('the checks that meet a mutant', () => {
  it('include the search and the unit tests of its folder, for every file of the claims and of SQS', () => {
    for (const { file } of [...core, ...adapters].filter(({ file }) => /^lib\/(claims|sqs)\//.test(file))) {
      const names = killers.filter(({ sees }) => sees(file)).map(({ name }) => name);
      expect(names).toEqual(['search', `unit tests of ${file.split('/')[1]}`, 'unit tests', 'laws', 'scenarios']);
    }
  });

  it('leave out the unit tests that any change of a text would fail', () => {
    const folders = unitFolders('.');
    for (const folder of folders) expect(existsSync(folder), folder).toBe(true);
    expect(folders).toContain('test/claims/');
    expect(folders).toContain('test/proof/simulation/');
    for (const blind of ['test/proof/mutants/', 'test/proof/model/', 'test/deployment/constructs/']) {
      expect(folders.filter((folder) => blind.startsWith(folder))).toEqual([]);
    }
  });
});
