import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTypes, type Project, root, type Step, typescript } from './project.ts';

/**
 * A fresh project with the store of docs/guides/stores.md: it passes the laws under Vitest, Jest and `node:test`; and with any one of its conditions
 * removed it fails them.
 */
export function lawsProject(): Project {
  const page = readFileSync(join(root, 'docs/guides/stores.md'), 'utf8');
  const claims = codeWith(page, 'export function mapStore');
  const locks = codeWith(page, 'export function mapLockStore');
  const files: Record<string, string> = {
    'store.ts': claims,
    'lock-store.ts': locks,
    'jest.config.js': "export default { testMatch: ['**/*.jest.js'], transform: {} };\n",
    'right.node.ts': testOf('node:test', 'store.ts') + lockTestOf('node:test', 'lock-store.ts'),
    'right.test.ts': testOf('vitest', 'store.ts') + lockTestOf('vitest', 'lock-store.ts'),
    'right.jest.js':
      "import { claimStoreLaws } from '@pawl/testing';\nimport { memoryStore } from 'pawl';\n\nclaimStoreLaws({ test, open: () => memoryStore() });\n",
  };
  const steps: Step[] = [
    checkTypes,
    { args: ['--test', 'right.node.ts'] },
    { args: [vitest, 'run', 'right.test.ts'] },
    { args: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'] },
  ];
  const brokenClaims = withoutOneOf(claims, /^ +if \(.*return \{ applied: false, found \};\n/gm);
  const brokenLocks = withoutOneOf(locks, /^ +if \(.*return \{ applied: false, found \};\n/gm);
  for (const [n, code] of [...brokenClaims, ...brokenLocks].entries()) {
    const isLock = n >= brokenClaims.length;
    const test = isLock ? lockTestOf : testOf;
    files[`broken-${n}.ts`] = code;
    files[`broken-${n}.node.ts`] = test('node:test', `broken-${n}.ts`);
    files[`broken-${n}.test.ts`] = test('vitest', `broken-${n}.ts`);
    for (const args of [
      ['--test', `broken-${n}.node.ts`],
      [vitest, 'run', `broken-${n}.test.ts`],
    ]) {
      steps.push({ args, failsWith: 'expected the boolean false' });
    }
  }
  return {
    name: 'laws',
    absent: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', 'aws-cdk-lib', '@middy/core'],
    has: [...typescript, 'vitest', 'jest@30'],
    files,
    steps,
  };
}

const vitest = 'node_modules/vitest/vitest.mjs';

/** The one block of a page that contains this text. */
export function codeWith(page: string, text: string): string {
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const [found, ...others] = blocks.filter((code) => code.includes(text));
  if (found === undefined || others.length > 0) throw new Error(`expected one block with ${text}`);
  return found;
}

/** The code without one of the lines that match, for each of them. */
function withoutOneOf(code: string, line: RegExp): readonly string[] {
  const found = [...code.matchAll(line)];
  if (found.length === 0) throw new Error('docs/guides/stores.md: the conditions of a store were not found');
  return found.map(({ 0: removed, index }) => code.slice(0, index) + code.slice(index + removed.length));
}

const testOf = (framework: string, store: string): string => `
import { test } from '${framework}';
import { claimStoreLaws } from '@pawl/testing';
import { mapStore } from './${store}';

claimStoreLaws({ test, open: () => mapStore() });
`;

const lockTestOf = (framework: string, store: string): string => `
import { test as testLocks } from '${framework}';
import { lockStoreLaws } from '@pawl/testing';
import { mapLockStore } from './${store}';

lockStoreLaws({ test: testLocks, open: () => mapLockStore() });
`;
