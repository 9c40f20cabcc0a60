import type { ComponentChildren } from 'preact';
import { useKeys } from './keyboard.ts';
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
  useKeys({ X: () => selection.toggleAll(rows) });
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

/** What was found and what is selected of it, and the act on either. The key `a` acts on what is selected. */
export function ActBar<Row>({
  found,
  all,
  selection: { rows, clear },
  write,
  verb,
  onSelected,
  onAll,
  children,
}: {
  /** Such as `3 messages`. */
  readonly found: string;
  /** How many rows `onAll` acts on. */
  readonly all: number;
  readonly selection: Selection<Row>;
  readonly write: boolean;
  /** Such as `Redrive`. */
  readonly verb: string;
  readonly onSelected: () => void;
  readonly onAll: () => void;
  /** Other acts. */
  readonly children?: ComponentChildren;
}) {
  useKeys({
    a() {
      if (write && rows.length > 0) onSelected();
    },
  });
  return (
    <div class="act-bar">
      <p role="status">
        {found}
        {rows.length > 0 && `, ${rows.length.toLocaleString('en')} selected`}
      </p>
      {rows.length > 0 && (
        <button type="button" class="small" onClick={clear}>
          Select none
        </button>
      )}
      {write && (
        <>
          <button type="button" class="main" disabled={rows.length === 0} onClick={onSelected}>
            {verb} selected …
          </button>
          <button type="button" disabled={all === 0} onClick={onAll}>
            {verb} all {all.toLocaleString('en')} …
          </button>
          {children}
        </>
      )}
    </div>
  );
}
