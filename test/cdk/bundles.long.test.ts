import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { type Bundle, bundleProblems, measureBundles, plain } from '../../checks/bundles.ts';
import { esbuildOptions } from '../../checks/esbuild-options.ts';
import { addConsumer } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('no bundle contains CDK', async () => {
  const bundles = await measureBundles();
  const handlers = [plain, 'lambda'].flatMap((folder) =>
    globSync(`${folder}/*.ts`, { cwd: root })
      .filter((file) => /^export .*\bhandler\b/m.test(readFileSync(join(root, file), 'utf8')))
      .toSorted(),
  );
  expect(handlers.length).toBeGreaterThan(10);
  expect(bundles.map(({ entry }) => entry)).toEqual(handlers);
  for (const { entry, own, total, gzipped } of bundles) {
    // The report on the ledger only reads, and needs no claim.
    if (entry !== 'lambda/ledger-drift.ts') expect(own).toBeGreaterThan(0);
    expect(total).toBeGreaterThan(own);
    expect(gzipped).toBeGreaterThan(0);
    expect(gzipped).toBeLessThan(total);
  }
  expect(bundleProblems(bundles)).toEqual([]);
});

test('a bundle with CDK in it, and no bundle at all, are each a problem', () => {
  const fine: Bundle = {
    entry: 'checks/consumers/a.ts',
    total: 9e5,
    gzipped: 3e5,
    own: 1,
    observe: 0,
    sdk: 0,
    middy: 0,
    rest: 0,
    cdk: [],
  };
  const app: Bundle = { ...fine, entry: 'lambda/b.ts' };
  expect(bundleProblems([fine, app])).toEqual([]);
  const cdk = ['node_modules/aws-cdk-lib/index.js'];
  expect(bundleProblems([fine, { ...app, cdk }])).toEqual([
    expect.stringContaining('pulls in CDK, node_modules/aws-cdk-lib/'),
  ]);
  expect(bundleProblems([])).toHaveLength(2);
});

test('what is measured is what gets deployed: the construct bundles the same bytes', async () => {
  const outdir = mkdtempSync(join(tmpdir(), 'pawl-bundle-'));
  try {
    const entry = fileURLToPath(new URL('../../lambda/send-email.ts', import.meta.url));
    const app = new App({ outdir });
    addConsumer(new Stack(app, 'Shop'), { entry });
    app.synth();

    const asset = readdirSync(outdir).find((name) => name.startsWith('asset.')) ?? 'no asset';
    const measured = await build({ ...esbuildOptions(entry), write: false });
    const code = measured.outputFiles.find(({ path }) => path.endsWith('index.mjs'))?.text;
    expect(readFileSync(join(outdir, asset, 'index.mjs'), 'utf8')).toBe(code);
  } finally {
    rmSync(outdir, { recursive: true });
  }
});
