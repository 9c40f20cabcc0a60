import { type Note, noteLines } from './notes.ts';

/*
 * Writes YAML as people write templates: block style, CloudFormation's short forms, comments above values. It writes what the templates here contain,
 * and is no general writer: a text with a line break, or a map with a key that needs quotes, does not occur.
 */

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

/** The text of a document, with a line break at its end. */
export function yamlText(document: YamlMap): string {
  // A part of the document, such as its resources, is told apart by an empty line.
  const parts = Object.entries(document).map(([key, value]) => mapLines({ [key]: value }, 0, 2).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

/** @param spaced how many levels of maps have empty lines between their entries */
function mapLines(map: YamlMap, indent: number, spaced: number): readonly string[] {
  const pad = ' '.repeat(indent);
  return Object.entries(map).flatMap(([key, given], index) => {
    const [notes, value] = given instanceof Noted ? [given.notes, given.value] : [[], given];
    const gap = index > 0 && spaced > 0 && isBlock(value) ? [''] : [];
    return [
      ...gap,
      ...noteLines(notes, indent).map((line) => `${pad}# ${line}`),
      ...entryLines(`${pad}${key}:`, value, indent + 2, spaced - 1),
    ];
  });
}

function entryLines(head: string, value: Yaml, indent: number, spaced: number): readonly string[] {
  if (value instanceof Noted) throw new TypeError('A list has no comments on its entries.');
  const inline = inlineText(value);
  if (inline !== undefined) return [`${head} ${inline}`];
  return [head, ...blockLines(value, indent, spaced)];
}

function blockLines(value: Yaml, indent: number, spaced: number): readonly string[] {
  if (isList(value)) return value.flatMap((entry) => itemLines(entry, indent));
  return isMap(value) ? mapLines(value, indent, spaced) : [];
}

function itemLines(entry: Yaml, indent: number): readonly string[] {
  const pad = ' '.repeat(indent);
  const inline = inlineText(entry);
  if (inline !== undefined) return [`${pad}- ${inline}`];
  const [first = '', ...others] = blockLines(entry, indent + 2, 0);
  return [`${pad}- ${first.trimStart()}`, ...others];
}

function isBlock(value: Yaml): boolean {
  return inlineText(value) === undefined;
}

/** Undefined for what needs lines of its own. */
function inlineText(value: Yaml): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return scalar(value);
  if (isList(value)) return value.length === 0 ? '[]' : undefined;
  if (!isMap(value)) return undefined;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length !== 1 || name === undefined) return entries.length === 0 ? '{}' : undefined;
  if (name === 'Ref' && typeof argument === 'string') return `!Ref ${argument}`;
  if (name === 'Fn::GetAtt' && argument !== undefined && isList(argument)) return `!GetAtt ${argument.join('.')}`;
  if (name === 'Fn::Sub' && typeof argument === 'string') return `!Sub ${scalar(argument)}`;
  return undefined;
}

function isList(value: Yaml): value is readonly Yaml[] {
  return Array.isArray(value);
}

function isMap(value: Yaml): value is YamlMap {
  return typeof value === 'object' && !isList(value) && !(value instanceof Noted);
}

const PLAIN = /^[A-Za-z][\w./-]*(:{1,2}[A-Za-z][\w./-]*)*$/;
/** Texts that YAML 1.1, which CloudFormation reads, takes for something else. */
const MEANING = ['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'];

function scalar(value: string): string {
  return PLAIN.test(value) && !MEANING.includes(value.toLowerCase()) ? value : JSON.stringify(value);
}
