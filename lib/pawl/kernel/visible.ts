/**
 * What a terminal or a browser obeys, or does not show: control characters, line ends, the marks that turn the reading direction, what has no width, and
 * halves of a surrogate pair.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * A text that others wrote, such as a key, an error or a note, as an operator may see it. What hides is written out, as JSON does: `\u202e`. So two keys
 * that differ look different, no key turns the text behind it around, and a terminal obeys none. JSON stays the same JSON.
 *
 * @param kept the characters that stay as they are: the line ends and tabs of a body
 */
export function visible(text: string, kept = ''): string {
  return text.replace(hidden, (found) => (kept.includes(found) ? found : writtenOut(found)));
}

/** The characters of a text as it stands in the source of a regular expression or a JSON text: each half of a surrogate pair by itself. */
function writtenOut(found: string): string {
  return Array.from({ length: found.length }, (_, index) => {
    const code = found.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${code}`;
  }).join('');
}
