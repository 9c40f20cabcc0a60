import type { DefaultTheme } from 'vitepress';

/*
 * How the site is searched. VitePress writes both functions into the pages as text: they use nothing but what they are given.
 */

/**
 * The words of a text. A name of code is found by each of its ends as well: `eventKeyJmesPath` by `jmespath`, `onAbandoned` by `abandoned`.
 */
function tokenize(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).flatMap((word) => {
    const humps = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return humps.map((_, index) => humps.slice(index).join(''));
  });
}

/**
 * How much a section counts, by where it is. Guides before what is looked up: each option is on the pages of a dozen names, and they would fill the
 * list. Who searches for a function or a class by its name gets its page first.
 */
function boostDocument(id: string, term: string): number {
  if (id.startsWith('/reference/api/')) return id.toLowerCase().endsWith(`-${term}`) ? 1.5 : 0.15;
  if (id.startsWith('/evidence/') || id.startsWith('/changelog')) return 0.2;
  return id.startsWith('/guides/') || id.startsWith('/tutorial/') ? 2 : 1;
}

export const search = {
  provider: 'local',
  options: {
    miniSearch: {
      options: { tokenize },
      searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, boostDocument },
    },
  },
} as const satisfies { provider: 'local'; options: DefaultTheme.LocalSearchOptions };
