/** A number and what it counts: `1 sandbox`, `2 sandboxes`. @param many for what has no plural in -s @default the word with an s */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
