export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** For a terminal: columns of equal width, numbers to the right. */
export function asText({ title, head, rows }: Table): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((text, i) => (isText(head[i]) ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  ');
  return [title, '', line(head), ...rows.map(line)].map((one) => one.trimEnd()).join('\n');
}

export function asMarkdown({ title, head, rows }: Table): string {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  const rule = head.map((name) => (isText(name) ? '---' : '--:'));
  return [`### ${title}`, '', line(head), line(rule), ...rows.map(line)].join('\n');
}

function isText(name: string | undefined): boolean {
  return name === 'contender';
}
