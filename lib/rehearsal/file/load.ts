import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pageAt } from 'pawl/kernel';
import { type CdkApp, readCdkApp } from '../engine/app/synthesize.ts';
import { record } from '../engine/app/template.ts';
import type { Rehearsal } from './define.ts';

/** The rehearsal cannot begin. The message says why, and what to do. */
class CannotRehearseError extends Error {
  override readonly name = 'CannotRehearseError';
}

const nameOfEntry = ['rehearsal.ts', 'rehearsal.mts', 'rehearsal.mjs', 'rehearsal.js'] as const;

/** The file of a rehearsal: the one that is named, or the one of a usual name in this folder. @throws CannotRehearseError */
export function findFile(named: string | undefined, folder: string): string {
  if (named !== undefined) {
    const path = resolve(folder, named);
    if (existsSync(path)) return path;
    throw new CannotRehearseError(`There is no file ${path}.`);
  }
  const found = nameOfEntry.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new CannotRehearseError(
    `There is no rehearsal.ts in ${folder}. Write one (${pageAt('docs/guides/rehearsal.md')}), or name the file: pawl rehearse <file>.`,
  );
}

/** Loads a rehearsal file. @throws CannotRehearseError if it throws, or exports no rehearsal */
export async function loadRehearsal(path: string, version = 0): Promise<Rehearsal> {
  const loaded = await importFile(path, version);
  const given = record(loaded)['default'];
  // Compiled to CommonJS, the export is one level further down.
  const found = isRehearsal(given) ? given : record(given)['default'];
  if (isRehearsal(found)) return found;
  throw new CannotRehearseError(
    `${path} has no rehearsal as its default export. It should end with: export default rehearsal({ … })`,
  );
}

async function importFile(path: string, version: number): Promise<unknown> {
  const { emitWarning } = process;
  // A project of CommonJS has a rehearsal file of ES modules all the same. Node reads the file twice then, which costs nothing here, and says so in four lines.
  process.emitWarning = (warning: string | Error, ...more: never[]) => {
    if (!isAboutTypeless(more)) Reflect.apply(emitWarning, process, [warning, ...more]);
  };
  try {
    // Of a file that has changed, Node would keep the old module.
    return await import(`${pathToFileURL(path).href}${version === 0 ? '' : `?v=${version}`}`);
  } catch (error) {
    const code = record(error)['code'];
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new CannotRehearseError(
        `Node ${process.versions.node} does not read TypeScript: it needs 22.18 or newer. Or write the rehearsal as rehearsal.mjs.`,
      );
    }
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new CannotRehearseError(`${path} cannot be loaded: ${text}`);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** @param more what a warning has besides its text: its code is in an object, or in a text */
function isAboutTypeless(more: readonly unknown[]): boolean {
  const code = 'MODULE_TYPELESS_PACKAGE_JSON';
  return more.some((one) => one === code || record(one)['code'] === code);
}

function isRehearsal(value: unknown): value is Rehearsal {
  return record(value)['kind'] === 'pawl.rehearsal';
}

/** An app, with the context of its own `cdk.json`. */
export type FoundApp = CdkApp & { readonly context: Readonly<Record<string, unknown>> };

/**
 * The CDK app of a rehearsal: the nearest folder with a `cdk.json`, upwards from the file; and the command in it.
 *
 * @throws CannotRehearseError if there is none
 */
export async function findApp(app: Rehearsal['options']['app'], file: string): Promise<FoundApp> {
  const folder = dirname(file);
  if (typeof app === 'object') {
    return {
      command: app.command,
      folder: isAbsolute(app.folder) ? app.folder : resolve(folder, app.folder),
      context: {},
    };
  }
  const start = app === undefined ? folder : resolve(folder, app);
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, 'cdk.json'))) return readCdkApp(at);
    if (app !== undefined || at === dirname(at)) break;
  }
  throw new CannotRehearseError(
    app === undefined
      ? `There is no cdk.json in ${start} or above it. Name the folder of the app: rehearsal({ app: '../my-app', … }).`
      : `There is no cdk.json in ${start}, which the rehearsal names as its app. If that is a command, give it as a list, with its folder: app: { command: ['node', 'bin/app.js'], folder: '.' }.`,
  );
}
