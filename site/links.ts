import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { outFolder } from './paths.ts';

/** Fails if a page of the built site links to a page or to a place that is not there. VitePress itself looks at the pages only. */
export function checkLinks(out = outFolder): void {
  const dead = deadLinks(out);
  if (dead.length > 0) throw new Error(`Links that lead nowhere:\n${dead.join('\n')}`);
}

function deadLinks(out: string): readonly string[] {
  const pages = new Map(
    globSync('**/*.html', { cwd: out }).map((path) => [path, readFileSync(join(out, path), 'utf8')]),
  );
  const places = new Map([...pages].map(([path, html]) => [path, placesOf(html)]));
  return [...pages].flatMap(([path, html]) =>
    [...new Set(Array.from(html.matchAll(/<a\b[^>]*\shref="([^"]+)"/g), ([, href = '']) => href))]
      .filter((href) => !/^(https?:|mailto:)/.test(href))
      .filter((href) => leadsNowhere(href, path))
      .map((href) => `${path}: ${href}`),
  );

  function leadsNowhere(href: string, from: string): boolean {
    const [target = '', place] = decodeURI(href).split('#');
    const file = fileOf(target, from);
    if (file === undefined) return true;
    return place !== undefined && place !== '' && places.has(file) && !places.get(file)?.has(place);
  }

  function fileOf(target: string, from: string): string | undefined {
    const path =
      target === '' ? from : normalize(target.startsWith('/') ? target.slice(1) : join(dirname(from), target));
    return [path, `${path}.html`, join(path, 'index.html')].find(
      (one) => pages.has(one) || (one !== '' && existsSync(join(out, one)) && one.includes('.')),
    );
  }
}

function placesOf(html: string): ReadonlySet<string> {
  return new Set(Array.from(html.matchAll(/\s(?:id|name)="([^"]+)"/g), ([, name = '']) => name));
}
