import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { synthesize } from '../../lib/rehearsal/engine/app/synthesize.ts';
import { MachineTooSlowError } from '../../lib/rehearsal/engine/machine.ts';

it('an app that is not synthesized in time is no finding: the machine may be too slow, and what it printed is said', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
  // It prints, and never ends.
  const command = [process.execPath, '-e', "console.log('reading the network'); setInterval(() => {}, 1000)"] as const;
  const late = synthesize({ command, folder }, {}, 3000);
  await expect(late).rejects.toThrow(MachineTooSlowError);
  await expect(late).rejects.toThrow(/has not been synthesized within 3 s.*reading the network/s);
  rmSync(folder, { recursive: true, force: true });
});
