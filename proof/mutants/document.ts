/** The result of one mutant. Without `by`, it survived. */
export interface Result {
  readonly what: string;
  readonly module: string;
  readonly by?: string;
  /** The test or the promise that found it. */
  readonly proof?: string;
  /** Until it was found, including the checks that it passed. */
  readonly seconds: number;
}

export function documentOf(results: readonly Result[], mutants: number, commit: string, date: Date): string {
  const survivors = results.filter(({ by }) => by === undefined).length;
  const left = mutants - results.length;
  const unmet = left > 0 ? `; the time was too short for ${left} more` : '';
  const day = date.toISOString().slice(0, 10);
  const rows = results.map(({ what, module, by, proof = '', seconds }) =>
    [what, `\`${module}\``, by ?? '**survived**', proof, String(seconds)].map(cell).join(' | '),
  );
  return `# Mutants

A mutant breaks one behaviour of the protocol on purpose. It is a function that takes the place of one that a module exports (\`proof/mutants\`). Node and Vitest load that module with the replacement in it, and no
file is changed. A mutant depends on what a module exports, not on how its source is spelt. The compiler checks its types: if a function is renamed and its mutant is not, the compilation fails.

A mutant goes through these checks, in this order. The first check that fails has found it.

1. The unit tests of the module's own room, and of the rooms that stand on it.
2. The exhaustive search within small bounds, if the module is one that the search runs or compares its worker with.
3. The laws of the stores, in memory and on DynamoDB Local.
4. All unit tests.
5. The scenarios and the integration tests.

The same run checks that each of them passes without a mutant.

\`\`\`sh
npm run campaign -- mutants --write                       # all of them
npm run campaign -- mutants --only lib/pawl/rules/settle # some
\`\`\`

${day}, commit \`${commit}\`: **${results.length - survivors} of ${results.length} found**, ${survivors} survived${unmet}. The seconds include the checks that a mutant passed. They belong to a machine
with two busy cores, on which the search alone passes in about 13 s.

mutant | module | found by | test or promise | seconds
--- | --- | --- | --- | ---:
${rows.join('\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
