import { type RuleName, wiringRules } from '../wiring-rules.ts';

/*
 * The values of a printed template, with their comments: which rules each value obeys. The text of a rule is that of `wiring-rules.ts`, so that a template
 * and `docs/reference/wiring.md` cannot differ. Who prints it writes the values as YAML, as `lib/cli` does: a stack that only deploys needs no writer.
 */

/** The widest line of a comment. */
const columns = 100;

/** What stands above a value: a sentence of our own, or the names of rules. */
export type Note =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rule'; readonly rule: RuleName };

export function text(sentence: string): Note {
  return { kind: 'text', text: sentence };
}

export function rules(...names: readonly RuleName[]): readonly Note[] {
  return names.map((rule) => ({ kind: 'rule', rule }));
}

/** The lines of the comments, each without its mark. */
export function noteLines(notes: readonly Note[], indent: number): readonly string[] {
  return notes.flatMap((note) => wrapped(note.kind === 'text' ? note.text : ruleText(note.rule), columns - indent - 2));
}

function ruleText(name: RuleName): string {
  const { broken, because, level } = wiringRules[name];
  return `${level === 'problem' ? 'Refused' : 'Warned'} (${name}): ${withoutLinks(broken)}. Reason: ${because}.`;
}

/** A comment cannot link to a heading of `docs/reference/wiring.md`. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/ \(\[[^\]]+\]\([^)]*\)\)/g, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

function wrapped(sentence: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A value of CloudFormation's language, as JSON writes it. */
export type Yaml = string | number | boolean | readonly Yaml[] | YamlMap | Noted;

export interface YamlMap {
  readonly [key: string]: Yaml;
}

/** A value of a map with comments above its key. */
export class Noted {
  readonly notes: readonly Note[];
  readonly value: Yaml;

  constructor(notes: readonly Note[], value: Yaml) {
    this.notes = notes;
    this.value = value;
  }
}

export function noted(notes: readonly Note[], value: Yaml): Noted {
  return new Noted(notes, value);
}

/** A template: what becomes YAML, or a text of another language. */
export type Template =
  | { readonly kind: 'yaml'; readonly document: YamlMap }
  | { readonly kind: 'text'; readonly text: string };
