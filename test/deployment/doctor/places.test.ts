import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPlaces } from '../../../lib/deployment/doctor/places.ts';
import { type DescribedAccount, startDescribedAccount } from '../../support/described-account.ts';

const arn = (queue: string) => `arn:aws:sqs:eu-west-1:123456789012:${queue}`;
const functionArn = (name: string) => `arn:aws:lambda:eu-west-1:123456789012:function:${name}`;
const redriveTo = (queue: string) => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(queue), maxReceiveCount: 5 }),
});

const shop: DescribedAccount = {
  stacks: {
    Shop: [
      ['AWS::Lambda::Function', 'mails'],
      ['AWS::Lambda::Function', 'api'],
      ['AWS::Lambda::Function', 'stranger'],
      ['AWS::CloudFormation::Stack', 'Nested'],
    ],
    Nested: [['AWS::Lambda::Function', 'orders']],
  },
  functions: {
    mails: { Environment: { Variables: { CLAIMS_TABLE: 'claims', DEAD_LETTER_QUEUE_URL: 'https://sqs/mails-dlq' } } },
    api: { Environment: { Variables: { CLAIMS_TABLE: 'claims' } } },
    stranger: { Environment: { Variables: {} } },
    orders: { Environment: { Variables: { CLAIMS_TABLE: 'claims' } } },
  },
  mappings: [
    { FunctionArn: functionArn('mails'), EventSourceArn: arn('mails') },
    { FunctionArn: functionArn('stranger'), EventSourceArn: arn('other') },
    { FunctionArn: functionArn('orders'), EventSourceArn: arn('orders') },
  ],
  queues: { mails: {}, other: redriveTo('other-dlq'), orders: redriveTo('orders-dlq') },
  table: {},
  decisionOn: () => 'allowed',
};

let account: Awaited<ReturnType<typeof startDescribedAccount>>;
let config: Parameters<typeof readPlaces>[1];
beforeEach(async () => {
  account = await startDescribedAccount(shop);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  config = { endpoint: account.endpoint, region: 'eu-west-1', ...{ credentials } };
});
afterEach(() => account.stop());

it('finds the claims table and the dead-letter queues of a stack, with nested stacks, and leaves strangers out', async () => {
  const url = (queue: string) => `http://${new URL(account.endpoint).host}/123456789012/${queue}`;
  expect(await readPlaces('Shop', config)).toEqual({
    tables: ['claims'],
    deadLetters: [
      { deadLetterUrl: 'https://sqs/mails-dlq', queueUrl: url('mails') },
      { deadLetterUrl: url('orders-dlq'), queueUrl: url('orders') },
    ],
  });
});

it('finds those of one function', async () => {
  expect(await readPlaces('mails', config)).toMatchObject({ tables: ['claims'], deadLetters: [{}] });
});

it('says that there is neither a stack nor a function', async () => {
  await expect(readPlaces('nothing', config)).rejects.toThrow(/neither a stack nor a function called nothing/);
});
