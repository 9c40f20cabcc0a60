#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The command belongs to this package alone: two packages with one command would overwrite each other. What it runs, the project installs.
const [command] = process.argv.slice(2);
const name = command === 'rehearse' ? '@pawl/rehearsal' : '@pawl/cli';
const { version } = createRequire(import.meta.url)('pawl/package.json') as { readonly version: string };

/** That of the project that it is called in; else the one beside this package, such as where both are installed globally. */
const found = [join(process.cwd(), 'package.json'), import.meta.url].map(findFrom).find((path) => path !== undefined);

function findFrom(from: string): string | undefined {
  try {
    return createRequire(from).resolve(`${name}/command`);
  } catch {
    return undefined;
  }
}

if (found !== undefined) await import(pathToFileURL(found).href);
else {
  console.error(`pawl ${command ?? '--help'} needs ${name}: npm install --save-dev ${name}@${version}`);
  process.exitCode = 2;
}
