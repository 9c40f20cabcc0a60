import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../support/batch-memory.ts', import.meta.url));

it('holds little more than its record for a message of a large batch that waits for its turn, and no claim for one that is done', () => {
  const printed = execFileSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' });
  const { perWaiting, perOver } = JSON.parse(printed);
  expect(perWaiting).toBeLessThan(300);
  expect(perOver).toBeLessThan(900);
});
