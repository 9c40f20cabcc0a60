import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ListExecutionsCommand, SFNClient, StartSyncExecutionCommand } from '@aws-sdk/client-sfn';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { project } from '../app/project.ts';
import type { Journal } from '../deploy/journal.ts';
import { runPawl } from '../deploy/world.ts';
import { createAccount } from '../emulator/account.ts';
import { createCdk } from '../emulator/cdk.ts';
import { drainQueues } from '../emulator/drain.ts';
import { startEmulator } from '../emulator/emulator.ts';
import { emulatorPackage, installEmulator } from '../emulator/install.ts';

const stack = 'PawlExecutions';
const orders = { succeed: 30, failFirst: 10, never: 20 } as const;
const all = orders.succeed + orders.failFirst + orders.never;
const drainMs = 120_000;
const acted = ['--by', 'maria', '--note', 'the ledger of the bank', '--yes'] as const;

/** The life of a stack whose consumer starts executions: deployed, used, looked at by an operator, and destroyed. */
export async function runExecutions(
  journal: Journal,
  onLine: (line: string) => void,
  cleanUp: AsyncDisposableStack,
): Promise<void> {
  const python = await installEmulator(project, journal.say);
  const folder = await scratchFolder(project, 'executions-');
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const functionEnvironment = async () => ({});
  const started = await startEmulator({ project, python, folder, functionEnvironment, onLine });
  const emulator = cleanUp.adopt(started, (one) => one.stop());
  journal.say(`${emulatorPackage.replace('==', ' ')} runs, and checks every permission`);
  const { endpoint, environment } = emulator;
  const account = cleanUp.adopt(createAccount(endpoint), (one) => one.destroy());
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  // A synchronous execution has a host of its own, which the emulator has not.
  const config = { endpoint, region: rehearsedRegion, credentials, disableHostPrefix: true };
  const sfn = cleanUp.adopt(new SFNClient(config), (one) => one.destroy());
  const cdk = createCdk({ emulator, project, app: 'node bin/executions.ts', stacks: [stack], folder, onLine });

  async function pawl(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const { code, lines } = await runPawl(args, environment, () => undefined);
    return { code, text: lines.join('\n') };
  }
  const openClaims = async (status: string) => {
    const { text } = await pawl('claims', '--stack', stack, '--status', status, '--json');
    return Number(/"open":(\d+)/.exec(text)?.[1]);
  };
  /** Asks until it is so, for as long as the emulator may take. Returns the last answer. */
  async function soon<Found>(wanted: Found, ask: () => Promise<Found>): Promise<Found> {
    const until = Date.now() + drainMs;
    for (;;) {
      const found = await ask();
      if (isDeepStrictEqual(found, wanted) || Date.now() >= until) return found;
      await sleep(1000);
    }
  }
  async function expectSoon<Found>(what: string, wanted: Found, ask: () => Promise<Found>): Promise<void> {
    const found = await soon(wanted, ask);
    journal.expect(`${what}: ${found}`, isDeepStrictEqual(found, wanted));
  }

  journal.say(`cdk bootstrap, cdk deploy ${stack}`);
  await cdk.bootstrap();
  const { QueueUrl = '', SweepName = '', SettleArn = '', NotifyArn = '' } = (await cdk.deploy({}))[stack] ?? {};
  const doctor = await pawl('doctor', stack);
  journal.expect(`pawl doctor: ${doctor.text.split('\n').at(-1)}`, doctor.code === 0);
  if (doctor.code !== 0) journal.say(doctor.text);

  journal.say(`sending ${all} orders, each twice: ${orders.failFirst} fail the first time, ${orders.never} never end`);
  for (let order = 0; order < 2 * all; order += 1) {
    const number = order % all;
    const how = number < orders.never ? { never: true } : number >= all - orders.failFirst ? { failsFirst: true } : {};
    const MessageBody = JSON.stringify({ orderId: `order-${number}`, ...how });
    await account.sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  }
  const depths = async () => [await account.depth(QueueUrl)];
  const left = await drainQueues({ depths, until: Date.now() + drainMs });
  journal.expect(`messages left: ${left}`, left === 0);

  const statuses = async () => {
    const listing = new ListExecutionsCommand({ stateMachineArn: SettleArn, maxResults: 1000 });
    const { executions = [] } = await sfn.send(listing);
    return ['SUCCEEDED', 'FAILED', 'RUNNING'].map((status) => executions.filter((one) => one.status === status).length);
  };
  await expectSoon(
    'executions that succeeded, failed and run',
    [all - orders.never, orders.failFirst, orders.never],
    statuses,
  );
  const waiting = await soon(orders.never, () => openClaims('waiting'));
  journal.expect(`ends told: ${all - waiting}; left to the sweep: ${waiting - orders.never}`, waiting === orders.never);

  journal.say('until these should have ended. Then the sweep looks at them, under its own role');
  await expectSoon('parked by the sweep', orders.never, async () => {
    await account.invoke(SweepName, {});
    return openClaims('parked');
  });
  const { text } = await pawl('claims', '--stack', stack);
  journal.expect('pawl claims says why', text.split('ExecutionNotEnded').length === orders.never + 1);
  const settling = ['--operation', 'execution:settle', '--status', 'parked'];
  const { code } = await pawl('resolve', 'applied', '--stack', stack, ...settling, ...acted);
  journal.expect(`pawl resolve: ${code}`, code === 0);
  journal.expect('no claim is open', (await pawl('claims', '--stack', stack)).code === 0);

  journal.say('two runs of one express execution, behind its first state');
  const outputs: unknown[] = [];
  for (let runs = 0; runs < 2; runs += 1) {
    const command = new StartSyncExecutionCommand({
      stateMachineArn: NotifyArn,
      name: 'a-1',
      input: '{"orderId":"a"}',
    });
    const { status, output } = await sfn.send(command);
    outputs.push([status, output]);
  }
  const [first, second] = outputs as [unknown[], unknown[]];
  journal.expect(`the first: ${first.join(' ')}`, first.join(' ') === 'SUCCEEDED "effect"');
  journal.expect(`the second: ${second.join(' ')}`, second[0] === 'SUCCEEDED' && second[1] !== first[1]);

  journal.say('cdk destroy');
  await cdk.destroy({});
  const remains = await account.remains(stack);
  journal.expect(`left of the stack: ${remains.join(', ') || 'nothing'}`, remains.length === 0);
}
