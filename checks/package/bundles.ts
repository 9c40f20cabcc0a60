import { type Project, peers } from './project.ts';

/** What a plain consumer uses is in its bundle, and nothing else of pawl. */
const program = `
import { build } from 'esbuild';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const sizes = {};
for (const format of ['esm', 'cjs']) {
  const outfile = format === 'esm' ? 'out.mjs' : 'out.cjs';
  const { metafile } = await build({
    entryPoints: ['handler.js'], outfile, format, bundle: true, minify: true, platform: 'node', target: 'node22', metafile: true,
    banner: format === 'esm' ? { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" } : {},
  });
  const [output] = Object.values(metafile.outputs);
  const ours = Object.entries(output.inputs).filter(([path]) => path.includes('node_modules/pawl/'));
  sizes[format] = ours.reduce((bytes, [, { bytesInOutput }]) => bytes + bytesInOutput, 0);
  const used = ours.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const wrong = used.filter((path) => /\\/(cjs|locks|http|middy|transactions|testing|deployment|observe)\\//.test(path));
  if (used.length === 0 || wrong.length > 0) throw new Error(format + ' has ' + used.length + ' modules, of which do not belong: ' + wrong);
  const { handler } = format === 'esm' ? await import('./out.mjs') : require('./out.cjs');
  if (typeof handler !== 'function') throw new Error(format + ' exports no handler');
}
console.log(Math.abs(sizes.esm - sizes.cjs) < 1000 ? 'bundled' : JSON.stringify(sizes));
`;

/** A plain consumer, bundled by esbuild into an ECMAScript module and into CommonJS. Both bundles are loaded. */
export function bundlesProject(): Project {
  return {
    name: 'esbuild, to esm and to cjs',
    has: ['esbuild', ...peers('highest', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs')],
    files: {
      'bundle.js': program,
      'handler.js': `
import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, eachMessage } from 'pawl/sqs';

export const handler = eachMessage(
  { operation: 'send-email', store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }), key: bodyField('orderId'), onAbandoned: 'retry' },
  ({ body }) => console.log(body),
);
`,
    },
    steps: [{ args: ['bundle.js'], prints: 'bundled' }],
  };
}
