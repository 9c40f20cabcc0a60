import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { placeOf, shareOf } from './test/support/shares.ts';

/** The laws, the integration tests and the long tests share one DynamoDB Local, started for them and stopped after them. Unit tests touch no server. */
const servers = ['test/support/global-setup.ts'];

/** CDK's own check of a template takes as long as all of a synthesis. `test/cdk/own-rules.long.test.ts` has it, and so has `npm run synth`. */
const withoutValidation = { CDK_VALIDATION: 'false' };

/** No test is judged by how fast the machine is: these end one that hangs. */
const patience = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  setupFiles: ['test/support/compiled.ts'],
  env: withoutValidation,
};

/** A test that asserts nothing cannot fail, so it does: its loop never ran, or its list of cases was empty. */
const strict = {
  ...patience,
  expect: { requireAssertions: true },
  setupFiles: [...patience.setupFiles, 'test/support/not-empty.ts'],
};

/** A process for many files: a third of the time was spent on importing the same modules again for each. */
const shared = { ...strict, isolate: false, setupFiles: [...strict.setupFiles, 'test/support/as-found.ts'] };

/** Of these, `npm test` does the first, and the long tests the whole: `test/support/whole.ts`. */
const sweeps = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8').includes('firstOf('),
);

class LongestFirst extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = 1 } = this.ctx.config.shard ?? {};
    return files.filter(({ moduleId }) => shareOf(moduleId, count) === index);
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one.moduleId) - placeOf(other.moduleId));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/scratch.ts'],
    // Vitest would leave a core to itself, which has nothing to do; and tests of real processes mostly wait for them.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/suites/laws/**',
            'test/suites/integration/**',
            'test/suites/scenarios/**',
            'test/**/*.long.test.ts',
          ],
        },
      },
      // Not in `npm test`: `npm run test:long`, in CI.
      {
        test: {
          ...patience,
          name: 'long',
          env: { ...withoutValidation, PAWL_TESTS: 'long' },
          include: ['test/**/*.long.test.ts', ...sweeps],
          globalSetup: servers,
        },
      },
      {
        test: {
          ...shared,
          name: 'laws',
          include: ['test/suites/laws/**/*.test.ts'],
          exclude: ['test/**/*.long.test.ts'],
          globalSetup: servers,
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/suites/integration/**/*.test.ts', 'test/suites/scenarios/**/*.test.ts'],
          exclude: ['test/**/*.long.test.ts'],
          globalSetup: servers,
        },
      },
    ],
  },
});
