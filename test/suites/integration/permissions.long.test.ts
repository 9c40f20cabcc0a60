import { generateKeyPairSync, sign } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { App, Stack as CdkStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { User } from 'aws-cdk-lib/aws-iam';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { Order } from '../../../lambda/order.ts';
import { signedText } from '../../../lambda/processor.ts';
import { ClaimsTable, grantClaims, grantLocks } from '../../../lib/cdk/index.ts';
import {
  individualStoreActions,
  outboxActions,
  restoredStoreActions,
  storeActions,
} from '../../../lib/pawl/deployment/needs.ts';
import { type Doubt, reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { InDoubtError, once, type Verdict } from '../../../lib/pawl/index.ts';
import { operatorActs } from '../../../lib/pawl/operate/index.ts';
import type { SqsHandler } from '../../../lib/pawl/sqs/each-by.ts';
import { reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import {
  dynamoStore,
  markRestored,
  readAllRecords,
  restoredTable,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { type Synthesized, synthesize } from '../../../lib/rehearsal/engine/app/synthesize.ts';
import { list, record } from '../../../lib/rehearsal/engine/app/template.ts';
import { sendJson, startHttpServer } from '../../../lib/rehearsal/engine/http.ts';
import { provision } from '../../../lib/rehearsal/engine/provision.ts';
import type { Provisioned } from '../../../lib/rehearsal/engine/provisioned.ts';
import { startSqsLocal } from '../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { startTap } from '../../../lib/rehearsal/engine/servers/tap.ts';
import { startProvider } from '../../../lib/rehearsal/provider.ts';
import { tablesIn } from '../../../lib/rehearsal/services/dynamodb/index.ts';
import { services } from '../../../lib/rehearsal/services/registry.ts';
import { shopApp } from '../../../shop/app/project.ts';
import { startAccounts } from '../../../shop/providers/accounts.ts';
import { startGiftCards } from '../../../shop/providers/gift-cards.ts';
import { createLedger } from '../../../shop/providers/ledger.ts';
import { mailRoutes } from '../../../shop/providers/mails.ts';
import { startProcessor } from '../../../shop/providers/processor.ts';
import { startSes } from '../../../shop/providers/ses.ts';
import { permissions } from '../../cdk/support.ts';
import { actionsOf, type TableAction } from '../../support/actions.ts';
import { grantedBy, judge } from '../../support/judged.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/**
 * Every function of the app runs here, and what it asks of DynamoDB is held against what its role is granted in the template:
 * servers on one's own machine permit everything, so that a grant which is missing shows only in an account.
 */

interface Stack {
  readonly synthesized: Synthesized;
  readonly provisioned: Provisioned;
}

const stacks = new Map<string, Stack>();
/** What the function that runs has asked for, `table action`, and by its requests. */
const asked = new Set<string>();
const requests: TableAction[] = [];
const dynamo = localClient(inject('dynamoEndpoint'));
const documents = DynamoDBDocumentClient.from(dynamo);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const cleanup = new AsyncDisposableStack();
const stopped = <Part extends { stop(): unknown }>(part: Part): Part =>
  cleanup.adopt(part, async () => void (await part.stop()));

/** Where what is asked of DynamoDB is heard. */
let tapped: string;

beforeAll(async () => {
  const ledger = createLedger();
  const [ses, giftCards, accounts, mails, buses, processor, sqs, tap] = [
    stopped(await startSes(ledger)),
    stopped(await startGiftCards(ledger)),
    stopped(await startAccounts()),
    stopped(await startProvider(mailRoutes())),
    stopped(await startHttpServer((_, response) => void sendJson(response, 200, { Entries: [{ EventId: '1' }] }))),
    stopped(await startProcessor()),
    stopped(await startSqsLocal()),
    stopped(await startTap({ target: inject('dynamoEndpoint'), hooks: { onRequest } })),
  ];
  tapped = tap.endpoint;
  const app = await synthesize(shopApp, {
    'aws:cdk:bundling-stacks': [],
    giftCardApiUrl: giftCards.endpoint,
    accountsApiUrl: accounts.endpoint,
    mailsApiUrl: mails.endpoint,
    processorApiUrl: processor.endpoint,
    processorPublicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  });
  cleanup.defer(() => rm(app.folder, { recursive: true, force: true }));
  const provisioned = await provision(services, app, { dynamo, sqs, quiet: {} });
  for (const synthesized of app.stacks) stacks.set(synthesized.stackName, { synthesized, provisioned });
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', tap.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', sqs.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', ses.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', buses.endpoint);
});
beforeEach(() => {
  // What the functions log is no news.
  for (const method of ['log', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  dynamo.destroy();
  await cleanup.disposeAsync();
});

function onRequest({ operation, body }: { readonly operation: string; readonly body: string }) {
  for (const one of actionsOf(operation, JSON.parse(body))) {
    asked.add(`${one.table} ${one.action}`);
    requests.push(one);
  }
  return 'pass' as const;
}

/** What the role of a construct's function may do to tables, `table action`. */
function grantedTo(construct: string, { synthesized, provisioned }: Stack): readonly string[] {
  const tables = tablesIn(provisioned.parts).filter(({ stack }) => stack === synthesized.stackName);
  const resources = Object.entries(synthesized.template.Resources);
  const [, fn] = resources.find(([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(construct)) ?? [];
  const [role] = list(record(fn?.Properties?.['Role'])['Fn::GetAtt']);
  /** An index of a table: its ARN is joined. */
  const indexOf = (resource: unknown) => {
    const [, [arn, index] = []] = list(record(resource)['Fn::Join']) as [unknown?, unknown[]?];
    const [logical] = list(record(arn)['Fn::GetAtt']);
    return tables.filter(({ logicalId }) => logicalId === logical).map(({ name }) => `${name}${index}`);
  };
  const statements = resources
    .filter(([, { Type }]) => Type === 'AWS::IAM::Policy')
    .filter(([, { Properties }]) => list(Properties?.['Roles']).some((one) => record(one)['Ref'] === role))
    .flatMap(([, { Properties }]) => list(record(Properties?.['PolicyDocument'])['Statement']).map(record));
  return statements.flatMap(({ Action, Resource }) => {
    const actions = [Action].flat().map(String);
    const attributes = [Resource].flat().map((one) => list(record(one)['Fn::GetAtt']));
    // A stream is read by Lambda, and not by the function.
    const resources = attributes.flatMap(([id, attribute]) => (attribute === 'StreamArn' ? [] : [id]));
    const on = tables.filter(({ logicalId }) => resources.includes(logicalId)).map(({ name }) => name);
    return [...on, ...[Resource].flat().flatMap(indexOf)].flatMap((name) =>
      actions.map((action) => `${name} ${action}`),
    );
  });
}

/** Delivers these bodies together, and then again, as a queue may. @param keyOf the key that came out of an outbox */
async function deliverTwice<Body extends object>(
  handler: SqsHandler,
  bodies: readonly Body[],
  keyOf?: (body: Body) => string,
): Promise<void> {
  const sent = (body: Body) =>
    keyOf && { messageAttributes: { 'idempotency-key': { dataType: 'String', stringValue: keyOf(body) } } };
  for (const receiveCount of [1, 2]) {
    const event = sqsEvent(...bodies.map((body) => sqsRecord(body, { receiveCount, ...sent(body) })));
    expect(failuresOf(await handler(event, context()))).toEqual([]);
  }
}

const orders = ['order-1', 'order-2', 'order-3'].map(
  (orderId): Order => ({
    orderId,
    customer: { email: 'ada@example.com', name: 'Ada' },
    amountCents: 500,
    currency: 'EUR',
    placedAt: '2026-11-21T10:00:00Z',
  }),
);
const payments = ['p-1', 'p-2'].map((paymentId) => ({
  paymentId,
  customerId: 'c-1',
  amountCents: 500,
  currency: 'EUR',
}));

/** Makes each function do all that it does with its tables. */
const functions: readonly (readonly [stack: string, construct: string, use: () => Promise<void>])[] = [
  [
    'PawlOrders',
    'SendEmail',
    async () => deliverTwice((await import('../../../lambda/send-email.ts')).handler, orders),
  ],
  [
    'PawlOrders',
    'IssueGiftCard',
    async () => deliverTwice((await import('../../../lambda/issue-gift-card.ts')).handler, orders),
  ],
  [
    'PawlOrders',
    'SettleClaims',
    async () => {
      const host = { ...nodeHost, now: () => Date.now() - 60_000 };
      const store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'], aws: sdk({ dynamodb: dynamo }) });
      const key = (id: string) => id;
      const card = once({ operation: 'issue-gift-card', store, host, key, onAbandoned: 'retry' }, () => {
        throw new Error('timeout');
      }).outcome;
      for (const id of ['late-1', 'late-2']) await card(id).catch(() => undefined);
      const { handler } = await import('../../../lambda/settle-claims.ts');
      expect(await handler()).toMatchObject({ notApplied: 2 });
    },
  ],
  [
    'PawlPayments',
    'PostPayment',
    async () => deliverTwice((await import('../../../lambda/post-payment.ts')).handler, payments),
  ],
  [
    'PawlPayments',
    'MailReceipt',
    async () => {
      const { handler } = await import('../../../lambda/mail-receipt.ts');
      await deliverTwice(handler, payments, ({ paymentId }) => `receipt/${paymentId}`);
    },
  ],
  [
    'PawlPayments',
    'BookPoints',
    async () => {
      const events = payments.map((detail) => ({
        ...{ source: 'shop', 'detail-type': 'PaymentPosted' },
        detail: { 'idempotency-key': `points/${detail.paymentId}`, ...detail },
      }));
      await deliverTwice((await import('../../../lambda/book-points.ts')).handler, events);
    },
  ],
  [
    'PawlPayments',
    'OutboxRelay',
    async () => {
      const { handler } = await import('../../../lambda/relay-outbox.ts');
      const inserted = (id: string) => ({ eventName: 'INSERT', dynamodb: { Keys: { id: { S: id }, n: { N: '1' } } } });
      const put = async (uid: string, to: string) => {
        const Item = { id: `message#${uid}`, n: 1, uid, to, key: uid, body: '{}', committedAt: 0, v: 1 };
        // Past the tap: a relay makes no message.
        await documents.send(new PutCommand({ TableName: process.env['OUTBOX_TABLE'], Item }));
      };
      const posting = stacks.get('PawlPayments')?.provisioned.functionAt('PostPayment', 'PawlPayments');
      const receipts = posting?.environment['RECEIPTS_QUEUE_URL'] ?? '';
      await put('m-1', receipts);
      expect(await handler({ Records: [inserted('message#m-1')] }, context())).toEqual({ batchItemFailures: [] });
      await put('m-2', receipts);
      await put('m-3', 'https://example.com/no-queue');
      expect(await handler({}, context())).toMatchObject({ looked: 2, sent: 1 });
    },
  ],
  [
    'PawlPayments',
    'PaymentCallback',
    async () => {
      const { handler } = await import('../../../lambda/payment-callback.ts');
      for (const payment of [...payments, ...payments]) {
        const [sentAt, body] = [String(Date.now()), JSON.stringify(payment)];
        const signature = sign(null, Buffer.from(signedText(sentAt, body)), privateKey).toString('base64');
        const headers = { 'x-sent-at': sentAt, 'x-signature': signature };
        const event = { headers, body, requestContext: { http: { method: 'POST' } } };
        expect(await handler(event, context())).toMatchObject({ statusCode: 200 });
      }
    },
  ],
  [
    'PawlPayments',
    'LedgerDrift',
    async () => {
      const { handler } = await import('../../../lambda/ledger-drift.ts');
      expect(await handler()).toMatchObject({ payments: 0 });
    },
  ],
  [
    'PawlRepayments',
    'RepayDebts',
    async () => {
      const TableName = process.env['DEBTS_TABLE'];
      const debts = ['debt-1', 'debt-2', 'debt-3'];
      for (const debtId of debts) {
        await documents.send(new PutCommand({ TableName, Item: { debtId, amountCents: 100 } }));
      }
      const { handler } = await import('../../../lambda/repay-debts.ts');
      const requests = ['request-1', 'request-2'].map((requestId) => ({ requestId, customerId: 'c-1', debts }));
      for (const request of requests) await deliverTwice(handler, [request]);
    },
  ],
  [
    'PawlAccounts',
    'ChangeAccount',
    async () => {
      const changes = ['change-1', 'change-2'].map((changeId) => ({ changeId, accountId: 'a-1', points: 10 }));
      await deliverTwice((await import('../../../lambda/change-account.ts')).handler, changes);
    },
  ],
];

/** The one operation of each consumer: with the right of it alone, each does all that it does. */
const operations: Readonly<Record<string, string>> = {
  SendEmail: 'send-email',
  IssueGiftCard: 'issue-gift-card',
  PostPayment: 'post-payment',
  MailReceipt: 'mail-receipt',
  BookPoints: 'book-points',
  PaymentCallback: 'payment-callback',
  RepayDebts: 'repay-debts',
  ChangeAccount: 'change-account',
};

test('every function that has a grant on a table is among these', () => {
  const known = functions.map(([, construct]) => construct);
  const all = [...stacks.values()].flatMap(({ synthesized: { template } }) =>
    Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function'),
  );
  const others = all.filter(([id]) => !known.some((construct) => id.startsWith(construct)));
  expect(others.map(([id]) => id)).toEqual([]);
});

test.each(functions)('%s: %s asks for what it is granted, and is granted no more', async (name, construct, use) => {
  const stack = stacks.get(name);
  if (stack === undefined) throw new Error(`The app has no stack ${name}.`);
  const { environment } = stack.provisioned.functionAt(construct, name);
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  // A sandbox has one function: what two of them share is made anew, from the environment of this one.
  vi.resetModules();
  asked.clear();
  requests.length = 0;
  await use();
  const granted = grantedTo(construct, stack);
  expect([...asked].filter((one) => !granted.includes(one))).toEqual([]);

  // What waits in an outbox behind another message is parked, or left, or counted.
  const ofOutbox = outboxActions.map((action) => `${environment['OUTBOX_TABLE']} ${action}`);
  // All stores may be used under one grant: which action a store takes depends on what is under way at once, and on whether its table was restored.
  const ofStores = [...storeActions, ...individualStoreActions, ...restoredStoreActions].map(
    (action) => `${environment['CLAIMS_TABLE']} ${action}`,
  );
  expect(granted.filter((one) => !asked.has(one) && ![...ofStores, ...ofOutbox].includes(one))).toEqual([]);
  expect(asked.size).toBeGreaterThan(0);

  const operation = operations[construct];
  const onClaims = requests.filter(({ table }) => table === environment['CLAIMS_TABLE']);
  if (operation === undefined) return;
  expect(onClaims.length).toBeGreaterThan(0);
  const decisions = (operations: readonly string[]) => {
    const rights = grantedBy((table, role) => {
      grantClaims(table, role, { operations });
      grantLocks(table, role, { operations });
    });
    return onClaims.map((one) => ({ ...one, decision: judge(rights, one) }));
  };
  expect(decisions([operation]).filter(({ decision }) => decision !== 'allowed')).toEqual([]);
  const others = Object.values(operations).filter((other) => other !== operation);
  const reached = decisions(others).filter(({ decision }) => decision === 'allowed');
  // Locks belong to no operation.
  expect(reached.filter(({ leadingKeys }) => leadingKeys.some((key) => !key.startsWith('#')))).toEqual([]);
  expect(reached.length > 0).toBe(construct === 'RepayDebts');
});

describe('who looks after the claims', () => {
  let tableName: string;
  const client = () => stoppedClient(localClient(tapped));
  const stoppedClient = <Client extends { destroy(): void }>(one: Client): Client => {
    cleanup.defer(() => one.destroy());
    return one;
  };

  beforeEach(async () => {
    tableName = await claimsTable(dynamo);
    const store = dynamoStore({ tableName, aws: sdk({ dynamodb: dynamo }) });
    const charge = once({ operation: 'charge', store, key: (id: string) => id, onAbandoned: 'park' }, () => {
      throw new InDoubtError('no answer');
    }).outcome;
    for (const id of ['order-1', 'order-2']) await charge(id).catch(() => undefined);
    asked.clear();
  });

  /** What this grant of a claims table permits, `table action`. */
  function granted(grant: 'grantOperate' | 'grantStatements' | 'grantRestore' | 'grantActs'): readonly string[] {
    const stack = new CdkStack(new App(), 'Shop');
    new ClaimsTable(stack, 'Claims')[grant](new User(stack, 'Ada'));
    return permissions(Template.fromStack(stack)).flatMap(({ actions, resource }) => {
      const [, [, index = ''] = []] = list(record(resource)['Fn::Join']) as [unknown?, string[]?];
      return actions.map((action) => `${tableName}${index} ${action}`);
    });
  }

  /** What was asked for, and what only a restored table needs of a grant: which one it is, and its mark. */
  const withRestored = () =>
    [...new Set([...asked, `${tableName} dynamodb:DescribeTable`, `${tableName} dynamodb:GetItem`])].toSorted();

  test('an operator lists, reads and resolves claims of a restored table with what grantOperate grants, and no more is granted', async () => {
    await markRestored({ tableName, aws: sdk({ dynamodb: dynamo }), cutOff: new Date(1000), by: 'ada', note: '' });
    for (const key of ['order-1', 'order-2']) {
      const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client() }), restored: restoredTable });
      const { claims } = await withListing(store).listOpen({ limit: 10 });
      expect(claims.map(({ id }) => id)).toContain(`charge#${key}`);
      const parked = resolverOf({ operation: 'charge', store });
      expect(await parked.resolve(key, 'not-applied', { by: 'ada', note: '' })).toMatchObject({ outcome: 'resolved' });
    }
    expect([...asked].toSorted()).toEqual(granted('grantOperate').toSorted());
  });

  test('an export of acts asks for what grantActs grants, and no more is granted', async () => {
    const records = readAllRecords({ tableName, aws: sdk({ dynamodb: client() }) });
    for await (const _ of operatorActs(records));
    expect(withRestored()).toEqual(granted('grantActs').toSorted());
  });

  test('a comparison with a statement asks for what grantStatements grants, and no more is granted', async () => {
    const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client() }) });
    const compared = await reconcileStatements({
      operation: 'charge',
      store,
      from: 0,
      cutOff: Date.now(),
      settleMs: 0,
      skewMs: 0,
      onEvent: () => undefined,
      statement: () => [
        { key: 'order-1', at: 1, id: 'txn_1' },
        { key: 'order-2', at: 2, id: 'txn_2' },
        { key: 'order-3', at: 3, id: 'txn_3' },
      ],
    });
    expect(compared).toMatchObject({ outcome: 'done', report: { lines: 3, settled: 2, open: { 'missing-here': 1 } } });
    // What a settlement of its findings asks a throttled table for, with the same grant: `operate/settle-rights.test.ts`.
    asked.add(`${tableName} dynamodb:PartiQLInsert`);
    expect(withRestored()).toEqual(granted('grantStatements').toSorted());
  });

  test('a comparison that lifts the mark of a restored table asks for what grantStatements and grantRestore grant, and no more is granted', async () => {
    await markRestored({ tableName, aws: sdk({ dynamodb: dynamo }), cutOff: new Date(1000), by: 'ada', note: '' });
    const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client() }), restored: restoredTable });
    const compared = await reconcileStatements({
      operation: 'charge',
      store,
      from: 0,
      settleMs: 0,
      skewMs: 0,
      restored: 'lift',
      onEvent: () => undefined,
      // The first two have claims, the others are forgotten: several of them in one request.
      statement: () =>
        Array.from({ length: 5 }, (_, index) => ({ key: `order-${index + 1}`, at: index + 1, id: `txn_${index}` })),
    });
    expect(compared).toMatchObject({ outcome: 'done', report: { settled: 5, open: {}, restored: { mark: 'lifted' } } });
    const all = new Set([...granted('grantStatements'), ...granted('grantRestore')]);
    expect([...asked].toSorted()).toEqual([...all].toSorted());
  });

  test('a sweep settles what is in doubt with what grantOperate grants', async () => {
    const host = { ...nodeHost, now: () => Date.now() - 60_000 };
    const store = dynamoStore({ tableName, aws: sdk({ dynamodb: dynamo }) });
    const late = once({ operation: 'late', store, host, key: (id: string) => id, onAbandoned: 'retry' }, () => {
      throw new Error('timeout');
    }).outcome;
    for (const id of ['order-3', 'order-4', 'order-5']) await late(id).catch(() => undefined);
    asked.clear();
    const verdicts: Readonly<Record<string, Verdict>> = {
      'order-3': { verdict: 'applied' },
      'order-4': { verdict: 'not-applied' },
    };
    const ask = ({ key }: Doubt) => verdicts[key] ?? { verdict: 'inconclusive' };
    const sweep = sweepOpenClaims({
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client() }) }),
      operations: { late: { onAbandoned: reconcile({ ask, settleMs: 1000 }) } },
      onReport: () => undefined,
    });
    expect(await sweep()).toMatchObject({ applied: 1, notApplied: 1, inconclusive: 1, alreadyParked: 2 });
    expect(withRestored()).toEqual(granted('grantOperate').toSorted());
  });

  test('no function of the app but its sweep may list claims, or read the whole table', () => {
    for (const { synthesized, provisioned } of stacks.values()) {
      for (const [, construct] of functions.filter(([, name]) => name !== 'SettleClaims')) {
        const claims = tablesIn(provisioned.parts)
          .filter(({ stack, construct: made }) => stack === synthesized.stackName && made.includes('Claims'))
          .map(({ name }) => name);
        const may = grantedTo(construct, { synthesized, provisioned });
        const mayRead = may.filter((one) => claims.some((name) => one.startsWith(name)));
        // What compares the claims with a statement lists those that no statement has confirmed, in the index.
        const isStatements = construct === 'LedgerDrift';
        const never = isStatements ? /Scan|Delete/ : /Query|Scan|Delete/;
        expect(mayRead.filter((one) => never.test(one))).toEqual([]);
      }
    }
  });
});
