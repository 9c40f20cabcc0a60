import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { killers, unitFolders } from '../../../proof/mutants/killers.ts';
import { type Mutant, nameOf } from '../../../proof/mutants/mutant.ts';
import { mutants } from '../../../proof/mutants/mutants.ts';
import { functionsOf, planted } from '../../../proof/mutants/planted.ts';

const repository = join(import.meta.dirname, '../../..');

describe('a mutant', () => {
  it.each(mutants)('replaces functions that $module exports: $what', async ({ module, breakage }) => {
    const original: Record<string, unknown> = await import(join(repository, module));
    const broken = Object.entries(breakage(original));
    expect(broken).not.toEqual([]);
    for (const [name, replacement] of broken) {
      expect(original[name], name).toBeTypeOf('function');
      expect(replacement, name).toBeTypeOf('function');
      expect(replacement).not.toBe(original[name]);
    }
  });

  it('has a name of its own', () => {
    const names = mutants.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('planting', () => {
  const [mutant] = mutants as readonly [Mutant, ...Mutant[]];
  const source =
    'export async function decide() {}\nexport class Retry {}\nexport const done = {};\nfunction hidden() {}\n';

  it('replaces the exported functions and classes of the module, and nothing else', () => {
    expect(functionsOf(source)).toEqual(['decide', 'Retry']);
    const broken = planted(source, join(repository, mutant.module), nameOf(mutant));
    expect(broken).toContain('({ decide, Retry } = { decide, Retry, ...plantMutant({ decide, Retry }) });');
    expect(broken.startsWith(source)).toBe(true);
  });

  it('leaves every other module as it is, and every module if no mutant is named', () => {
    expect(planted(source, join(repository, 'lib/pawl/kernel/retry.ts'), nameOf(mutant))).toBe(source);
    expect(planted(source, join(repository, mutant.module), undefined)).toBe(source);
  });
});

describe('the checks that meet a mutant', () => {
  it.each([
    ['lib/pawl/kernel/key.ts', ['unit tests of kernel', 'unit tests of rules', 'unit tests of engine', 'search']],
    [
      'lib/pawl/rules/decide.ts',
      [
        'unit tests of rules',
        'unit tests of engine',
        'unit tests of operate',
        'unit tests of sweep',
        'unit tests of statements',
        'unit tests of sqs',
        'unit tests of middy',
        'search',
      ],
    ],
    ['lib/pawl/statements/finding.ts', ['unit tests of statements']],
    ['lib/pawl/sqs/limit.ts', ['unit tests of sqs', 'unit tests of middy', 'search']],
    ['lib/pawl/stores/dynamodb/put.ts', ['unit tests of stores']],
  ])('are those near %s first, and then all others', (module, first) => {
    const names = killers.filter(({ sees }) => sees(module)).map(({ name }) => name);
    expect(names).toEqual([...first, 'laws', 'unit tests', 'scenarios', 'long laws and sweeps']);
  });

  it('leave out the unit tests that have run, and those of the mutants themselves', () => {
    const folders = unitFolders();
    for (const folder of folders) expect(existsSync(folder), folder).toBe(true);
    expect(folders).toContain('test/pawl/rules/');
    expect(folders).toContain('test/proof/simulation/');
    for (const blind of ['test/proof/mutants/', 'test/proof/model/']) {
      expect(folders.filter((folder) => blind.startsWith(folder))).toEqual([]);
    }
  });
});
