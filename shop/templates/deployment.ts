import {
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { templateText } from '../../lib/cli/template-text.ts';
import type { Format } from '../../lib/pawl/deployment/template/print.ts';
import { readClaims } from '../../lib/rehearsal/pawl/claims-table.ts';
import type { Journal } from '../deploy/journal.ts';
import { drainQueues } from '../emulator/drain.ts';
import type { World } from './world.ts';

/** The templates that CloudFormation deploys. Terraform and the Serverless Framework bring their own ways of deploying. */
export const deployed = ['cloudformation', 'sam'] as const satisfies readonly Format[];

const options = { name: 'mails', timeoutSeconds: 5 } as const;
const sharedArguments = ['--name', 'mails', '--function-timeout', '5'] as const;
const drainTimeoutMs = 60_000;
const wait = { maxWaitTime: 60, minDelay: 1, maxDelay: 1 } as const;

/** The life of a printed template: printed, deployed, checked, used by one order that comes twice, and deleted. */
export async function deployPrinted(format: (typeof deployed)[number], world: World, journal: Journal): Promise<void> {
  const { account, ledger, pawl } = world;
  const stack = `printed-${format}`;
  const expectClean = async (name: string) => {
    const { code, lines } = await pawl('doctor', name);
    const clean = code === 0 && lines.at(-1) === '0 problems, 0 warnings.';
    journal.expect(`pawl doctor ${name}: ${lines.at(-1)}`, clean);
    if (!clean) for (const line of lines) journal.say(`  ${line}`);
  };

  journal.say(`pawl template ${format} ${sharedArguments.join(' ')}`);
  const { code, lines } = await pawl('template', format, ...sharedArguments);
  journal.expect(
    'it prints the template',
    code === 0 && lines.join('\n').startsWith(templateText(format, options).trim()),
  );

  journal.say(`deploying it as ${stack}`);
  const outputs = await create(world, stack, withCode(templateText(format, options), world));
  const [queue = '', deadLetters = '', table = '', aFunction = ''] = [
    'MailsQueueUrl',
    'MailsDeadLetterQueueUrl',
    'ClaimsTableName',
    'MailsFunctionName',
  ].map((name) => outputs[name]);
  await expectClean(stack);
  await expectClean(aFunction);

  const orderId = `order-by-${format}`;
  journal.say('sending one order, twice');
  for (let sent = 0; sent < 2; sent += 1) await send(world, queue, orderId);
  const depths = () => Promise.all([queue, deadLetters].map((url) => account.depth(url)));
  const left = await drainQueues({ depths, until: Date.now() + drainTimeoutMs });
  const mails = ledger.countByOrder('email').get(orderId) ?? 0;
  journal.expect(`messages left or dead-lettered: ${left}`, left === 0);
  journal.expect(`mails sent: ${mails}`, mails === 1);

  journal.say(`deleting ${stack}`);
  await world.cloudFormation.send(new DeleteStackCommand({ StackName: stack }));
  await waitUntilStackDeleteComplete({ client: world.cloudFormation, ...wait }, { StackName: stack });
  const { total } = await readClaims(account.dynamo, table);
  journal.expect(`the table stays, claims in it: ${total}`, total === 1);
}

/** Names the handler's code as `sam package` does. CloudFormation's own template has parameters for it. */
function withCode(template: string, { code }: World): string {
  return template.replace('CodeUri: dist/', `CodeUri: s3://${code.bucket}/${code.key}`);
}

async function create(
  { cloudFormation: client, code }: World,
  StackName: string,
  TemplateBody: string,
): Promise<Readonly<Record<string, string>>> {
  const parameters = { CodeBucket: code.bucket, CodeKey: code.key };
  const used = Object.entries(parameters).filter(([name]) => TemplateBody.includes(`!Ref ${name}`));
  await client.send(
    new CreateStackCommand({
      StackName,
      TemplateBody,
      Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_AUTO_EXPAND'],
      Parameters: used.map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
    }),
  );
  try {
    await waitUntilStackCreateComplete({ client, ...wait }, { StackName });
  } catch (cause) {
    throw new Error(`${StackName} was not created: ${await reasons(client, StackName)}`, { cause });
  }
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  return Object.fromEntries(
    (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
}

async function reasons(client: World['cloudFormation'], StackName: string): Promise<string> {
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
  const failed = StackEvents.filter(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_FAILED'));
  return failed.map((one) => `${one.LogicalResourceId}: ${one.ResourceStatusReason}`).join('; ') || 'no event says why';
}

async function send({ account }: World, QueueUrl: string, orderId: string): Promise<void> {
  const order = {
    orderId,
    customer: { email: 'ada@example.com', name: 'Ada' },
    amountCents: 2_500,
    currency: 'EUR',
    placedAt: '2026-01-01T12:00:00Z',
  };
  await account.sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(order) }));
}
