import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for temporary files of all tests, gone after the last of them: CDK makes one for each app, and leaves it. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
  // Before any worker is started, which inherits it.
  process.env['TMPDIR'] = folder;
  process.env['PAWL_COMPILED'] = join(folder, 'compiled');
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
