/** One way to break the protocol. */
export interface Mutant {
  readonly what: string;
  readonly file: string;
  /** Has to be in the file exactly once. */
  readonly find: string;
  readonly put: string;
}

/** @throws Error when the text is not there any more, or is there more than once: then nobody knows what would be broken */
export function broken(source: string, { find, put, file, what }: Mutant): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`${file}, "${what}": its text is there ${times} times: ${JSON.stringify(find)}`);
  return source.replace(find, () => put);
}
