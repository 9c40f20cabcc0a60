import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { propertyOf } from 'pawl/kernel';

/** The page: one file of script, and one of style. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** The page as the package contains it. In this repository, where nothing is built, it is bundled now. */
export async function readPage(): Promise<PageFiles> {
  const read = (name: string) => readFile(new URL(`page/${name}`, import.meta.url), 'utf8');
  try {
    const [script, style] = await Promise.all([read('main.js'), read('main.css')]);
    return { script, style };
  } catch (error) {
    if (propertyOf(error, 'code') !== 'ENOENT') throw error;
    return bundled();
  }
}

let bundling: Promise<PageFiles> | undefined;

/** Once in a process: tests start many consoles. */
function bundled(): Promise<PageFiles> {
  bundling ??= bundle();
  return bundling;
}

/** In a process of its own: the package has no bundler, and nothing here may import one. */
async function bundle(): Promise<PageFiles> {
  const bundler = fileURLToPath(new URL('page/bundle.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [bundler], { maxBuffer: 64e6 });
  const { script, style }: PageFiles = JSON.parse(stdout);
  return { script, style };
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f5c63"/><path d="M9 24V8h8.5a5.5 5.5 0 0 1 0 11H13" fill="none" stroke="#fff" stroke-width="3.4"/></svg>`;

export interface Asset {
  readonly type: string;
  readonly text: string;
}

/** By path. A path that is none of these leads nowhere: no path of a request ever reaches the file system. */
export function assetsOf({ script, style }: PageFiles): ReadonlyMap<string, Asset> {
  return new Map([
    ['/main.js', { type: 'text/javascript; charset=utf-8', text: script }],
    ['/main.css', { type: 'text/css; charset=utf-8', text: style }],
    ['/icon.svg', { type: 'image/svg+xml', text: icon }],
  ]);
}

/** @param key of the session; only for the browser that has just used the token */
export function pageHtml(key: string | undefined): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>pawl console</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${key === undefined ? '' : `<meta name="pawl-session" content="${key}">\n`}<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/main.css">
<script type="module" src="/main.js"></script>
</head>
<body><div id="app"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}
