/**
 * The text of a member of a JSON object, as it stands in the document. Parsed and written again, it would have lost what a double cannot hold.
 *
 * @param text a JSON object that `JSON.parse` has accepted
 * @returns nothing if there is no such member. Of two with one name the last, which is the one that `JSON.parse` keeps
 */
export function memberText(text: string, name: string): string | undefined {
  let found: string | undefined;
  let at = afterSpace(text, 0) + 1;
  for (;;) {
    const start = afterSpace(text, at);
    if (text[start] !== '"') return found;
    const end = afterString(text, start);
    const valueStart = afterSpace(text, afterSpace(text, end) + 1);
    const valueEnd = afterValue(text, valueStart);
    if (JSON.parse(text.slice(start, end)) === name) found = text.slice(valueStart, valueEnd);
    // Behind the comma. Behind the end of the object, there is no name.
    at = afterSpace(text, valueEnd) + 1;
  }
}

const spaces = ' \t\n\r';

function afterSpace(text: string, at: number): number {
  let end = at;
  while (end < text.length && spaces.includes(text.charAt(end))) end++;
  return end;
}

function afterString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

function afterValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') {
      at = afterString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (depth === 0 && (character === ',' || character === '}' || spaces.includes(character))) return at;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
    at++;
  }
  return at;
}
