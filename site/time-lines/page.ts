import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBoth } from '../page.ts';
import { pages } from '../paths.ts';
import { draw } from './draw.ts';
import { readStories, type Story } from './story.ts';

/** The policies of the guarantee table, as the stories name them. */
const columns = {
  'retry-honoured': "'retry', and the provider honours the effect key",
  'retry-ignored': "'retry', and the provider ignores the effect key",
  park: "'park'",
  reconcile: 'reconcile, and the provider ignores the effect key',
} as const;

/** A page with the time-lines that it asks for: `<!-- time-lines: wrote-claim -->`, for each policy. */
export function withTimeLines(markdown: string): string {
  return markdown.replace(/<!-- time-lines: ([a-z-]+) -->/g, (_, point: string) =>
    Object.entries(columns)
      .map(([column, title]) => figure(`${column}-${point}`, title))
      .join('\n\n'),
  );
}

function figure(cell: string, policy: string): string {
  const story = readStories().get(cell);
  if (story === undefined) throw new Error(`There is no story ${cell}.`);
  const outcome = outcomeOf(story);
  mkdirSync(join(pages, 'public/time-lines'), { recursive: true });
  for (const scheme of ['light', 'dark'] as const)
    writeFileSync(
      join(pages, `public/time-lines/${cell}-${scheme}.svg`),
      draw(story, `Under ${policy}: ${outcome}`, scheme),
    );
  const alt = `Under ${policy}: ${story.map(({ worker, act }) => `worker ${worker} ${act}`).join(', ')}.`;
  const image = inBoth(`/time-lines/${cell}-light.svg`, `/time-lines/${cell}-dark.svg`, alt);
  return `<details><summary>Under ${policy}: <strong>${outcome}</strong></summary>\n\n${image}\n\n</details>`;
}

/** What came of it, as the story says. */
function outcomeOf(story: Story): string {
  const effects = story.filter(({ act }) => act === 'applies').length;
  if (story.some(({ act }) => act === 'parks'))
    return effects === 0 ? 'parked, it did not happen' : 'parked, it happened';
  if (effects === 1) return 'once';
  return effects === 2 ? 'twice' : `${effects} times`;
}
