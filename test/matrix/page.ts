import { type Cell, cellOf, type Door, doors, type Feature, features, table } from './table.ts';

/** The tables of `docs/evidence/matrix.md`, by the marker that they stand behind. */
export function pageTables(): ReadonlyMap<string, string> {
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
  return [row(['', 'what is done and looked at', 'policies']), line(3), ...lines].join('\n');
}

/** What a cell says. @param sentences grows by those that are new */
function inWords(feature: Feature, door: Door, sentences: string[]): string {
  const cell = cellOf(feature, door);
  if (cell.kind === 'swept') return cell.note === undefined ? 'swept' : `swept, ${cell.note}`;
  const sentence = sentenceOf(cell);
  if (!sentences.includes(sentence)) sentences.push(sentence);
  const letter = letterOf(sentences.indexOf(sentence));
  return cell.kind === 'refused' ? `refused when it is set up ${letter}` : `no claim to use it with ${letter}`;
}

function sentenceOf(cell: Exclude<Cell, { kind: 'swept' }>): string {
  if (cell.kind === 'refused') return `It does not compile. Without types, the error says: \`${cell.sentence}\`.`;
  const why = `${cell.why[0]?.toUpperCase()}${cell.why.slice(1)}: to ask for a claim does not compile.`;
  if (cell.sentence === undefined) return why;
  return `${why} One that is made up is refused before anything runs: \`${cell.sentence}\`.`;
}

const row = (columns: readonly string[]) => `| ${columns.join(' | ')} |`;
const line = (columns: number) => `|${'---|'.repeat(columns)}`;
const letterOf = (index: number) => `(${String.fromCharCode(97 + index)})`;

/** A page with its tables in it. @throws Error where a marker is missing */
export function withTables(page: string): string {
  let made = page;
  for (const [name, text] of pageTables()) {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
    const from = made.indexOf(begin) + begin.length;
    const to = made.indexOf(end);
    if (from < begin.length || to < from) throw new Error(`the page has no place for the table ${name}`);
    made = `${made.slice(0, from)}${text}\n${made.slice(to)}`;
  }
  return made;
}
