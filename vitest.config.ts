import { defineConfig } from 'vitest/config';

/** Unit tests touch no server. The laws and the integration tests share one DynamoDB Local, started for them and stopped after them. */
const servers = ['test/support/global-setup.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/scratch.ts'],
    // Of two cores, Vitest would leave one to itself, which has nothing to do.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/laws/**', 'test/integration/**', 'test/scenarios/**', 'test/**/*.long.test.ts'],
        },
      },
      // Not in `npm test`: `npm run test:long`.
      {
        test: {
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          globalSetup: servers,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'laws',
          include: ['test/laws/**/*.test.ts'],
          exclude: ['test/**/*.long.test.ts'],
          globalSetup: servers,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/scenarios/**/*.test.ts'],
          exclude: ['test/**/*.long.test.ts'],
          globalSetup: servers,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
