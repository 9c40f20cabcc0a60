import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { ofType, type Reading, refuse } from '../app/reading.ts';
import { record } from '../app/template.ts';
import type { FunctionCode } from '../provisioned.ts';
import { unzip } from './unzip.ts';

/*
 * Clients of AWS that do not read AWS_ENDPOINT_URL would ask AWS itself, and find nothing of the app there. Their calls would fail, and the verdict
 * would be about that. They are seen in the code of a function, and refused by name.
 */

/** The first version of the SDK whose clients ask where AWS_ENDPOINT_URL says. */
const first = [3, 451] as const;

const code = new Set(['.js', '.mjs', '.cjs']);

/** Refuses the functions of the app whose clients would ask AWS. @param scratch where a zip file may be unpacked */
export async function refuseOldClients(reading: Reading, scratch: string): Promise<void> {
  const oldClientIn = oldClients(scratch);
  await Promise.all(
    ofType(reading, 'AWS::Lambda::Function').map(async (resource) => {
      const read = reading.functions.get(resource.names.attributes['Arn'] ?? '');
      if (read?.kind !== 'runs' || read.function.stub !== undefined) return;
      const client = await oldClientIn(read.function.code);
      if (client === undefined) return;
      refuse(
        reading,
        resource,
        `Its code has ${client}, which would ask AWS itself: clients read AWS_ENDPOINT_URL from version ${first.join('.')} of the SDK on. Update the SDK, or stub the function.`,
        'Code',
      );
    }),
  );
}

/**
 * Finds the name of a client in the code of a function that does not read AWS_ENDPOINT_URL; `undefined` if there is none. All functions may have one folder
 * that is not bundled: it is read once.
 */
export function oldClients(scratch: string): (code: FunctionCode) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return (code) => {
    if (code.kind === 'inline') return clientOf([code.text], scratch);
    const found = known.get(code.path) ?? oldClientIn(code, scratch);
    known.set(code.path, found);
    return found;
  };
}

async function oldClientIn(
  { kind, path }: FunctionCode & { path: string },
  scratch: string,
): Promise<string | undefined> {
  const folder = kind === 'folder' ? path : await unpacked(path, scratch);
  return folder === undefined ? undefined : clientOf(textsIn(folder), folder);
}

async function unpacked(file: string, scratch: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(scratch, 'read-'));
  // What cannot be unpacked fails when the function is started, with a sentence of its own.
  return unzip(file, folder).then(
    () => folder,
    () => undefined,
  );
}

/** A folder that is not bundled is at work: a file of it may be gone by now, and then no function loads it. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** One file after the other: a folder may be larger than what a process can hold. */
async function* textsIn(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Packages say their versions, below.
    if (!entry.isDirectory()) {
      if (code.has(extname(entry.name))) yield await textOf(path);
    } else if (entry.name !== 'node_modules') yield* textsIn(path);
  }
}

/** Variables of version 2. With brackets: the folder of a function that is not bundled may have this file in it, which is no such client. */
const readsOfVersion2 = [/AWS_NODEJS_CONNECTION_REUSE_ENABLE[D]/, /AWS_SDK_LOAD_CONFI[G]/];

/**
 * A client that is bundled: the SDK says its name in the user agent, and version 2 has variables of its own. Minifying leaves texts as they are. What a
 * client consists of may be in several files of a bundle. One that is not bundled is looked for from the folder upwards.
 */
async function clientOf(texts: Iterable<string> | AsyncIterable<string>, folder: string): Promise<string | undefined> {
  const missing = new Set(readsOfVersion2);
  const packages = new Set<string>();
  let isBundled = false;
  let readsUrl = false;
  for await (const text of texts) {
    if (isFound(text, importsVersion2)) return version2;
    for (const variable of missing) if (variable.test(text)) missing.delete(variable);
    for (const [, name = ''] of text.matchAll(importsClient)) packages.add(name);
    isBundled ||= /["'`]aws-sdk-js["'`]/.test(text);
    readsUrl ||= text.includes('AWS_ENDPOINT_URL');
  }
  if (missing.size === 0) return version2;
  if (isBundled && !readsUrl) return 'clients of an early version 3 of the SDK';
  return oldPackage(packages, folder);
}

const version2 = 'aws-sdk, version 2 of the SDK';
const importsVersion2 = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']aws-sdk(?:\/[^"']*)?["']/g;
const importsClient = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["'](@aws-sdk\/client-[a-z0-9-]+)["']/g;

/** Whether a pattern is found outside of comments: a comment loads nothing. */
function isFound(text: string, pattern: RegExp): boolean {
  return [...text.matchAll(pattern)].some(({ index }) => {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    // What follows `://` is no comment, but an address.
    const isInLine = /(?<!:)\/\/|^\s*\*/.test(line);
    return !isInLine && text.lastIndexOf('/*', index) <= text.lastIndexOf('*/', index);
  });
}

/** A client that is not bundled, but found from the folder upwards, as Node finds it. */
async function oldPackage(names: Iterable<string>, folder: string): Promise<string | undefined> {
  for (const name of names) {
    const version = await versionFrom(folder, name);
    if (version === undefined) continue;
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < first[0] || (major === first[0] && minor < first[1])) return `${name} ${version}`;
  }
  return undefined;
}

async function versionFrom(folder: string, name: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const text = await readFile(join(at, 'node_modules', name, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return String(record(JSON.parse(text))['version']);
    if (at === dirname(at)) return undefined;
  }
}
