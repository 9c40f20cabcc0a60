import { afterEach, expect, inject, it, vi } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { sweepOpenClaims } from '../../../../lib/pawl/sweep/index.ts';
import { executionEnded, startAgain, startOnce, waitingExecutions } from '../../../../lib/pawl/workflows/index.ts';
import { stepFunctions } from '../../../../lib/pawl/workflows/step-functions.ts';
import { runCommand } from '../../../support/in-process.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { endOf, machines, startStepFunctions } from '../../../support/step-functions.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

const cleanup = new AsyncDisposableStack();
afterEach(() => cleanup.disposeAsync());

it('twenty executions that never end: an operator sees them, and settles each by a command', async () => {
  const endpoint = inject('dynamoEndpoint');
  const client = cleanup.adopt(localClient(endpoint), (one) => one.destroy());
  const tableName = await claimsTable(client);
  const sfn = await startStepFunctions();
  cleanup.defer(() => sfn.stop());
  const place = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: 'us-east-1' };
  const who = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  for (const [name, value] of Object.entries({ ...place, ...who })) vi.stubEnv(name, value);
  cleanup.defer(() => void vi.unstubAllEnvs());

  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const workflow = stepFunctions({ client: sfn.client, stateMachineArn: machines.standard, type: 'STANDARD' });
  const end = { afterFailed: 'park', endsWithinMs: 3_600_000 } as const;
  const waiting = { operation: 'settle', store, workflow, onEvent: () => undefined };
  const start = startOnce<number>({ ...waiting, aws: noQueue, key: ({ body }) => String(body), waitForEnd: end });
  const messages = Array.from({ length: 20 }, (_, order) => sqsRecord(order));
  expect(failuresOf(await start(sqsEvent(...messages), context()))).toEqual([]);

  const pawl = (...args: readonly string[]) => runCommand([...args, '--table', tableName]);
  const claims = async (status: string) => (await pawl('claims', '--status', status, '--json')).lines().slice(0, -1);
  const acted = ['--by', 'maria', '--note', 'the ledger of the bank', '--yes'];
  const by = (...args: readonly string[]) => pawl('resolve', ...args, ...acted);

  // While they have time, they are shown as waiting. Five have done what they are for.
  const shown = await claims('waiting');
  expect(shown).toHaveLength(20);
  const ids = shown.map(({ id }) => String(id));
  const { out } = await pawl('claim', ids[0] ?? '');
  const [execution] = sfn.started.filter(({ name }) => ids[0]?.endsWith(name.split('-')[0] ?? ''));
  expect(out).toContain(execution?.executionArn);
  expect((await by(...ids.slice(0, 5), 'applied')).code).toBe(0);

  // The others should have ended. The sweep parks them, and says why.
  const later = { ...nodeHost, now: () => Date.now() + 2 * end.endsWithinMs };
  const swept = { ...waiting, ...end, host: later };
  const operations = waitingExecutions(swept);
  const sweep = sweepOpenClaims({ store, operations, host: later, onReport: () => undefined });
  expect(await sweep()).toMatchObject({ parked: 15 });
  expect((await pawl('claims', '--status', 'parked')).out.match(/ExecutionNotEnded: \S+-1: it runs/g)).toHaveLength(15);

  // Five never did anything: each is started again, under the next name.
  const again = ids.slice(5, 10);
  expect((await by(...again, 'not-applied')).code).toBe(0);
  const startNext = startAgain({ ...waiting, ...end });
  for (const id of again) expect(await startNext(id)).toEqual({ outcome: 'started-again' });
  const next = sfn.started.slice(20);
  expect(next.map(({ name }) => name.split('-')[1])).toEqual(Array(5).fill('2'));
  expect(await claims('waiting')).toHaveLength(5);

  // Ten have done it, which one command says of all that are parked.
  const rest = await by('applied', '--operation', 'execution:settle', '--status', 'parked');
  expect(rest).toMatchObject({ code: 0, out: expect.stringContaining('10 claims resolved as applied') });
  const ended = executionEnded({ ...waiting, ...end });
  for (const one of next) expect(await ended(endOf(one, 'SUCCEEDED'))).toEqual({ outcome: 'completed' });
  expect(await pawl('claims')).toMatchObject({ code: 0, out: 'No claim is open.\n' });
  expect(sfn.started).toHaveLength(25);
});
