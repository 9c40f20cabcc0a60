import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adapters } from './adapters.ts';
import { core } from './core.ts';
import { broken } from './mutant.ts';

describe('a mutant', () => {
  it.each([...core, ...adapters])('still has its place in $file: $what', (mutant) => {
    const source = readFileSync(mutant.file, 'utf8');
    expect(broken(source, mutant)).not.toBe(source);
  });
});
