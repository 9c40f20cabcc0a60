import { type Note, noteLines } from './notes.ts';

/*
 * Writes Terraform's language as `terraform fmt` does: two spaces, the equals signs of neighbours below each other, comments above. An expression is
 * text that is already in that language: `quoted` makes one of a value.
 */

export type HclEntry =
  | { readonly kind: 'attribute'; readonly name: string; readonly expression: string; readonly notes: readonly Note[] }
  | {
      readonly kind: 'block';
      readonly head: string;
      readonly body: readonly HclEntry[];
      readonly notes: readonly Note[];
    };

export function attribute(name: string, expression: string | number | boolean, notes: readonly Note[] = []): HclEntry {
  return { kind: 'attribute', name, expression: String(expression), notes };
}

export function block(head: string, body: readonly HclEntry[], notes: readonly Note[] = []): HclEntry {
  return { kind: 'block', head, body, notes };
}

export function quoted(value: string): string {
  return JSON.stringify(value);
}

/** A list or an object over several lines, for instance the argument of `jsonencode`. An {@link Expression} stays as it is. */
export type HclValue =
  | string
  | number
  | boolean
  | Expression
  | readonly HclValue[]
  | { readonly [name: string]: HclValue };

/** A reference or a call, as opposed to a text. */
export class Expression {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

export function jsonencode(value: HclValue): string {
  return `jsonencode(${valueText(value)})`;
}

export function valueText(value: HclValue, indent = 0): string {
  if (value instanceof Expression) return value.source;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  const [pad, end] = [' '.repeat(indent + 2), ' '.repeat(indent)];
  if (isList(value)) {
    const simple = value.every((one) => typeof one !== 'object' || one instanceof Expression);
    if (simple && value.length <= 1) return `[${value.map((one) => valueText(one, indent)).join(', ')}]`;
    return `[\n${value.map((one) => `${pad}${valueText(one, indent + 2)},\n`).join('')}${end}]`;
  }
  const lines = Object.entries(value).map(([name, one]) => [plainKey(name), valueText(one, indent + 2)] as const);
  return `{\n${aligned(lines)
    .map((line) => `${pad}${line}\n`)
    .join('')}${end}}`;
}

function isList(value: HclValue): value is readonly HclValue[] {
  return Array.isArray(value);
}

function plainKey(name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? name : quoted(name);
}

/** The text of a file, with a line break at its end. */
export function hclText(entries: readonly HclEntry[]): string {
  return `${entries.map((entry) => entryLines([entry], 0).join('\n')).join('\n\n')}\n`;
}

function entryLines(entries: readonly HclEntry[], indent: number): readonly string[] {
  const pad = ' '.repeat(indent);
  const lines: string[] = [];
  let run: (readonly [string, string])[] = [];
  const flush = () => {
    lines.push(...aligned(run).map((line) => `${pad}${line.replaceAll('\n', `\n${pad}`)}`));
    run = [];
  };
  for (const entry of entries) {
    // A block and what has comments stand apart.
    if (entry.notes.length > 0 || entry.kind === 'block') {
      flush();
      if (lines.length > 0) lines.push('');
    }
    lines.push(...noteLines(entry.notes, indent).map((line) => `${pad}# ${line}`));
    if (entry.kind === 'attribute') run.push([entry.name, entry.expression]);
    else lines.push(`${pad}${entry.head} {`, ...entryLines(entry.body, indent + 2), `${pad}}`);
  }
  flush();
  return lines;
}

/** The equals signs of neighbours are below each other. A value of several lines ends a neighbourhood. */
function aligned(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const groups: (readonly [string, string])[][] = [[]];
  for (const pair of pairs) {
    const isLong = pair[1].includes('\n');
    if (isLong) groups.push([pair], []);
    else groups.at(-1)?.push(pair);
  }
  return groups.flatMap((group) => {
    const width = Math.max(0, ...group.map(([name]) => name.length));
    return group.map(([name, value]) => `${name.padEnd(width)} = ${value}`);
  });
}
