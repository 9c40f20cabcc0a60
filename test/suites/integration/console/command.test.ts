import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { dynamoLockStore, forEachItem, resourceLocks } from '../../../../lib/pawl/locks/index.ts';
import { openPage } from '../../../support/console-client.ts';
import { startDescribedAccount } from '../../../support/described-account.ts';
import { runCommand } from '../../../support/in-process.ts';
import { startIncident } from '../../../support/incident.ts';
import { envOf, shell } from '../../../support/pawl-command.ts';

let incident: Awaited<ReturnType<typeof startIncident>>;
beforeAll(async () => {
  incident = await startIncident({ dynamoEndpoint: inject('dynamoEndpoint'), mails: 2, orders: 1 });
});
afterAll(() => incident.stop());

it('pawl console serves a table and its queues until Ctrl-C, with the credentials and settings of the operator', async () => {
  const cloudWatch = createServer((_, response) => {
    response.statusCode = 403;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(cloudWatch, 'listening');
  const { port: metricsPort } = cloudWatch.address() as AddressInfo;
  const env = {
    ...shell(),
    ...envOf(incident, inject('dynamoEndpoint')),
    AWS_ENDPOINT_URL_CLOUDWATCH: `http://127.0.0.1:${metricsPort}`,
  };
  const args = [
    'bin/pawl.ts',
    'console',
    '--table',
    incident.tableName,
    '--queue',
    'mails-dlq',
    '--queue',
    incident.orders.deadLetters.url,
  ];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const url = String(line).trim();
    const port = Number(new URL(url).port);
    const { get, post } = await openPage({ url, port });
    expect(JSON.parse((await get('/api/state')).text)).toMatchObject({
      title: incident.tableName,
      write: false,
      live: false,
    });
    const overview = JSON.parse((await get('/api/overview')).text);
    expect(overview).toMatchObject({
      operations: [{ operation: 'send-email', parked: 2 }],
      queues: [
        { name: 'mails-dlq', depth: 2 },
        { name: 'orders-dlq', depth: 1 },
      ],
      history: { source: 'none', why: expect.stringMatching(/^CloudWatch was asked\. \w+/) },
    });
    expect(await post('/api/plan', { kind: 'resolve', verdict: 'applied', filter: {} })).toMatchObject({ status: 403 });
    const { letters } = JSON.parse((await post('/api/dead-letters', { queueUrl: overview.queues[0].url })).text);
    expect(letters).toMatchObject([{ reason: 'parked' }, { reason: 'parked' }]);
    expect(JSON.stringify(letters)).not.toContain('orderId');
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
  } finally {
    child.kill('SIGKILL');
    cloudWatch.close();
    cloudWatch.closeAllConnections();
  }
});

it('pawl console says what it may not read of a stack', async () => {
  const account = await startDescribedAccount({
    stacks: { Shop: ['mails', 'secret'].map((name) => ['AWS::Lambda::Function', name] as const) },
    functions: { mails: { Environment: { Variables: { CLAIMS_TABLE: incident.tableName } } }, secret: 'denied' },
    mappings: 'denied',
    queues: {},
    table: {},
    decisionOn: () => 'allowed',
  });
  const env = {
    ...shell(),
    ...envOf(incident, inject('dynamoEndpoint')),
    AWS_ENDPOINT_URL_LAMBDA: account.endpoint,
    AWS_ENDPOINT_URL_CLOUDFORMATION: account.endpoint,
  };
  const child = spawn(process.execPath, ['bin/pawl.ts', 'console', '--stack', 'Shop'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = text(child.stderr);
  try {
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await said).toMatch(/^Left out: secret: .*\nLeft out: mails: you may not lambda:ListEventSourceMappings/);
  } finally {
    child.kill('SIGKILL');
    await account.stop();
  }
});

it('pawl console refuses what it does not understand, before it asks AWS', async () => {
  await expect(runCommand(['console', '--table', 'claims', '--port', '70000'])).rejects.toThrow(
    /--port: expected a whole number from 1 to 65535/,
  );
  await expect(runCommand(['console', 'send-email#order-1', '--table', 'claims'])).rejects.toThrow(/takes no names/);
});

it('pawl console shows locks and the work under them, releases many, and reports each act on the standard error', async () => {
  const { store, tableName } = incident;
  const holder = 'repay#1';
  const lockStore = dynamoLockStore(store);
  const lock = await resourceLocks({ store: lockStore, onEvent: () => undefined }).lockAll([['debt', 1]], { holder });
  const onEvent = () => undefined;
  const options = { id: holder, work: 'repay', fence: lockStore.stillHeld(lock), store: lockStore, chunk: 1, onEvent };
  const stopped = forEachItem(['a', 'b'], { ...options, concurrency: 1 }, async ([item]) => {
    if (item === 'b') throw new Error('stopped');
    return [];
  });
  await expect(stopped).rejects.toThrow();
  await lock.keep();
  const remedies = join(import.meta.dirname, '../../../../shop/incident/remedies.ts');
  const flags = ['--write', '--work', 'repay', '--remedies', remedies];
  const child = spawn(process.execPath, ['bin/pawl.ts', 'console', '--table', tableName, ...flags], {
    env: { ...shell(), ...envOf(incident, inject('dynamoEndpoint')) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [ended, error] = [once(child, 'close'), text(child.stderr)];
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const url = String(line).trim();
    const { get, post } = await openPage({ url, port: Number(new URL(url).port) });
    expect(JSON.parse((await get('/api/state')).text)).toMatchObject({ works: ['repay'], remedies: true });
    const { locks } = JSON.parse((await get('/api/locks')).text);
    expect(locks).toMatchObject([{ holder, state: 'kept', works: [{ work: 'repay', done: 1, total: 2 }] }]);
    const { planId } = JSON.parse((await post('/api/plan', { kind: 'release', locks })).text);
    await post('/api/act', { planId, by: 'maria', note: 'cancelled' });
    expect(JSON.parse((await get('/api/locks')).text).locks).toEqual([]);
    const settling = JSON.parse(
      (await post('/api/plan', { kind: 'settle', ids: ['#finding#charge#twice#none'] })).text,
    );
    expect(settling).toMatchObject({ count: 0, summary: [{ will: 'stay: unknown-finding', count: 1 }] });
  } finally {
    child.kill('SIGINT');
  }
  await ended;
  expect(await error).toContain(`{"pawl":"lock-released","id":"${lock.id}"`);
});
