import { expect, test } from 'vitest';
import type { LawTest } from '../../lib/testing/index.ts';

/**
 * `test` for the laws of stores. They are made for any framework and throw by themselves, so Vitest counts no assertion of theirs
 * and would take them for tests that cannot fail.
 */
export const lawTest: LawTest = Object.assign(
  (name: string, run: () => Promise<void>) =>
    test(name, async () => {
      await run();
      expect(name, 'the law has thrown nothing').toBeTypeOf('string');
    }),
  { skip: test.skip },
);
