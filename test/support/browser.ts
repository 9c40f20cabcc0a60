import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/*
 * A browser for tests: the Chromium of the npm package @sparticuz/chromium on Linux, an installed Chrome elsewhere.
 *
 * The package has it compressed, and unpacks it into the temporary folder. Here it is unpacked once, beside the packages, where `npm ci` removes it and
 * git does not see it.
 */

const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** A browser, or the reason why there is none. */
export type FoundBrowser = { readonly launch: () => Promise<Browser> } | { readonly missing: string };

/** Without the package's own list: it switches off what the tests of attacks are about, such as the same-origin policy. */
const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'];

/** @throws Error where a browser must be found: `PAWL_BROWSER=required`, as `.ci/run` sets it */
export async function findBrowser(): Promise<FoundBrowser> {
  const found = await (process.platform === 'linux' && process.arch === 'x64' ? fromPackage() : installed());
  if ('missing' in found && process.env['PAWL_BROWSER'] === 'required') throw new Error(found.missing);
  return found;
}

async function fromPackage(): Promise<FoundBrowser> {
  const folder = await unpacked();
  const env = {
    ...process.env,
    // The libraries that a server's Linux may not have, and fonts.
    LD_LIBRARY_PATH: `${folder}/al2023/lib`,
    FONTCONFIG_PATH: `${folder}/fonts`,
    HOME: folder,
  };
  const launch = () => chromium.launch({ executablePath: `${folder}/chromium`, args: args, env });
  return { launch };
}

async function installed(): Promise<FoundBrowser> {
  try {
    const browser = await chromium.launch({ channel: 'chrome' });
    await browser.close();
    return { launch: () => chromium.launch({ channel: 'chrome' }) };
  } catch {
    return { missing: 'There is no Chrome on this machine, and the package with Chromium is for Linux on x64.' };
  }
}

/** Unpacks Chromium once for all runs. Several processes may do so at the same time: the first one wins. */
async function unpacked(): Promise<string> {
  const manifest = new URL('../../node_modules/@sparticuz/chromium/package.json', import.meta.url);
  const { version }: { readonly version: string } = JSON.parse(await readFile(manifest, 'utf8'));
  const folder = `${cache}chromium-${version}`;
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  const before = process.env['TMPDIR'];
  try {
    // The package asks for the temporary folder before its first await.
    process.env['TMPDIR'] = made;
    const { inflate } = await import('@sparticuz/chromium');
    const bin = fileURLToPath(new URL('bin/', manifest));
    const all = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) => inflate(`${bin}${name}`));
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await Promise.all(all);
    await writeFile(`${made}/fonts/fonts.conf`, fontsConf(folder));
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package's own names folders of Lambda. Its font comes first, so that pictures look the same everywhere; the machine's may add a monospaced one. */
function fontsConf(folder: string): string {
  const prefer = [
    ['sans-serif', 'Open Sans'],
    ['system-ui', 'Open Sans'],
    ['monospace', 'DejaVu Sans Mono'],
  ].map(
    ([family, font]) =>
      `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`,
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${prefer.join('\n  ')}
</fontconfig>
`;
}
