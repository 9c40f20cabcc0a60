import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import { rehearsedAccount, rehearsedRegion, type Template } from '../../lib/rehearsal/engine/app/template.ts';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { createAccount } from '../../shop/emulator/account.ts';
import { startEmulator } from '../../shop/emulator/emulator.ts';
import { emulatorPackage, installEmulator } from '../../shop/emulator/install.ts';
import type { Engine } from './engine.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const wait = { maxWaitTime: 120, minDelay: 1, maxDelay: 1 } as const;

/** The emulator of `npm run e2e -- deploy`. Its own pollers read the queues. */
export async function startEmulated(
  stacks: Readonly<Record<string, Template>>,
  say: (text: string) => void,
): Promise<Engine> {
  await using stopping = new AsyncDisposableStack();
  const python = await installEmulator(project, say);
  const folder = await scratchFolder(project, 'conformance-');
  stopping.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const emulator = stopping.adopt(
    await startEmulator({
      ...{ project: project, python, folder },
      functionEnvironment: async () => ({}),
      onLine: () => undefined,
    }),
    (running) => running.stop(),
  );
  say(`${emulatorPackage.replace('==', ' ')} runs`);
  const { endpoint } = emulator;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = stopping.adopt(new CloudFormationClient({ endpoint, region: rehearsedRegion, credentials }), (one) =>
    one.destroy(),
  );
  for (const [name, template] of Object.entries(stacks)) {
    await create(client, name, template);
    say(`${name} is deployed`);
  }
  const account = stopping.adopt(createAccount(endpoint), (one) => one.destroy());
  const urlOf = (name: string) => `${endpoint}/${rehearsedAccount}/${name}`;
  const end = stopping.move();
  return {
    client: account.sqs.client,
    urlOf,
    depth: (name) => account.depth(urlOf(name)),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

async function create(client: CloudFormationClient, StackName: string, template: Template): Promise<void> {
  const TemplateBody = JSON.stringify(template);
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities: ['CAPABILITY_IAM'] }));
  try {
    await waitUntilStackCreateComplete({ client, ...wait }, { StackName });
  } catch (cause) {
    const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
    const failed = StackEvents.filter(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_FAILED'));
    const reasons = failed.map((one) => `${one.LogicalResourceId}: ${one.ResourceStatusReason}`).join('; ');
    throw new Error(`${StackName} was not created: ${reasons}`, { cause });
  }
}
