import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the page into two files. Into a folder, if one is named; else as JSON on the standard output. It is not in the package. */
// The licence of the view library goes with every copy of it.
const licence = await readFile(new URL('LICENSE', import.meta.resolve('preact/package.json')), 'utf8');
const { outputFiles } = await build({
  entryPoints: ['main.tsx', 'main.css'].map((name) => fileURLToPath(new URL(name, import.meta.url))),
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: ['chrome120', 'firefox120', 'safari17'],
  outdir: 'page',
  legalComments: 'none',
  banner: { js: `/*! preact\n${licence}*/` },
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
});
const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
const [script, style] = [textOf('.js'), textOf('.css')];
const [folder] = process.argv.slice(2);
if (folder === undefined) process.stdout.write(JSON.stringify({ script, style }));
else await Promise.all([writeFile(`${folder}/main.js`, script), writeFile(`${folder}/main.css`, style)]);
