import { type Command, usageOf, wordsOf } from '../../lib/cli/command.ts';
import { commands } from '../../lib/cli/commands.ts';
import type { Option } from '../../lib/cli/option.ts';

/* The reference of the command line, as `docs/reference/commands.md` and `command-line.md` print it: all of it is derived from the rows. */

/** The parts of a page, each under the name of its marker. */
const parts: Readonly<Record<string, () => string>> = {
  list: () =>
    table(
      ['command', 'what it does'],
      commands.map((row) => [`[\`pawl ${row.name}\`](commands.md#pawl-${row.name})`, row.summary]),
    ),
  shared: sharedOptions,
  commands: () => commands.map(sectionOf).join('\n\n'),
};

/** A page with its parts as they are now. */
export function withParts(page: string): string {
  return page.replace(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${parts[name]?.() ?? ''}\n${end}`,
  );
}

const all = commands.flatMap((row) => Object.entries(row.options).map(([name, option]) => ({ row, name, option })));

function isShared(option: Option): boolean {
  return all.filter((one) => one.option === option).length > 1;
}

/** The options that more than one row refers to, each with the names of these commands. */
function sharedOptions(): string {
  const ofOption = Map.groupBy(
    all.filter(({ option }) => isShared(option)),
    ({ option }) => option,
  );
  const rows = Array.from(ofOption, ([option, uses]) => {
    const commands = uses.map(({ row }) => row.name);
    return [...cellsOf(uses[0]?.name ?? '', option), commands.join(', ')];
  });
  return table(['option', 'what it means', 'without it', 'of'], rows);
}

function sectionOf(row: Command): string {
  const options = Object.entries(row.options);
  const own = options.filter(([, option]) => !isShared(option)).map(([name, option]) => cellsOf(name, option));
  const others = options.filter(([, option]) => isShared(option)).map(([name]) => `\`--${name}\``);
  const examples = row.examples.map((example) => `npx pawl ${row.name} ${example}`.trimEnd());
  return [
    `### pawl ${row.name}`,
    `\`${usageOf(row)}\``,
    prose(row.about),
    ...(own.length === 0 ? [] : [table(['option', 'what it means', 'without it'], own)]),
    ...(others.length === 0 ? [] : [`[Shared](#shared-options): ${others.join(', ')}.`]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    ...[row.more, row.exits].filter((text) => text !== undefined).map(prose),
    `[The guide](../${row.guide}).`,
  ].join('\n\n');
}

function cellsOf(name: string, option: Option): readonly string[] {
  const { head, about } = wordsOf(name, option);
  return [`\`${head}\``, prose(about), prose(option.otherwise ?? '')];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

/** Text of a help as Markdown: what it sets in is code, and so is what an operator types. */
function prose(text: string): string {
  return text
    .split('\n\n')
    .map((part) =>
      part.startsWith('  ') ? `\`\`\`sh\n${part}\n\`\`\`` : part.replace(/<[\w ]+>|--[a-z][\w-]*|'[^' ]+'/g, '`$&`'),
    )
    .join('\n\n');
}
