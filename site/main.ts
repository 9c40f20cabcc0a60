import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { build, createServer } from 'vitepress';
import { writeApi } from './api.ts';
import { assemble, assemblePage } from './assemble.ts';
import { writeForMachines } from './for-machines.ts';
import { checkLinks } from './links.ts';
import { outFolder, root } from './paths.ts';
import { originOf, serveBuilt } from './serve.ts';

/**
 * The site of the documentation. `node site/main.ts build` writes it into `site/dist`, a folder of static files; `node site/main.ts serve` serves
 * that folder. `node site/main.ts dev` serves the pages themselves, and follows what is changed in `docs/`.
 */
const site = join(root, 'site');

async function buildSite(): Promise<void> {
  const begun = performance.now();
  assemble();
  await writeApi();
  await build(site);
  writeForMachines();
  checkLinks();
  console.log(
    `site/dist was built in ${((performance.now() - begun) / 1000).toFixed(0)} s. To look at it: npm run docs -- serve`,
  );
}

async function serveDist(): Promise<void> {
  if (!existsSync(join(outFolder, 'index.html'))) throw new Error('site/dist is not there: run npm run docs first.');
  console.log(`site/dist is at ${originOf(await serveBuilt())}/ until you press Ctrl-C.`);
}

async function serveSite(): Promise<void> {
  assemble();
  await writeApi();
  watch(join(root, 'docs'), { recursive: true }, (_, path) => {
    if (path?.endsWith('.md')) assemblePage(path);
  });
  const server = await createServer(site, { host: '127.0.0.1' });
  await server.listen();
  server.printUrls();
}

const [command] = process.argv.slice(2);
if (command === 'build') await buildSite();
else if (command === 'serve') await serveDist();
else if (command === 'dev') await serveSite();
else {
  console.error('Usage: node site/main.ts build|serve|dev');
  process.exit(2);
}
