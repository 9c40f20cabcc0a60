import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { killWithUs } from '../../../../lib/rehearsal/engine/children.ts';
import { type StandInAnswer, type StandInCall, startStandIn } from '../../../support/stand-in.ts';

const main = fileURLToPath(new URL('../../../../proof/account/main.ts', import.meta.url));
const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0).toReversed()) await stop();
});

const xml = (operation: string, result: string): StandInAnswer => ({
  body: `<${operation}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${operation}Result>${result}</${operation}Result></${operation}Response>`,
});
const outputs = [
  ...['Table', 'Queue', 'QueueArn', 'DeadLetters', 'DeadLettersArn'],
  ...['ShortQueueArn', 'ByStatement', 'ByItem', 'ByKey', 'Worker'],
];
const stackIn = (status: string, name: unknown) =>
  xml(
    'DescribeStacks',
    `<Stacks><member><StackName>${name}</StackName><StackStatus>${status}</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime><Outputs>${outputs
      .map((key) => `<member><OutputKey>${key}</OutputKey><OutputValue>the-${key}</OutputValue></member>`)
      .join('')}</Outputs></member></Stacks>`,
  );

/** An account whose CloudFormation works. `other` is all the rest. */
async function startAccount(
  other: (call: StandInCall) => StandInAnswer | Promise<StandInAnswer>,
  created = 'CREATE_COMPLETE',
  deleted?: string,
) {
  const stacks = new Map<string, string>();
  const calls: StandInCall[] = [];
  const standIn = await startStandIn((call) => {
    calls.push(call);
    const name = String(call.body['StackName']);
    switch (call.operation) {
      case 'CreateStack':
        stacks.set(name, created);
        return xml('CreateStack', `<StackId>${name}</StackId>`);
      case 'DescribeStacks':
        return stackIn(stacks.get(name) ?? 'DELETE_COMPLETE', name);
      case 'DescribeStackEvents':
        return xml('DescribeStackEvents', '<StackEvents></StackEvents>');
      case 'DeleteStack':
        if (deleted === undefined) stacks.delete(name);
        else stacks.set(name, deleted);
        return xml('DeleteStack', '');
      default:
        return other(call);
    }
  });
  cleanUp.push(() => standIn.stop());
  return { endpoint: standIn.endpoint, stacks, calls };
}

async function start(endpoint: string, ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-account-'));
  cleanUp.push(() => rm(folder, { recursive: true, force: true }));
  const report = join(folder, 'report.json');
  const env = { ...process.env, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_MAX_ATTEMPTS: '1' };
  const child = killWithUs(
    spawn(
      process.execPath,
      [main, '--endpoint', endpoint, '--region', 'us-east-1', '--samples', '1', '--report', report, ...args],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, output: () => output, report };
}

test('a run that is interrupted in the middle of a check deletes its stack, waits for that, and ends with 130', async () => {
  const inTheMiddle = Promise.withResolvers<void>();
  const never = Promise.withResolvers<StandInAnswer>();
  const account = await startAccount(() => {
    inTheMiddle.resolve();
    return never.promise;
  });
  const { child, ended, output } = await start(account.endpoint, '--yes');
  await inTheMiddle.promise;
  expect(account.stacks.size).toBe(1);
  child.kill('SIGINT');
  expect(await ended, output()).toBe(130);
  expect(account.stacks.size).toBe(0);
  expect(account.calls.at(-1)?.operation).toBe('DescribeStacks');
  never.resolve({});
});

test('a stack that cannot be created is deleted as well, and its tags say whose it is', async () => {
  const account = await startAccount(() => ({ error: 'InternalServerError' }), 'CREATE_FAILED');
  const { ended, output } = await start(account.endpoint, '--yes');
  expect(await ended, output()).toBe(1);
  expect(output()).toContain('The stack was not created');
  const created = account.calls.find(({ operation }) => operation === 'CreateStack');
  expect(created?.body).toMatchObject({ 'Tags.member.1.Key': 'pawl', 'Tags.member.1.Value': 'verify-account' });
  expect(account.stacks.size).toBe(0);
});

test('if the stack cannot be deleted, the run says why it failed, what is left, and how to delete it', async () => {
  const account = await startAccount(() => ({ error: 'InternalServerError' }), 'CREATE_FAILED', 'DELETE_FAILED');
  const { ended, output } = await start(account.endpoint, '--yes');
  expect(await ended, output()).toBe(1);
  expect(output()).toContain('The stack was not created');
  expect(output()).toMatch(
    /aws cloudformation delete-stack --region us-east-1 --stack-name pawl-verify-account-[0-9a-f]{8}/,
  );
});

test('an account in which every check fails gets a report that confirms nothing, and is cleaned up', async () => {
  const account = await startAccount(({ operation }) =>
    operation.includes('/invocations') ? { body: { took: [1.5] } } : { error: 'AccessDeniedException' },
  );
  const { ended, output, report } = await start(account.endpoint, '--yes');
  expect(await ended, output()).toBe(1);
  const { findings, latencies } = JSON.parse(await readFile(report, 'utf8'));
  expect(new Set(findings.map(({ kind }: { readonly kind: string }) => kind))).not.toContain('confirmed');
  expect(latencies.map(({ p50Ms }: { readonly p50Ms: number }) => p50Ms)).toEqual([1.5, 1.5, 1.5, 1.5]);
  expect(account.stacks.size).toBe(0);
});

test('without a terminal to ask at, and without --yes, it says the cost and deploys nothing', async () => {
  const account = await startAccount(() => ({}));
  const { ended, output } = await start(account.endpoint);
  expect(await ended).toBe(2);
  expect(output()).toMatch(/Expected cost: below \d+\.\d\d US dollars/);
  expect(account.calls).toEqual([]);
});
