import type { Node } from 'typescript/unstable/ast';

/** A docstring, and where it stands. */
export interface Comment {
  /** The declaration's file, from the root, and its line: `lib/pawl/index.ts:21`. */
  readonly place: string;
  /** What stands before the first tag; empty without a docstring. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly examples: readonly Example[];
}

export interface Example {
  readonly file: string;
  /** The line of its first line, from 1. */
  readonly line: number;
  readonly code: string;
}

/** The docstring right above a declaration. */
export function commentAbove(declaration: Node, root: string): Comment {
  const { text: source, fileName } = declaration.getSourceFile();
  const file = fileName.slice(root.length);
  const start = declaration.getStart();
  const trivia = source.slice(declaration.getFullStart(), start);
  const open = trivia.lastIndexOf('/**');
  const close = trivia.indexOf('*/', open);
  const place = `${file}:${lineAt(source, start)}`;
  if (open === -1) return { place, text: '', tags: [], examples: [] };
  const first = lineAt(source, declaration.getFullStart() + open);
  const lines = trivia
    .slice(open + '/**'.length, close)
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.replace(/^\s*\* ?/, '')).trimEnd());
  return { place, ...partsOf(lines, { file, firstLine: first }) };
}

/** The text of a docstring, its tags, and the code below each `@example`. */
function partsOf(
  lines: readonly string[],
  { file, firstLine }: { readonly file: string; readonly firstLine: number },
): Omit<Comment, 'place'> {
  const text: string[] = [];
  const tags: string[] = [];
  const examples: { line: number; code: string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const code = examples.at(-1)?.code;
    // In an example, only what begins a line is a tag: code may have an `@` after a space.
    const first = tags.at(-1) === 'example' ? /^\s*@([a-z]+)\b/i : /(?:^|\s)@([a-z]+)\b/i;
    const [found, tag] = first.exec(line) ?? [];
    if (found === undefined || tag === undefined) {
      if (tags.at(-1) === 'example') code?.push(line);
      else if (tags.length === 0) text.push(line);
      continue;
    }
    const [before = '', ...rest] = line.split(found);
    if (tags.length === 0) text.push(before);
    tags.push(tag);
    if (tag === 'example') examples.push({ line: firstLine + index, code: [rest.join(found)] });
  }
  return {
    text: text.join('\n').trim(),
    tags,
    examples: examples.map(({ line, code }) => ({ file, line, code: code.join('\n') })),
  };
}

function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}
