import {
  beside,
  type Cell,
  type Core,
  cellOf,
  cores,
  type Door,
  labelOf,
  majorFor,
  type Position,
  pawlAt,
  positions,
  type Row,
  table,
} from './table.ts';

/** The tables of `docs/evidence/conformance.md`, each under the name of its marker. */
function pageTables(): ReadonlyMap<string, string> {
  return new Map([
    ['queue', tableOf('queue')],
    ['http', tableOf('http')],
    ['powertools', listOf(beside.map(({ name, reasons }) => `${name}: works${reasons === 'lost' ? why('¹') : ''}`))],
  ]);
}

function tableOf(door: Door): string {
  const rows = table.filter((row) => row.doors.includes(door));
  const reasons: string[] = [];
  const lines = rows.map((row) => {
    const cells = positions.map((position) => inWords(row, door, position, reasons));
    return `| ${[labelOf(row), triedWith(row), ...cells].join(' | ')} |`;
  });
  const heads = ['', 'majors, with core 5, 6, 7', ...positions.map((position) => `\`${pawlAt[door][position]}\``)];
  return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...lines, ...notes(reasons)].join('\n');
}

const triedWith = (row: Row): string => {
  const majors = cores.map((core) => majorFor(row, core));
  return new Set(majors).size === 1 ? String(majors[0]) : majors.join(', ');
};

function inWords(row: Row, door: Door, position: Position, reasons: string[]): string {
  const [oldest, ...newer] = cores.map((core) => wordOf(row, door, position, core, reasons));
  const [newest = ''] = newer;
  return oldest === newest ? newest : `${newest}; core 5: ${oldest}`;
}

function wordOf(row: Row, door: Door, position: Position, core: Core, reasons: string[]): string {
  const cell = cellOf(row, door, position, core);
  if (cell.kind === 'works') {
    const bare = door === 'http' && row.bare?.includes(position) ? why('²') : '';
    const rounds = door === 'http' && row.rounds?.includes(position) ? why('³') : '';
    return `works${rounds}${cell.reasons === 'lost' ? why('¹') : ''}${bare}`;
  }
  const reason = sentence(cell);
  if (!reasons.includes(reason)) reasons.push(reason);
  return `${cell.kind} ${letterOf(reasons.indexOf(reason))}`;
}

function sentence(cell: Exclude<Cell, { kind: 'works' }>): string {
  return cell.kind === 'refused' ? `The error says: \`${cell.sentence}\`.` : `${cell.reason}.`;
}

const why = (sign: string) => ` ${sign}`;
const letterOf = (index: number) => `(${String.fromCharCode(97 + index)})`;
const notes = (reasons: readonly string[]) =>
  reasons.length === 0 ? [] : ['', listOf(reasons.map((reason, index) => `${letterOf(index)} ${reason}`))];
const listOf = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');

/** The page with its tables filled in. @throws Error if a marker is missing */
export function withTables(page: string): string {
  let made = page;
  for (const [name, text] of pageTables()) {
    const between = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end of ${name} -->)`);
    if (!between.test(made)) throw new Error(`the page has no markers for the table ${name}`);
    made = made.replace(between, (_, begin: string, end: string) => `${begin}${text}\n${end}`);
  }
  return made;
}
