import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

/** The bounds of `npm run model` are wider. In a process of its own: bundled for tests, the same takes five times as long. */
it('keeps every promise in every state within small bounds, and its worker does what ships', async () => {
  const { code, text } = await new Promise<{ code: number | null; text: string }>((resolve) => {
    const search = execFile(process.execPath, ['proof/model/main.ts', '--small'], (_, stdout, stderr) =>
      resolve({ code: search.exitCode, text: stdout + stderr }),
    );
  });
  expect(code, text).toBe(0);
  const { states, violations, compared, differences } = JSON.parse(
    text.split('\n').findLast((line) => line.startsWith('{')) ?? '',
  );
  expect({ violations, differences }).toEqual({ violations: 0, differences: 0 });
  expect(compared).toBeGreaterThan(10_000);
  expect(states).toBeGreaterThan(800_000);
});
