import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { type Bundle, bundleProblems, measureBundles, OWN_LIMIT } from '../../bench/bundles.ts';
import { esbuildOptions } from '../../lib/constructs/bundling.ts';
import { addConsumer } from './support.ts';

test('no lambda contains CDK, and pawl adds less than 20 KB to each', async () => {
  const bundles = await measureBundles();
  expect(bundles.map(({ entry }) => entry)).toEqual(
    expect.arrayContaining(['lambda/send-email.ts', 'lambda/issue-gift-card.ts']),
  );
  for (const { own, total } of bundles) {
    expect(own).toBeGreaterThan(0);
    expect(total).toBeGreaterThan(own);
  }
  expect(bundleProblems(bundles)).toEqual([]);
});

test('a bundle at the limit, one with CDK in it, and no bundle at all are each a problem', () => {
  const fine: Bundle = {
    entry: 'lambda/a.ts',
    total: 9e5,
    own: OWN_LIMIT - 1,
    observe: 0,
    ownFiles: [],
    sdk: 0,
    middy: 0,
    rest: 0,
    cdk: [],
  };
  expect(bundleProblems([fine])).toEqual([]);
  const ownFiles = [{ path: 'lib/core/decide.ts', bytesInOutput: OWN_LIMIT }];
  expect(bundleProblems([fine, { ...fine, own: OWN_LIMIT, ownFiles }])).toEqual([
    "lambda/a.ts: pawl's own code is 20480 bytes minified; it must stay below 20480:\n   20480  lib/core/decide.ts",
  ]);
  const cdk = ['node_modules/aws-cdk-lib/index.js'];
  expect(bundleProblems([{ ...fine, cdk }])).toEqual([
    expect.stringContaining('pulls in CDK, node_modules/aws-cdk-lib/'),
  ]);
  expect(bundleProblems([])).toHaveLength(1);
});

test('what is measured is what gets deployed: the construct bundles the same bytes', { timeout: 30_000 }, async () => {
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
