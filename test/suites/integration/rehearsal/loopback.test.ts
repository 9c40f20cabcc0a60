import { expect, onTestFinished, test } from 'vitest';
import { startDynamoDbLocal } from '../../../../lib/rehearsal/engine/servers/dynamodb-local.ts';
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

const servers: readonly (readonly [string, () => Promise<Server>])[] = [
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

test.each(servers)('%s is reached at 127.0.0.1 and at no other address of the machine', async (_, start) => {
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
