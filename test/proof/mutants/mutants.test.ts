import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adapters } from '../../../proof/mutants/adapters.ts';
import { core } from '../../../proof/mutants/core.ts';
import { broken } from '../../../proof/mutants/mutant.ts';

describe('a mutant', () => {
  it.each([...core, ...adapters])('still has its place in $file: $what', (mutant) => {
    const source = readFileSync(mutant.file, 'utf8');
    expect(broken(source, mutant)).not.toBe(source);
  });
});
