/**
 * The files that a page lets its reader make, by their paths: the blocks of code whose first line is a comment with a path.
 *
 * @param text the page, in Markdown
 */
export function filesOfPage(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/```(?:ts|js)\n(\/\/ (\S+\.(?:ts|js))\n[\s\S]*?)```/g)].map(([, code = '', path = '']) => [
      path,
      code,
    ]),
  );
}
