import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { esbuildOptions } from '../../../checks/esbuild-options.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The files of a bundle, as the construct bundles a function that is this text. */
async function filesOf(contents: string): Promise<readonly string[]> {
  const { entryPoints: _, ...options } = esbuildOptions('');
  const { metafile } = await build({
    ...options,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs);
}

const ofSdk = (files: readonly string[]) =>
  files.filter((file) => /node_modules\/@(aws-sdk\/(client|lib)-|smithy\/)/.test(file));

it('a lean store has nothing of the AWS SDK in its bundle', async () => {
  const files = await filesOf(`
    import { once } from './lib/pawl/index.ts';
    import { dynamoStore, individualDynamoStore, lean } from './lib/pawl/stores/dynamodb/lean.ts';
    export const store = dynamoStore({ tableName: 'claims', aws: lean() });
    export const other = individualDynamoStore({ tableName: 'claims' });
    export const pay = once({ operation: 'pay', store, key: String, onAbandoned: 'park' }, console.log);
  `);
  expect(files.some((file) => file.includes('node_modules/aws4/'))).toBe(true);
  expect(ofSdk(files)).toEqual([]);
});

it.each([
  [
    'eachMessage and sendOnce',
    `
    import { bodyField, deadLetterQueue, eachMessage, sendOnce } from './lib/pawl/sqs/index.ts';
    const options = { operation: 'pay', store, key: bodyField('id'), onAbandoned: 'retry' };
    export const handler = eachMessage({ ...options, deadLetters: deadLetterQueue('https://sqs') }, console.log);
    export const send = sendOnce({ operation: 'pay', store, queueUrl: 'https://sqs' });`,
  ],
  [
    'sqsOnce',
    `
    import { bodyField } from './lib/pawl/sqs/index.ts';
    import { sqsOnce } from './lib/pawl/middy/index.ts';
    export const middleware = sqsOnce({ operation: 'pay', store, key: bodyField('id'), onAbandoned: 'retry' });`,
  ],
  [
    'eachTransaction',
    `
    import { bodyField } from './lib/pawl/sqs/index.ts';
    import { commit, eachTransaction, transactionalStore } from './lib/pawl/transactions/index.ts';
    export const other = transactionalStore(store);
    export const handler = eachTransaction({ operation: 'pay', store: other, key: bodyField('id') }, () => []);
    export { commit };`,
  ],
  [
    'locks, work larger than a transaction, and an operator',
    `
    import { dynamoLockStore, forEachItem, resourceLocks } from './lib/pawl/locks/index.ts';
    import { operator } from './lib/pawl/operate/index.ts';
    export const locks = resourceLocks({ store: dynamoLockStore(store) });
    export const operate = operator({ store });
    export { forEachItem };`,
  ],
])('a lean consumer has nothing of the AWS SDK in its bundle: %s', async (_, door) => {
  const files = await filesOf(`
    import { dynamoStore } from './lib/pawl/stores/dynamodb/lean.ts';
    export const store = dynamoStore({ tableName: 'claims' });
    ${door}
  `);
  expect(files.some((file) => file.includes('node_modules/aws4/'))).toBe(true);
  expect(ofSdk(files)).toEqual([]);
});

it('a bundle evaluates the client of SQS at the first request that needs it, and not before', async () => {
  const seen = globalThis as { sqsIsEvaluated?: boolean };
  const { entryPoints: _, ...options } = esbuildOptions('');
  const { outputFiles } = await build({
    ...options,
    stdin: {
      contents: `
        import { bodyField, eachMessage } from './lib/pawl/sqs/index.ts';
        import { dynamoStore, sdk } from './lib/pawl/stores/dynamodb/index.ts';
        const sqs = { send: async () => ({ MessageId: 'm-1' }) };
        export const store = dynamoStore({ tableName: 'claims', aws: sdk({ sqs }) });
        export const handler = eachMessage({ operation: 'pay', store, key: bodyField('id'), onAbandoned: 'retry' }, console.log);`,
      resolveDir: root,
      loader: 'ts',
    },
    absWorkingDir: root,
    write: false,
    sourcemap: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'marks the evaluation',
        setup({ onLoad }) {
          onLoad({ filter: /client-sqs\/dist-es\/SQSClient\.js$/ }, ({ path }) => ({
            contents: `globalThis.sqsIsEvaluated = true;\n${readFileSync(path, 'utf8')}`,
          }));
        },
      },
    ],
  });
  const [code] = outputFiles;
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bundle-'));
  try {
    writeFileSync(join(folder, 'index.mjs'), code?.contents ?? '');
    const { store } = await import(join(folder, 'index.mjs'));
    expect(seen.sqsIsEvaluated).toBeUndefined();
    expect(await store.aws.sqs.call('SendMessage', {})).toEqual({ MessageId: 'm-1' });
    expect(seen.sqsIsEvaluated).toBe(true);
  } finally {
    delete seen.sqsIsEvaluated;
    rmSync(folder, { recursive: true });
  }
});

it('the types of no entry name the AWS SDK, but those that take a client of it', () => {
  const reports = readdirSync(`${root}/checks/api`).filter((file) =>
    /^pawl(-(?!cdk|rehearsal)[\w-]+)?\.api\.md$/.test(file),
  );
  const naming = reports.filter((file) =>
    readFileSync(`${root}/checks/api/${file}`, 'utf8').includes("from '@aws-sdk/"),
  );
  expect(reports).toContain('pawl-transactions.api.md');
  expect(naming).toEqual([
    'pawl-dynamodb.api.md',
    'pawl-outbox-eventbridge.api.md',
    'pawl-outbox-sns.api.md',
    'pawl-powertools.api.md',
    'pawl-s3.api.md',
    'pawl-workflows-durable-functions.api.md',
    'pawl-workflows-step-functions.api.md',
  ]);
});
