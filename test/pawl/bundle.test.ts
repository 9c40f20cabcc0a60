import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { esbuildOptions } from '../../checks/esbuild-options.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a plain consumer carries of pawl, by file and in minified bytes. What is shaken out of its bundle counts for nothing. */
async function carriedBy(contents: string, format: 'esm' | 'cjs'): Promise<Readonly<Record<string, number>>> {
  const { entryPoints: _, ...options } = esbuildOptions('');
  const { metafile } = await build({
    ...options,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    external: ['@aws-sdk/*', 'aws4'],
    format,
    ...(format === 'cjs' && { banner: {} }),
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const output = metafile.outputs['index.mjs'];
  const files = Object.entries(output?.inputs ?? {}).filter(
    ([path, { bytesInOutput }]) => path.startsWith('lib/') && bytesInOutput > 0,
  );
  return Object.fromEntries(files.map(([path, { bytesInOutput }]) => [path, bytesInOutput]));
}

const plain = (store: string) => `
  import { bodyField, eachMessage } from 'pawl/sqs';
  import { dynamoStore } from '${store}';
  const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
  export const handler = eachMessage({ operation: 'mail', store, key: bodyField('id'), onAbandoned: 'park' }, async () => {});`;

/** What no first delivery needs: what lists, restores, keeps notes, operates and sweeps; and what an author imports. */
const notOfConsumers =
  /^lib\/pawl\/(operate|sweep|statements|locks|transactions|outbox|workflows|observe|postgres|powertools|deployment)\/|\/stores\/(postgres|listing\.ts|known-note|dynamodb\/(list|notes|open-index|restore|physical))|\/rules\/(notes|open-claims|restored|repair|resolve|forget|remedy|reservations|stated)\.ts$|\/engine\/(step|next-step|resolve-parked|reconcile)\.ts$/;

describe.each(['esm', 'cjs'] as const)('as %s', (format) => {
  describe.each([
    ['pawl/dynamodb', 100_000],
    ['pawl/dynamodb/lean', 110_000],
  ])('a plain consumer over %s', (store, mostBytes) => {
    it('has nothing in its bundle that only an operator, a job, or an author who imports it needs', async () => {
      const files = Object.keys(await carriedBy(plain(store), format));
      expect(files).toContain('lib/pawl/sqs/each-message.ts');
      expect(files.filter((path) => notOfConsumers.test(path))).toEqual([]);
    });

    it(`has at most ${mostBytes} bytes of pawl`, async () => {
      const bytes = Object.values(await carriedBy(plain(store), format)).reduce((sum, one) => sum + one, 0);
      expect(bytes).toBeGreaterThan(40_000);
      expect(bytes).toBeLessThanOrEqual(mostBytes);
    });
  });
});

it('a lean consumer loads nothing of fetch when it is imported: that would double what its start takes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bundle-'));
  try {
    const outfile = join(folder, 'index.mjs');
    const { entryPoints: _, ...options } = esbuildOptions('');
    const stdin = { contents: plain('pawl/dynamodb/lean'), resolveDir: root, loader: 'ts' } as const;
    await build({ ...options, stdin, absWorkingDir: root, outfile, logLevel: 'error' });
    const code = `await import(${JSON.stringify(outfile)}); console.log(JSON.stringify(process.moduleLoadList));`;
    const loaded: readonly string[] = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }),
    );
    expect(loaded).toContain('NativeModule crypto');
    expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
