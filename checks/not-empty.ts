/**
 * The list itself. What is held of each of its members is held of nothing when it is empty: a folder has moved, or an expression
 * matches no text any more.
 *
 * @param what what the list is of, as the beginning of a sentence
 * @throws TypeError if the list is empty
 */
export function notEmpty<Item>(what: string, list: readonly Item[]): readonly Item[] {
  if (list.length > 0) return list;
  throw new TypeError(
    `${what}: expected at least one, found none. Look for what has moved or is written in another way.`,
  );
}
