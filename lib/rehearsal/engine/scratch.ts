import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

const folders = new Set<string>();

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/**
 * Makes a new folder under `.pawl/` of a project, so that code in it finds the project's packages. The folder goes with
 * this process, if the caller does not remove it earlier: Ctrl-C is the usual end of a rehearsal, and leaves nothing behind.
 */
export async function scratchFolder(project: string, prefix: string): Promise<string> {
  const parent = join(project, '.pawl');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, prefix));
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(folder);
  return folder;
}
