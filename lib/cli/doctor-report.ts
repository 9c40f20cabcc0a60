import { styleText } from 'node:util';
import type { Finding, Level } from 'pawl/deployment';
import { plural, visible } from 'pawl/kernel';

/** One function in one use, and the findings about it. */
export type Examined = { readonly functionName: string; readonly findings: readonly Finding[] } & (
  | { readonly kind: 'consumer'; readonly queueName: string | undefined }
  | { readonly kind: 'outbox'; readonly tableName: string }
  | { readonly kind: 'ends'; readonly workflowArn: string }
  | { readonly kind: 'scheduled' }
);

const shown: Readonly<Record<Level, string>> = { ok: 'ok', problem: 'PROBLEM', warning: 'warning', unknown: 'unknown' };
const colours = { ok: 'green', problem: 'red', warning: 'yellow', unknown: 'yellow' } as const;

const levelWidth = 9;
const aboutWidth = 14;

/** The findings as a table. `columns` is where its lines end; `colour` only when there is a terminal to show it. */
export function table(
  examined: readonly Examined[],
  { colour, columns }: { colour: boolean; columns: number },
): string {
  const paint = (level: Level, text: string) =>
    colour ? styleText(colours[level], text, { validateStream: false }) : text;
  const indent = 2 + levelWidth + aboutWidth;
  return examined
    .flatMap((one) => [
      visible(one.functionName),
      `  ${useOf(one)}`,
      ...one.findings.map(({ level, about, text }) => {
        const lines = wrap(visible(text), Math.max(40, columns - indent));
        const head = `  ${paint(level, shown[level].padEnd(levelWidth))}${about.padEnd(aboutWidth)}`;
        return head + lines.join(`\n${' '.repeat(indent)}`);
      }),
      '',
    ])
    .join('\n');
}

function useOf(one: Examined): string {
  if (one.kind === 'scheduled') return 'on a schedule';
  if (one.kind === 'ends') return `with the workflow ${visible(one.workflowArn)}`;
  if (one.kind === 'outbox') return `with the outbox ${visible(one.tableName)}`;
  return `fed by ${visible(one.queueName ?? 'a queue that could not be read')}`;
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The last line: how many findings of each level. */
export function summary(findings: readonly Finding[]): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const unknown = count('unknown');
  return (
    `${plural(count('problem'), 'problem')}, ${plural(count('warning'), 'warning')}` +
    `${unknown === 0 ? '' : `, ${unknown} unknown`}.`
  );
}
