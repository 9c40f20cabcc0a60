import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dynamoDbLocalFolder, startDynamoDbLocal } from '../../../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { startTap } from '../../../../lib/rehearsal/engine/servers/tap.ts';
import { startHttpApi } from '../../../../lib/rehearsal/services/api/http-api.ts';
import { startAccounts } from '../../../../shop/providers/accounts.ts';
import { startGiftCards } from '../../../../shop/providers/gift-cards.ts';
import { createLedger } from '../../../../shop/providers/ledger.ts';
import { startProcessor } from '../../../../shop/providers/processor.ts';
import { startSes } from '../../../../shop/providers/ses.ts';
import { isReached, otherAddresses } from '../../../support/other-addresses.ts';

interface Server {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const SERVERS: readonly (readonly [string, () => Promise<Server>])[] = [
  ['DynamoDB Local', startDynamoDbLocal],
  ['the SQS server', startSqsLocal],
  ['SES', () => startSes(createLedger())],
  ['the accounts service', () => startAccounts()],
  ['the gift card provider', () => startGiftCards(createLedger())],
  ['the payment processor', startProcessor],
  [
    'the HTTP API',
    () => startHttpApi([{ key: '$default', invoke: async () => ({ kind: 'response', value: { statusCode: 200 } }) }]),
  ],
  ['the tap', () => startTap({ target: 'http://127.0.0.1:9' })],
];

test.each(SERVERS)('%s is reached at 127.0.0.1 and at no other address of the machine', async (_, start) => {
  const others = await otherAddresses();
  // Without one, nothing here could tell a server on every interface from one on 127.0.0.1.
  expect(others, 'this machine has no address but 127.0.0.1 to try').not.toEqual([]);
  const server = await start();
  onTestFinished(() => server.stop());
  const port = Number(new URL(server.endpoint).port);
  expect(await isReached('127.0.0.1', port)).toBe(true);
  const reached = await Promise.all(others.map((host) => isReached(host, port)));
  expect(others.filter((__, index) => reached[index])).toEqual([]);
});

test('the class that starts DynamoDB Local is what its source compiles to', ({ skip }) => {
  if (!hasCompiler()) skip('a Java runtime has no compiler, and this machine has only that');
  const folder = new URL('../../../../lib/rehearsal/engine/servers/loopback/', import.meta.url);
  const compiled = mkdtempSync(join(tmpdir(), 'pawl-loopback-'));
  onTestFinished(() => rmSync(compiled, { recursive: true, force: true }));
  const jars = dynamoDbLocalFolder();
  const classPath = [join(jars, 'DynamoDBLocal.jar'), join(jars, 'DynamoDBLocal_lib', '*')].join(delimiter);
  const source = new URL('LoopbackServer.java', folder).pathname;
  execFileSync('javac', ['--release', '17', '-g:none', '-proc:none', '-d', compiled, '-cp', classPath, source]);
  expect(readFileSync(new URL('LoopbackServer.class', folder)).toString('hex')).toBe(
    readFileSync(join(compiled, 'LoopbackServer.class')).toString('hex'),
  );
});

function hasCompiler(): boolean {
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
