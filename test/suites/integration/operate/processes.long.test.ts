import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../../lib/pawl/index.ts';
import { operator } from '../../../../lib/pawl/operate/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { startDynamoDbLocal } from '../../../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { collect } from '../../../support/collect.ts';
import { eventually } from '../../../support/eventually.ts';
import { startIncident } from '../../../support/incident.ts';
import { envOf, runPawl } from '../../../support/pawl-command.ts';
import { receiveAll } from '../../../support/receive-all.ts';
import { expectSettled, settleByCommands } from './settle.ts';

describe('a redrive whose process is killed after its copy was confirmed, and before the dead letter is deleted', () => {
  it.each([
    ['a standard queue', '', {}, {}],
    ['a FIFO queue', '.fifo', { FifoQueue: 'true' }, { MessageGroupId: 'g', MessageDeduplicationId: 'd' }],
  ])('is done again by the next one: on %s', async (_, suffix, attributes, sent) => {
    await using sqs = await startSqsLocal();
    const dead = await sqs.createQueue(`dead${suffix}`, attributes);
    const queue = await sqs.createQueue(`queue${suffix}`, attributes);
    const client = new SQSClient({
      endpoint: sqs.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
      useQueueUrlAsEndpoint: false,
    });
    const bodiesOf = async (url: string) =>
      (await receiveAll(client, url, async () => undefined)).map(({ Body }) => Body);
    await client.send(new SendMessageCommand({ QueueUrl: dead.url, MessageBody: 'm', ...sent }));

    const script = fileURLToPath(new URL('killed-redrive.ts', import.meta.url));
    const child = spawn(process.execPath, [script, sqs.endpoint, dead.url, queue.url], { stdio: 'inherit' });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    expect(await bodiesOf(queue.url)).toEqual(['m']);

    const operate = operator({ store: memoryStore(), aws: sdk({ sqs: client }), onEvent: () => undefined });
    const again = async () => {
      const { letters } = await operate.deadLetters({ queueUrl: dead.url });
      const plan = await operate.planRedrive({ from: dead.url, to: queue.url, letters, by: 'maria', note: '' });
      return collect(operate.redrive(plan));
    };
    // The dead letter is hidden for a second more.
    await eventually('the dead letter is visible again, and redriven', async () =>
      expect(await again()).toMatchObject([{ outcome: 'redriven' }]),
    );
    // Within five minutes of the first copy: with its deduplication id, SQS would have dropped the second one, and the message would be lost.
    expect([await bodiesOf(dead.url), await bodiesOf(queue.url)]).toEqual([[], ['m']]);
    client.destroy();
  });
});

it('an incident is settled from a shell, each command a process of its own', async () => {
  const dynamo = await startDynamoDbLocal();
  const incident = await startIncident({ dynamoEndpoint: dynamo.endpoint });
  try {
    const env = envOf(incident, dynamo.endpoint);
    const outbox = incident.mailKeys.slice(0, 30);
    await settleByCommands(incident, outbox, (args) => runPawl(args, env));
    await expectSettled(incident, outbox);
  } finally {
    await incident.stop();
    await dynamo.stop();
  }
});
