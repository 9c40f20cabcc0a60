import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What takes long to begin, and is the same in each of hundreds of processes: here it begins at once. */
const path = fileURLToPath(new URL('./path', import.meta.url));

/** A folder for temporary files of all tests, gone after the last of them: CDK makes one for each app, and leaves it. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
  // Before any worker is started, which inherits it.
  process.env['TMPDIR'] = folder;
  process.env['PAWL_COMPILED'] = join(folder, 'compiled');
  process.env['PATH'] = [path, process.env['PATH']].join(delimiter);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
