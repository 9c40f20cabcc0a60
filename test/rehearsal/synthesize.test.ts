import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { synthesize } from '../../lib/rehearsal/engine/app/synthesize.ts';
import { MachineTooSlowError } from '../../lib/rehearsal/engine/too-slow.ts';

it('an app that is not synthesized in time is no finding: the machine may be too slow, and no wait lasts for ever', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
  // It never ends.
  const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)'] as const;
  const late = synthesize({ command, folder }, {}, 100);
  await expect(late).rejects.toThrow(MachineTooSlowError);
  await expect(late).rejects.toThrow('has not been synthesized within 0.1 s');
  rmSync(folder, { recursive: true, force: true });
});
