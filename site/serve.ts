import { createReadStream, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { outFolder } from './paths.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Serves the built site on 127.0.0.1. @param port 0 takes a free one */
export async function serveBuilt(port = 0): Promise<Server> {
  const server = createServer((request, response) => {
    // A URL has no way up: `..` is resolved before it is joined.
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = join(outFolder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

/** Where it is served. */
export function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The site is not served.');
  return `http://127.0.0.1:${address.port}`;
}
