/**
 * From a page of `docs/` to a page of the site. The pages are written to be read in a file as well, on GitHub and in the installed package: the few
 * things that differ are changed here.
 */

/** What a heading is called in an address, as GitHub calls it: the links between the pages use these names. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/<[^>]+>/g, '')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** The first heading of a page: its name. */
export function titleOf(markdown: string): string {
  const heading = /^# (.+)$/m.exec(markdown)?.[1];
  if (heading === undefined) throw new Error('The page has no heading.');
  return heading.replace(/`/g, '');
}

/** Where a page of `docs/` is on the site, without an extension. */
export function addressOf(path: string): string {
  return path.replace(/\.md$/, '').replace(/(^|\/)README$/, '$1index');
}

/** A page without what is for the checks only, and with its links as the site has them. */
export function siteMarkdown(markdown: string): string {
  return outsideCode(markdown.replace(/<!--[\s\S]*?-->\n?/g, ''), (text) =>
    text
      .replace(/\]\((?:\.\.\/)+CHANGELOG\.md/g, '](/changelog.md')
      .replace(/\]\(([^)\s]*?)README\.md/g, ']($1index.md')
      .replace(picture, (_, dark: string, alt: string, light: string) => inBoth(light, dark, alt)),
  );
}

const picture =
  /<picture>\s*<source[^>]*srcset="([^"]+)"[^>]*>\s*<img[^>]*alt="([^"]*)"[^>]*src="([^"]+)"[^>]*>\s*<\/picture>/g;

/** The site has a switch for light and dark, which a `<picture>` does not follow. */
export function inBoth(light: string, dark: string, alt: string): string {
  return `<img class="in-light" src="${light}" alt="${alt}"><img class="in-dark" src="${dark}" alt="${alt}">`;
}

/** Changes a page's text, and leaves its blocks of code as they are. */
function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
}
