import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, onTestFinished, test } from 'vitest';

test('the tests have a DynamoDB Local that answers', async () => {
  const client = new DynamoDBClient({
    endpoint: inject('dynamoEndpoint'),
    region: 'us-east-1',
    credentials: { accessKeyId: 'TEST', secretAccessKey: 'test' },
  });
  const { TableNames } = await client.send(new ListTablesCommand({}));
  expect(TableNames).toBeInstanceOf(Array);
  client.destroy();
});

test('a process that ends on Ctrl-C leaves no folder of its DynamoDB Local behind', async () => {
  const url = (path: string) => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href);
  const script = `
    import { startDynamoDbLocal } from ${url('lib/rehearsal/engine/servers/dynamodb-local.ts')};
    import { endOnSignals } from ${url('shop/end-on-signals.ts')};
    endOnSignals(() => undefined);
    await startDynamoDbLocal();
    console.log('up');
    setInterval(() => {}, 1000);`;
  const folder = mkdtempSync(join(tmpdir(), 'pawl-ended-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  expect(readdirSync(folder).filter((name) => name.startsWith('pawl-dynamodb-'))).toHaveLength(1);
  child.kill('SIGINT');
  await ended;
  expect(readdirSync(folder).filter((name) => name.startsWith('pawl-dynamodb-'))).toEqual([]);
});
