import type { ComponentChildren } from 'preact';
import type { Selection } from './selection.ts';

/** A table whose rows can be selected. */
export function Rows<Row>({
  caption,
  rows,
  selection,
  heads,
  children,
}: {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly selection: Selection<Row>;
  /** The heads of its columns, after that of the ticks. */
  readonly heads: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <table class="list">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th class="tick">
            <input
              type="checkbox"
              aria-label="Select this page"
              checked={rows.every((row) => selection.has(row))}
              onChange={() => selection.toggleAll(rows)}
            />
          </th>
          {heads}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** The first cell of a row. */
export function Tick<Row>({
  row,
  name,
  selection,
}: {
  readonly row: Row;
  readonly name: string;
  readonly selection: Selection<Row>;
}) {
  return (
    <td class="tick">
      <input
        type="checkbox"
        checked={selection.has(row)}
        aria-label={`Select ${name}`}
        onChange={() => selection.toggle(row)}
      />
    </td>
  );
}
