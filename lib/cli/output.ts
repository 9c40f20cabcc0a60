import { styleText } from 'node:util';
import { plural, visible } from 'pawl/kernel';
import type { Io } from './command.ts';

export { plural };

/** A text that comes from a record or a message, as a terminal may show it. */
function shown(value: unknown): string {
  return value === undefined ? '' : visible(String(value));
}

/** One line of JSON for scripts. What a terminal would obey, or hide, is escaped in it, and its values are the same. */
export function printJson({ out }: Pick<Io, 'out'>, fields: object): void {
  out.line(JSON.stringify(fields));
}

/** The columns of a table: their names and widths, but that of the last one. */
export type Columns = readonly (readonly [name: string, width: number])[];

/** A table for people. The last column takes what is left of the line. */
export class Table {
  readonly #io: Io;
  readonly #widths: readonly number[];

  constructor(io: Io, columns: Columns) {
    this.#io = io;
    this.#widths = columns.map(([, width]) => width);
    const head = this.#line(columns.map(([name]) => name));
    io.out.text(`${io.out.isTTY ? styleText('bold', head) : head}\n`);
  }

  row(...cells: readonly unknown[]): void {
    this.#io.out.line(this.#line(cells.map(shown)));
  }

  #line(cells: readonly string[]): string {
    // A file or a pipe gets whole texts: it has no width.
    const { isTTY, columns = 120 } = this.#io.out;
    const line = cells
      .map((cell, index) => (index < cells.length - 1 ? cell.padEnd(this.#widths[index] ?? 0) : cell))
      .join('  ')
      .trimEnd();
    return isTTY && line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
  }
}

/** Prints what a list has found, one after the other: for scripts as JSON of this kind, for people as a row, with the head before the first. */
export function printer<One extends object>(
  io: Io,
  { json }: { readonly json: boolean },
  kind: string,
  columns: Columns,
  cells: (one: One) => readonly unknown[],
): (one: One) => void {
  if (json) return (one) => printJson(io, { kind, ...one });
  let table: Table | undefined;
  return (one) => {
    table ??= new Table(io, columns);
    table.row(...cells(one));
  };
}

/** Facts about one thing, a line each. What is not known is left out. */
export function printFacts({ out }: Io, facts: Readonly<Record<string, unknown>>): void {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length)) + 2;
  for (const [name, value] of known) out.line(`${name.padEnd(width)}${shown(value)}`);
}

/** A time for people: ISO 8601 to the second, and how long ago that is. */
export function time(at: number | undefined, now = Date.now()): string | undefined {
  if (at === undefined) return undefined;
  return `${new Date(at).toISOString().slice(0, 19)}Z (${at > now ? `in ${age(at - now)}` : `${age(now - at)} ago`})`;
}

/** A length of time in its largest unit. */
export function age(ms: number): string {
  if (ms >= 86_400_000) return `${Math.floor(ms / 86_400_000)} d`;
  if (ms >= 3_600_000) return `${Math.floor(ms / 3_600_000)} h`;
  if (ms >= 60_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** Says on the standard error how far a long work is: on a terminal, in place; elsewhere, a line for every thousand. */
export function progress({ error }: Io, what: string) {
  return {
    at(done: number, of?: number): void {
      const text = `${what}: ${done}${of === undefined ? '' : ` of ${of}`}`;
      if (error.isTTY) error.text(`\r${text}\u001b[K`);
      else if (done > 0 && done % 1000 === 0) error.line(text);
    },
    end(): void {
      if (error.isTTY) error.text('\r\u001b[K');
    },
  };
}

/** How many open things a list has shown. Where it has shown none, its filters may be why. */
export function openLine(count: number, thing: string, isFiltered: boolean): string {
  if (count > 0) return `${plural(count, `open ${thing}`)}.`;
  return isFiltered ? `No open ${thing} fits.` : `No ${thing} is open.`;
}
