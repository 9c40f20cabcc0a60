import { type Cell, cellOf, type Door, doors, type Feature, features, table } from './table.ts';

/** The tables of `docs/evidence/matrix.md`, each under the name of its marker. */
function pageTables(): ReadonlyMap<string, string> {
  return new Map([
    ['matrix', matrix()],
    ['asserts', asserted()],
  ]);
}

function matrix(): string {
  const sentences: string[] = [];
  const lines = features.map((feature) =>
    row([table[feature].label, ...doors.map((door) => inWords(feature, door, sentences))]),
  );
  const notes = sentences.map((sentence, index) => `- ${letterOf(index)} ${sentence}`);
  return [row(['', ...doors.map((door) => `\`${door}\``)]), line(doors.length + 1), ...lines, '', ...notes].join('\n');
}

function asserted(): string {
  const lines = features.map((feature) => {
    const { label, asserts, whose, policies } = table[feature];
    return row([label, asserts, `${policies.map((policy) => `\`${policy}\``).join(', ')}, ${whose}`]);
  });
  return [row(['', 'what the handler does, and what is checked', 'policies']), line(3), ...lines].join('\n');
}

/** The text of a cell. @param sentences collects the notes; a new sentence is added */
function inWords(feature: Feature, door: Door, sentences: string[]): string {
  const cell = cellOf(feature, door);
  if (cell.kind === 'swept') return cell.note === undefined ? 'swept' : `swept, ${cell.note}`;
  const sentence = sentenceOf(cell);
  if (!sentences.includes(sentence)) sentences.push(sentence);
  const letter = letterOf(sentences.indexOf(sentence));
  return cell.kind === 'refused' ? `refused at setup ${letter}` : `no claim ${letter}`;
}

function sentenceOf(cell: Exclude<Cell, { kind: 'swept' }>): string {
  if (cell.kind === 'refused') return `It does not compile. Without types, the error says: \`${cell.sentence}\`.`;
  const why = `${cell.why[0]?.toUpperCase()}${cell.why.slice(1)}. Code that asks for a claim does not compile.`;
  if (cell.sentence === undefined) return why;
  return `${why} A made-up claim is refused before anything runs: \`${cell.sentence}\`.`;
}

const row = (columns: readonly string[]) => `| ${columns.join(' | ')} |`;
const line = (columns: number) => `|${'---|'.repeat(columns)}`;
const letterOf = (index: number) => `(${String.fromCharCode(97 + index)})`;

/** The page with its tables filled in. @throws Error if a marker is missing */
export function withTables(page: string): string {
  let made = page;
  for (const [name, text] of pageTables()) {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
    const from = made.indexOf(begin) + begin.length;
    const to = made.indexOf(end);
    if (from < begin.length || to < from) throw new Error(`the page has no markers for the table ${name}`);
    made = `${made.slice(0, from)}${text}\n${made.slice(to)}`;
  }
  return made;
}
