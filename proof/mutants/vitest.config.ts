import { defineConfig } from 'vitest/config';

/** What Stryker's mutants meet: the unit tests that look at the core, SQS, Middy and the stores, and no search. */
export default defineConfig({
  test: { include: ['test/{core,sqs,middy,stores}/**/*.test.ts', 'test/laws/memory.test.ts'] },
});
