import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundleProblems, measureBundles, plain } from './bundles.ts';
import { type FirstDelivery, measureFirstDelivery } from './first-delivery.ts';

/**
 * Reports what a plain consumer costs, each figure beside the last committed one, and what every bundle is made of. Clarity comes before
 * bytes, so no figure fails; CDK in a bundle does. `npm run release -- sizes` writes the figures to `checks/sizes.json`.
 *
 * Only the import time depends on the machine: compare it on one machine.
 */

const committed = fileURLToPath(new URL('sizes.json', import.meta.url));

interface Figures extends FirstDelivery {
  readonly minifiedBytes: number;
  readonly gzippedBytes: number;
  /** Of the minified bytes, those of pawl. */
  readonly pawlBytes: number;
}

type Sizes = Readonly<Record<string, Figures>>;

async function figuresOf({ entry, total, gzipped, own }: Bundle): Promise<Figures> {
  return { minifiedBytes: total, gzippedBytes: gzipped, pawlBytes: own, ...(await measureFirstDelivery(entry)) };
}

async function measureConsumers(bundles: readonly Bundle[]): Promise<Sizes> {
  const sizes: Record<string, Figures> = {};
  // One after the other: side by side, they would slow each other's imports down.
  for (const bundle of bundles.filter(({ entry }) => entry.startsWith(`${plain}/`))) {
    sizes[bundle.entry] = await figuresOf(bundle);
  }
  return sizes;
}

function committedSizes(): Partial<Sizes> {
  return existsSync(committed) ? JSON.parse(readFileSync(committed, 'utf8')) : {};
}

const figures = {
  minifiedBytes: 'minified bytes',
  gzippedBytes: 'gzipped bytes',
  pawlBytes: 'of pawl, minified',
  requests: 'requests, first batch of 10',
  importMs: 'import, ms',
} as const satisfies Record<keyof Figures, string>;

const shown = (number: number) => number.toLocaleString('en-US');

/** The figures of each consumer, and how they differ from the committed ones. */
function reportOf(sizes: Sizes, committed: Partial<Sizes>): string {
  return Object.entries(sizes)
    .map(([entry, now]) => {
      const before = committed[entry];
      const lines = Object.entries(figures).map(([name, label]) => {
        const key = name as keyof Figures;
        return `  ${label.padEnd(28)}${shown(now[key]).padStart(9)}   ${compared(now[key], before?.[key])}`;
      });
      return [entry, ...lines].join('\n');
    })
    .join('\n');
}

function compared(now: number, before: number | undefined): string {
  if (before === undefined) return 'nothing is committed';
  const change = now - before;
  return change === 0 ? 'as committed' : `committed ${shown(before)}, ${change > 0 ? '+' : ''}${shown(change)}`;
}

/** What every bundle is made of, in minified bytes. */
function compositionOf(bundles: readonly Bundle[]): string {
  const columns = ['total', 'own', 'observe', 'sdk', 'middy', 'rest'] as const;
  const width = Math.max(...bundles.map(({ entry }) => entry.length));
  const head = `${'minified bytes'.padEnd(width)}${columns.map((name) => name.padStart(10)).join('')}`;
  const rows = bundles.map((bundle) => {
    const numbers = columns.map((name) => shown(bundle[name]).padStart(10));
    return `${bundle.entry.padEnd(width)}${numbers.join('')}`;
  });
  return [head, ...rows].join('\n');
}

if (import.meta.main) {
  const bundles = await measureBundles();
  const sizes = await measureConsumers(bundles);
  if (process.argv.includes('--write')) writeFileSync(committed, `${JSON.stringify(sizes, undefined, 2)}\n`);
  console.log(`${reportOf(sizes, committedSizes())}\n\n${compositionOf(bundles)}`);
  const problems = bundleProblems(bundles);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
