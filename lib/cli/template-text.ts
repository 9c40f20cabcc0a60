import { type Format, Noted, noteLines, type TemplateOptions, templateOf, type Yaml } from 'pawl/deployment';
import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';

/** The text of a template, with a line break at its end. @throws {WiringError} when the options contradict each other */
export function templateText(format: Format, options?: TemplateOptions): string {
  const template = templateOf(format, options);
  if (template.kind === 'text') return template.text;
  // CloudFormation reads YAML 1.1, which takes more texts for something else, such as `on` or a date. These are quoted.
  const document = new Document(null, { version: '1.1' });
  document.contents = nodeOf(template.document, 0);
  return document.toString({ lineWidth: 0 });
}

function nodeOf(value: Yaml, indent: number): Scalar | YAMLMap | YAMLSeq {
  if (value instanceof Noted) throw new TypeError('A list has no comments on its entries.');
  if (typeof value !== 'object') return new Scalar(value);
  if (isList(value)) {
    const list = new YAMLSeq();
    list.items = value.map((one) => nodeOf(one, indent + 2));
    return list;
  }
  const short = shortForm(value);
  if (short !== undefined) return short;
  const map = new YAMLMap<Scalar, unknown>();
  for (const [name, given] of Object.entries(value)) {
    const [notes, inner] = given instanceof Noted ? [given.notes, given.value] : [[], given];
    const [key, node] = [new Scalar(name), nodeOf(inner, indent + 2)];
    if (notes.length > 0)
      key.commentBefore = noteLines(notes, indent)
        .map((line) => ` ${line}`)
        .join('\n');
    // The parts of a template are told apart by an empty line, and so is what takes several lines in them.
    const isLong = node instanceof YAMLSeq || (node instanceof YAMLMap && node.items.length > 0);
    key.spaceBefore = map.items.length > 0 && (indent === 0 || (indent === 2 && isLong));
    map.items.push(new Pair(key, node));
  }
  return map;
}

const tags: Readonly<Record<string, string>> = { Ref: '!Ref', 'Fn::GetAtt': '!GetAtt', 'Fn::Sub': '!Sub' };

/** CloudFormation's short form of a function, such as `!Ref Queue`. */
function shortForm(value: { readonly [name: string]: Yaml }): Scalar | undefined {
  const [[name = '', argument] = [], ...others] = Object.entries(value);
  const tag = tags[name];
  if (tag === undefined || argument === undefined || others.length > 0) return undefined;
  const short = new Scalar(isList(argument) ? argument.join('.') : argument);
  short.tag = tag;
  return short;
}

function isList(value: Yaml): value is readonly Yaml[] {
  return Array.isArray(value);
}
