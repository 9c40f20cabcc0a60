import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rule } from '../lib/pawl/deployment/rules/rule.ts';
import { wiringRules } from '../lib/pawl/deployment/wiring-rules.ts';

/** Writes the table of the wiring rules into its page of the docs: `node checks/wiring-table.ts`. A test compares the two. */

const pagePath = fileURLToPath(new URL('../docs/reference/wiring.md', import.meta.url));
const [BEGIN, END] = ['<!-- rules: node checks/wiring-table.ts -->', '<!-- /rules -->'];

/** The table, and why a rule is not asked where it is not. */
export function wiringTable(): string {
  const rules: readonly (readonly [string, Rule])[] = Object.entries(wiringRules);
  const sources = [...new Map(rules.flatMap(([, { source }]) => (source ? [[source.url, source]] : [])))].map(
    ([, source]) => source,
  );
  const reasons = [
    ...new Set(
      rules.flatMap(([, rule]) =>
        [rule.construct, rule.template, rule.doctor].filter((cell): cell is string => cell !== true),
      ),
    ),
  ];
  const cell = (value: true | string, level: Rule['level']) =>
    value === true ? (level === 'problem' ? 'refused' : 'warned') : `– ${letter(reasons.indexOf(value))}`;
  const lines = rules.map(([name, { broken, because, level, construct, template, doctor, source }]) => {
    const note = source === undefined ? '' : ` [${sources.findIndex(({ url }) => url === source.url) + 1}]`;
    const cells = [cell(construct, level), cell(template, level), cell(doctor, level).replace('refused', 'problem')];
    return `| \`${name}\` | ${broken} | ${because}${note} | ${cells.join(' | ')} |`;
  });
  return [
    '| rule | what breaks it | because | construct | template | doctor |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    ...reasons.map((reason, index) => `- ${letter(index)}: ${reason}.`),
    '',
    ...sources.map(({ title, url }, index) => `${index + 1}. [${title}](${url})`),
  ].join('\n');
}

function letter(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

/** The part of the page that is written here. */
export function pageParts(page = readFileSync(pagePath, 'utf8')) {
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  return { before: page.slice(0, begin), table: page.slice(begin, end).trim(), after: page.slice(end) };
}

if (import.meta.main) {
  const { before, after } = pageParts();
  writeFileSync(pagePath, `${before}\n\n${wiringTable()}\n\n${after}`);
}
