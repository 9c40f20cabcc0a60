import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { esbuildOptions } from './esbuild-options.ts';

/**
 * What bundles are made of, in minified bytes: those of the plain consumers in `checks/consumers`, which import nothing that an author could do
 * without, and those of the app's lambdas, which do. Owns: the bytes, and the rule that no bundle contains CDK. Does not own: the report
 * (`sizes.ts`). It cannot tell what of a bundle is ever run.
 */

export const plain = 'checks/consumers';

const ownCode = /^lib\/pawl\/(?!observe\/)/;
const root = fileURLToPath(new URL('..', import.meta.url));

export interface Bundle {
  /** The entry, as a path from the repository's root. */
  readonly entry: string;
  readonly total: number;
  readonly gzipped: number;
  /** Everything under `lib/` that every consumer carries. */
  readonly own: number;
  /** The listeners of `lib/pawl/observe`, which a consumer imports by choice. */
  readonly observe: number;
  readonly sdk: number;
  readonly middy: number;
  /** The handler itself, its schema library, and esbuild's and the banner's glue. */
  readonly rest: number;
  /** Files that must not be in a lambda. */
  readonly cdk: readonly string[];
}

/** The bundles of all plain consumers and lambdas that export a `handler`, built as the construct builds them. */
export async function measureBundles(): Promise<readonly Bundle[]> {
  const entries = [plain, 'lambda'].flatMap((folder) =>
    readdirSync(`${root}/${folder}`)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  );
  const bundles = await Promise.all(entries.map(measure));
  return bundles.filter((bundle) => bundle !== undefined);
}

async function measure(entry: string): Promise<Bundle | undefined> {
  const { metafile, outputFiles } = await build({
    ...esbuildOptions(entry),
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const output = metafile.outputs['index.mjs'];
  const code = outputFiles.find(({ path }) => path.endsWith('index.mjs'));
  if (output === undefined || code === undefined) throw new Error(`esbuild wrote no index.mjs for ${entry}`);
  if (!output.exports.includes('handler')) return undefined;

  const sizes = Object.entries(output.inputs).map(([path, { bytesInOutput }]) => ({ path, bytesInOutput }));
  const matching = (pattern: RegExp) => sizes.filter(({ path }) => pattern.test(path));
  const sum = (pattern: RegExp) => matching(pattern).reduce((bytes, { bytesInOutput }) => bytes + bytesInOutput, 0);
  const own = sum(ownCode);
  const observe = sum(/^lib\/pawl\/observe\//);
  const sdk = sum(/node_modules\/@(aws-sdk|aws|smithy)\//);
  const middy = sum(/node_modules\/@middy\//);
  return {
    entry,
    total: output.bytes,
    gzipped: gzipSync(code.contents).length,
    own,
    observe,
    sdk,
    middy,
    rest: output.bytes - own - observe - sdk - middy,
    // All inputs, not only those with bytes left: what was shaken out today may stay in tomorrow.
    cdk: Object.keys(metafile.inputs).filter((path) => /node_modules\/(aws-cdk-lib|constructs)\//.test(path)),
  };
}

/** What must not be in a bundle, and what could not be measured. */
export function bundleProblems(bundles: readonly Bundle[]): string[] {
  const unmeasured = [plain, 'lambda'].filter((folder) => !bundles.some(({ entry }) => entry.startsWith(folder)));
  const nothing = unmeasured.map((folder) => `No file in ${folder}/ exports a handler, so nothing was measured there.`);
  return nothing.concat(bundles.flatMap(cdkProblems));
}

function cdkProblems({ entry, cdk }: Bundle): string[] {
  return cdk.length === 0 ? [] : [`${entry}: the bundle pulls in CDK, ${cdk[0]} among ${cdk.length} files.`];
}
