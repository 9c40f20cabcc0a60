import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPlaces } from '../../../lib/cli/deployed/places.ts';
import { type DescribedAccount, startDescribedAccount } from '../../support/described-account.ts';
import { runPawl } from '../../support/pawl-command.ts';

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
      ['AWS::Lambda::Function', 'relay'],
      ['AWS::CloudFormation::Stack', 'Nested'],
    ],
    Nested: [['AWS::Lambda::Function', 'orders']],
  },
  functions: {
    mails: { Environment: { Variables: { CLAIMS_TABLE: 'claims', DEAD_LETTER_QUEUE_URL: 'https://sqs/mails-dlq' } } },
    api: { Environment: { Variables: { CLAIMS_TABLE: 'claims' } } },
    stranger: { Environment: { Variables: {} } },
    relay: { Environment: { Variables: { OUTBOX_TABLE: 'outbox' } } },
    orders: { Environment: { Variables: { CLAIMS_TABLE: 'claims', OUTBOX_TABLE: 'outbox' } } },
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
async function describeAccount(described: DescribedAccount): Promise<void> {
  account = await startDescribedAccount(described);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  config = { endpoint: account.endpoint, region: 'eu-west-1', ...{ credentials } };
}

/** What is found in another account than the shop's. */
async function placesOf(described: DescribedAccount, name = 'Shop', where = {}) {
  await account.stop();
  await describeAccount(described);
  return readPlaces(name, config, where);
}

beforeEach(() => describeAccount(shop));
afterEach(() => account.stop());

it('finds the claims table, the outbox and the dead-letter queues of a stack, with nested stacks, and leaves strangers out', async () => {
  const url = (queue: string) => `http://${new URL(account.endpoint).host}/123456789012/${queue}`;
  expect(await readPlaces('Shop', config)).toEqual({
    tables: ['claims'],
    outboxTables: ['outbox'],
    deadLetters: [
      { deadLetterUrl: 'https://sqs/mails-dlq', queueUrl: url('mails') },
      { deadLetterUrl: url('orders-dlq'), queueUrl: url('orders') },
    ],
    unread: [],
  });
});

it('does not choose between queues that share a dead-letter queue: a redrive to either would give it the messages of the other', async () => {
  const queues = { ...shop.queues, mails: redriveTo('dlq'), orders: redriveTo('dlq') };
  const mails = { Environment: { Variables: { CLAIMS_TABLE: 'claims' } } };
  const { deadLetters } = await placesOf({ ...shop, functions: { ...shop.functions, mails }, queues });
  expect(deadLetters).toEqual([{ deadLetterUrl: expect.stringMatching(/\/dlq$/), queueUrl: undefined }]);
});

it('finds the dead-letter queue of a consumer whose claims are in a database, and which has no table', async () => {
  const mails = { Environment: { Variables: { DEAD_LETTER_QUEUE_URL: 'https://sqs/mails-dlq' } } };
  const described = { ...shop, functions: { ...shop.functions, mails } };
  const queuesOf = ({ deadLetters }: Awaited<ReturnType<typeof readPlaces>>) =>
    deadLetters.map(({ deadLetterUrl }) => deadLetterUrl.split('/').at(-1));
  expect(queuesOf(await placesOf(described, 'Shop', { inDatabase: true }))).toEqual(['mails-dlq']);
  expect(queuesOf(await placesOf(described))).toEqual(['orders-dlq']);

  await account.stop();
  await describeAccount({ ...described, stacks: { Shop: [['AWS::Lambda::Function', 'mails']] } });
  const options = ['--database', 'postgres://operator@127.0.0.1:1/shop', '--region', 'eu-west-1'];
  const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  const looked = await runPawl(['dlq', '--stack', 'Shop', ...options, '--endpoint', account.endpoint], credentials);
  expect(looked).toMatchObject({ code: 0, out: expect.stringContaining('https://sqs/mails-dlq') });
});

describe('an operator who may not list event sources, which IAM permits for all functions or for none', () => {
  it('finds the dead-letter queues in the variables of the functions, and is told where there is none', async () => {
    const found = await placesOf({ ...shop, mappings: 'denied' });
    expect(found).toEqual({
      tables: ['claims'],
      outboxTables: ['outbox'],
      // The redrive policy says which queue it belongs to.
      deadLetters: [{ deadLetterUrl: 'https://sqs/mails-dlq', queueUrl: undefined }],
      unread: ['api', 'orders'].map((functionName) => ({ functionName, what: 'queues' })),
    });
  });

  it('finds those of a function that is fed by several queues', async () => {
    const pairs = `${arn('mails')}=https://sqs/mails-dlq ${arn('orders')}=https://sqs/orders-dlq`;
    const mails = { Environment: { Variables: { CLAIMS_TABLE: 'claims', DEAD_LETTER_QUEUE_URL: pairs } } };
    const { deadLetters } = await placesOf({ ...shop, functions: { ...shop.functions, mails }, mappings: 'denied' });
    expect(deadLetters).toEqual(
      ['mails', 'orders'].map((name) => ({
        deadLetterUrl: `https://sqs/${name}-dlq`,
        queueUrl: expect.stringMatching(new RegExp(`/${name}$`)),
      })),
    );
  });
});

it('of several tables, finds the dead-letter queues of the one that is named: the claims of others are elsewhere. A table that no function has leaves none out', async () => {
  const orders = { Environment: { Variables: { CLAIMS_TABLE: 'others' } } };
  const found = await placesOf({ ...shop, functions: { ...shop.functions, orders } });
  const queuesIn = async (table: string) =>
    (await readPlaces('Shop', config, { table })).deadLetters.map(({ deadLetterUrl }) =>
      deadLetterUrl.split('/').at(-1),
    );
  expect(found).toMatchObject({ tables: ['claims', 'others'], deadLetters: [{}, {}] });
  expect(await queuesIn('others')).toEqual(['orders-dlq']);
  expect(await queuesIn('claims')).toEqual(['mails-dlq']);
  expect(await queuesIn('claims-restored')).toEqual(['mails-dlq', 'orders-dlq']);
});

it('finds for claims in a database the dead-letter queues of the functions that have no table, and of no other: their claims are elsewhere', async () => {
  const pay = { Environment: { Variables: { DATABASE_HOST: 'db', DEAD_LETTER_QUEUE_URL: 'https://sqs/pay-dlq' } } };
  const described: DescribedAccount = {
    ...shop,
    stacks: { Shop: ['mails', 'stranger', 'pay'].map((name) => ['AWS::Lambda::Function', name]) },
    functions: { ...shop.functions, pay },
    mappings: [
      { FunctionArn: functionArn('mails'), EventSourceArn: arn('mails') },
      { FunctionArn: functionArn('stranger'), EventSourceArn: arn('other') },
      { FunctionArn: functionArn('pay'), EventSourceArn: arn('pay') },
    ],
    queues: { ...shop.queues, pay: {} },
  };
  const urlsOf = ({ deadLetters }: Awaited<ReturnType<typeof readPlaces>>) =>
    deadLetters.map(({ deadLetterUrl }) => deadLetterUrl);
  expect(urlsOf(await placesOf(described))).toEqual(['https://sqs/mails-dlq']);
  expect(urlsOf(await readPlaces('Shop', config, { inDatabase: true }))).toEqual(['https://sqs/pay-dlq']);
});

it('a function of the stack that the operator may not read does not hide the others, and is named', async () => {
  const functions = { ...shop.functions, stranger: 'denied' } as const;
  const { deadLetters, unread } = await placesOf({ ...shop, functions });
  expect(deadLetters).toHaveLength(2);
  expect(unread).toEqual([{ functionName: 'stranger', what: 'function' }]);
});

it('a function that was asked for by name, and may not be read, is an error', async () => {
  const functions = { ...shop.functions, mails: 'denied' } as const;
  await expect(placesOf({ ...shop, functions }, 'mails')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

it('finds those of one function', async () => {
  expect(await readPlaces('mails', config)).toMatchObject({ tables: ['claims'], deadLetters: [{}] });
});

it('says that there is neither a stack nor a function', async () => {
  await expect(readPlaces('nothing', config)).rejects.toThrow(/neither a stack nor a function called nothing/);
});
