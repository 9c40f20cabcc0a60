import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packages } from '../../checks/packages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures/apps/', import.meta.url));

/** The apps of `test/fixtures/apps`. Each is there without pawl, and in `with-pawl` with it. */
export const apps = ['confirmations', 'invoices', 'payments', 'rides', 'vouchers'] as const;

export type AppName = (typeof apps)[number];

/** A fixture as a project of its own, which imports `pawl` as a user's project does. */
export interface Project {
  /** The folder of the app without pawl. */
  readonly without: string;
  /** The folder of the app with pawl. */
  readonly withPawl: string;
}

/**
 * Copies an app into a project of its own, below this project: there it finds this project's packages, and what a rehearsal writes is where
 * git does not look.
 */
export function projectOf(name: AppName): Project {
  const scratch = join(root, '.pawl');
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, `${name}-`));
  cpSync(join(fixtures, name), folder, { recursive: true });
  installPawl(folder);
  return { without: folder, withPawl: join(folder, 'with-pawl') };
}

/** What `npm install` of the packages would make, with links to the sources: they need no build, and are never out of date. */
function installPawl(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@pawl'), { recursive: true });
  for (const { name, folder: source } of packages) symlinkSync(join(root, source), join(modules, name));
}

/** Lets the code in a folder of a project import a version of pawl that is installed elsewhere. */
export function installVersion(folder: string, installed: string): void {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(installed, join(folder, 'node_modules/pawl'));
}

/** The rehearsal file of a project's folder. */
export function rehearsalOf(folder: string): string {
  const file = ['rehearsal.ts', 'rehearsal.mts'].map((name) => join(folder, name)).find(existsSync);
  if (file === undefined) throw new Error(`There is no rehearsal in ${folder}.`);
  return file;
}
