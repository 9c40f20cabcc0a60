import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { siteSections } from './nav.ts';
import { addressOf, titleOf } from './page.ts';
import { outFolder, pages } from './paths.ts';

/** The pages for programs that read Markdown: each beside its HTML, and `llms.txt`, which lists them (llmstxt.org). */
export function writeForMachines(): void {
  for (const path of globSync('**/*.md', { cwd: pages })) {
    if (!existsSync(join(outFolder, path.replace(/\.md$/, '.html')))) throw new Error(`${path} has no HTML.`);
    mkdirSync(dirname(join(outFolder, path)), { recursive: true });
    cpSync(join(pages, path), join(outFolder, path));
  }
  writeFileSync(
    join(outFolder, 'llms.txt'),
    llmsText((path) => readFileSync(join(pages, path), 'utf8')),
  );
}

function llmsText(read: (path: string) => string): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const sections = siteSections.map(({ title, about, groups }) => {
    const pages = groups.flatMap(({ pages }) => pages).map(addressOf);
    const lines = pages.map((page) => `- [${titleOf(read(`${page}.md`))}](/${page}.md)`);
    return `## ${title}\n\n${about}\n\n${lines.join('\n')}`;
  });
  return `# pawl

> pawl makes the effect of a message happen once: SQS consumers on AWS Lambda, a DynamoDB table of claims, a Middy middleware and CDK constructs. This is version ${version}.

${sections.join('\n\n')}

## Names

- [Every public name](/reference/api/index.md)
`;
}
