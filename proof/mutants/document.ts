import type { Mutant } from './mutant.ts';

/** What became of a mutant. Without `by`, it survived. */
export interface Result {
  readonly mutant: Mutant;
  readonly by?: string;
  /** The test or the promise that it was found by. */
  readonly proof?: string;
  /** Until it was found, with those that it had got past. */
  readonly seconds: number;
}

export function documentOf(results: readonly Result[], mutants: number, commit: string, date: Date): string {
  const survivors = results.filter(({ by }) => by === undefined).length;
  const left = mutants - results.length;
  const unmet = left > 0 ? `; ${left} more are written down and were not reached in the time there was` : '';
  const day = date.toISOString().slice(0, 10);
  const rows = results.map(({ mutant, by, proof = '', seconds }) =>
    [mutant.what, `\`${mutant.file}\``, by ?? '**survived**', proof, String(seconds)].map(cell).join(' | '),
  );
  return `# Mutants

The protocol, broken by hand in one place after the other, and what noticed. A mutant is a text of one file and what takes its
place (\`proof/mutants\`); it is applied to a copy of the repository, and meets in this order: the exhaustive search within small
bounds, if the file is one that the search runs or compares its worker with; the unit tests of its own folder; all unit tests; the laws of the stores, on DynamoDB
Local; the scenarios and integration tests. The first that fails has found it. Each of them passes without a mutant, which is
checked in the same run. A mutant whose text is not found any more is an error.

\`\`\`sh
npm run mutants -- --write                # all of them
npm run mutants -- --only lib/claims/settle # some
\`\`\`

${day}, commit \`${commit}\`: **${results.length - survivors} of ${results.length} found**, ${survivors} survived${unmet}. Seconds are of a machine with two busy cores, and include those that
a mutant had got past; the search alone passes in about 13.

Broken | in | found by | which says | seconds
--- | --- | --- | --- | ---:
${rows.join('\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
