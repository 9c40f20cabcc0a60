import { defineConfig } from 'vitest/config';

/** The tests that Stryker runs: the unit tests of the kernel, the claims, SQS, Middy and the stores, and no search. */
export default defineConfig({
  test: {
    include: [
      'test/pawl/{kernel,payload,rules,engine,sqs,middy,stores}/**/*.test.ts',
      'test/suites/laws/memory.test.ts',
    ],
  },
});
