import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { findings, reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import { dynamoStore, readRestored, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { type HttpServer, readBody, sendJson, startHttpServer } from '../../../lib/rehearsal/engine/http.ts';
import { collect } from '../../support/collect.ts';
import { runCommand } from '../../support/in-process.ts';
import { context } from '../../support/lambda.ts';
import { localClient } from '../../support/tables.ts';

/* A role that may do nothing: AWS refuses, and the error has to advise the grant of the one who asked. */

let aws: HttpServer;
beforeAll(async () => {
  aws = await startHttpServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    await readBody(request);
    const action = `${target.startsWith('AmazonSQS') ? 'sqs' : 'dynamodb'}:${target.replace(/^.*\./, '')}`;
    const message = `User: arn:aws:sts::123456789012:assumed-role/maria is not authorized to perform: ${action} on resource: x`;
    await sendJson(response, 400, { __type: 'AccessDeniedException', message });
  });
});
afterAll(() => aws.stop());

const store = () => dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: localClient(aws.endpoint) }) });
const sqsClient = () =>
  new SQSClient({
    endpoint: aws.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
const desk = () => operator({ store: store(), aws: sdk({ sqs: sqsClient() }), onEvent: () => undefined });
const acted = { by: 'maria', note: 'n' };
/** What tells the store of a restored table. */
const restored = { readRestore: () => undefined, liftRestore: () => undefined };
const name = { operation: 'pay', key: 'order-1' };
const dead = 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dead';

it.each<readonly [string, () => Promise<unknown>, string]>([
  ['an operator who lists', () => collect(desk().openClaims()), 'claimsTable.grantOperate(role)'],
  ['an operator who reads', () => desk().readClaim(name), 'claimsTable.grantOperate(role)'],
  ['an operator who resolves', () => desk().resolve(name, 'applied', acted), 'claimsTable.grantOperate(role)'],
  [
    'an operator of a restored table',
    () => operator({ store: { ...store(), ...restored }, onEvent: () => undefined }).resolve(name, 'applied', acted),
    'claimsTable.grantOperate(role), and for a key without a record claimsTable.grantRestore(role)',
  ],
  [
    'an operator who looks at dead letters',
    () => desk().deadLetters({ queueUrl: dead }),
    'consumer.grantOperate(role)',
  ],
  [
    'an operator who redrives',
    () => desk().planRedrive({ from: dead, letters: [], ...acted }),
    'consumer.grantOperate(role)',
  ],
  [
    'a sweep',
    () => sweepOpenClaims({ store: store(), operations: { pay: { onAbandoned: 'park' } } })({}, context(30_000)),
    'claimsTable.grantOperate(role)',
  ],
  [
    'a comparison with a statement',
    () => reconcileStatements({ operation: 'pay', store: store(), statement: () => [], from: 1, settleMs: 1000 }),
    'claimsTable.grantStatements(role)',
  ],
  ['a list of findings', () => collect(findings({ store: store() }).list()), 'claimsTable.grantStatements(role)'],
  [
    'a mark',
    () => readRestored({ tableName: 'claims', aws: sdk({ dynamodb: localClient(aws.endpoint) }) }),
    'claimsTable.grantRestore(',
  ],
  ['a consumer', () => store().read('pay#order-1'), 'claimsTable.grantClaims(fn)'],
])('advises %s the grant of its role', async (_, ask, grant) => {
  const error = await ask().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(String(error)).toContain(`Grant it: ${grant}`);
  expect(error).toMatchObject({ name: 'SetupError', code: 'access-denied' });
});

it.each<readonly [string, readonly string[], string]>([
  ['claims', [], 'claimsTable.grantOperate(role)'],
  ['claim', ['pay#order-1'], 'claimsTable.grantOperate(role)'],
  ['resolve', ['pay#order-1', 'applied', '--yes', '--by', 'maria', '--note', 'n'], 'claimsTable.grantOperate(role)'],
  ['locks', [], 'claimsTable.grantOperate(role)'],
  ['lock', ['customer', '17'], 'claimsTable.grantOperate(role)'],
  ['unlock', ['17', '--yes', '--by', 'maria', '--note', 'n'], 'claimsTable.grantOperate(role)'],
  ['restored', [], 'claimsTable.grantRestore(role)'],
  ['acts', [], 'claimsTable.grantActs(role)'],
  ['statements', ['pay'], 'claimsTable.grantStatements(role)'],
  ['findings', [], 'claimsTable.grantStatements(role)'],
])('advises the operator who runs pawl %s %j the grant of that command', async (command, args, grant) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'operator');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  const at = ['--table', 'claims', '--endpoint', aws.endpoint, '--region', 'us-east-1'];
  await expect(runCommand([command, ...args, ...at])).rejects.toThrow(`Grant it: ${grant}`);
  vi.unstubAllEnvs();
});
