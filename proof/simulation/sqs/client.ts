import { createHash } from 'node:crypto';
import type {
  ChangeMessageVisibilityBatchCommandInput,
  MessageAttributeValue,
  SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import type { SqsTransport } from '../../../lib/pawl/aws/aws.ts';
import { leanSqs, sqs } from '../../../lib/pawl/aws/lean-sqs.ts';
import { signedRequests } from '../../../lib/pawl/aws/signed-requests.ts';
import type { SqsMessageAttribute } from '../../../lib/pawl/sqs/event.ts';
import type { HttpTroubles } from '../dynamodb/http-troubles.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { simulatedCredentials, simulatedHttp } from '../lean-http.ts';
import { request, type Trouble } from '../network.ts';
import type { Simulation } from '../simulation.ts';

/** As far as a client needs to know what it is part of. */
export type QueueSurroundings = Pick<Simulation, 'world' | 'strikes' | 'queue' | 'deadLetters'> & {
  readonly scenario: Pick<Simulation['scenario'], 'fifo' | 'maxReceiveCount' | 'sdkTries' | 'http'>;
  readonly oracle: Pick<Simulation['oracle'], 'deadLettered'>;
  readonly stats: Pick<Simulation['stats'], 'queueRequests'>;
};

/**
 * The way to SQS of a sandbox, over an unreliable network: the lean transport as it is, or a stand-in for that of the SDK, which would load the client while
 * the world's clock goes on.
 */
export function sqsTransport(simulation: QueueSurroundings, sandbox: Sandbox): SqsTransport {
  const { world, scenario } = simulation;
  if (scenario.http !== undefined) return leanTransport(simulation, sandbox, scenario.http);
  const { trouble, serve } = queuesFor(simulation, sandbox);
  return {
    call(operation, input) {
      const name = `${operation}Command`;
      return request<object>(world, sandbox, scenario.sdkTries, {
        what: name,
        trouble,
        serve: () => serve(name, input),
      });
    },
  };
}

function leanTransport(
  { world, ...simulation }: QueueSurroundings,
  sandbox: Sandbox,
  troubles: HttpTroubles,
): SqsTransport {
  const region = 'us-east-1';
  const service = { ...queuesFor({ world, ...simulation }, sandbox), conflictWith: noTransaction, hasChecksum: false };
  const send = signedRequests({
    service: sqs,
    host: sandbox.host,
    http: simulatedHttp(world, sandbox, service, troubles),
    place: { endpoint: new URL(`https://sqs.${region}.amazonaws.com`), region },
    credentials: simulatedCredentials(world, sandbox, troubles),
  });
  return leanSqs(send);
}

function noTransaction(): Error {
  return new TypeError('SQS has no transactions');
}

/** The queues, as a service of AWS. */
function queuesFor(simulation: QueueSurroundings, sandbox: Sandbox) {
  const { world, strikes, scenario, queue, deadLetters, oracle, stats } = simulation;

  function trouble(): Trouble | undefined {
    stats.queueRequests++;
    if (strikes('queueCallFails')) return 'failed';
    return strikes('queueAnswerLost') ? 'answer-lost' : undefined;
  }

  function changeVisibility({ QueueUrl, Entries = [] }: ChangeMessageVisibilityBatchCommandInput): object {
    demand(QueueUrl === `https://sqs.us-east-1.amazonaws.com/000000000000/${queue.arn.split(':').at(-1)}`, 'its queue');
    demand(Entries.length > 0 && Entries.length <= 10, '1 to 10 entries');
    demand(new Set(Entries.map(({ Id }) => Id)).size === Entries.length, 'ids of their own');
    const Failed: { Id: string | undefined; Code: string }[] = [];
    for (const { Id, ReceiptHandle = '', VisibilityTimeout = -1 } of Entries) {
      const whole = Number.isInteger(VisibilityTimeout) && VisibilityTimeout >= 0 && VisibilityTimeout <= 43_200;
      demand(whole, `a visibility timeout, not ${VisibilityTimeout}`);
      const code = strikes('visibilityRefused')
        ? 'InternalError'
        : queue.changeVisibility(ReceiptHandle, VisibilityTimeout * 1000);
      world.note(queue.name, 'visibility', `${ReceiptHandle} ${VisibilityTimeout} s ${code ?? ''}`);
      if (code !== undefined) Failed.push({ Id, Code: code });
    }
    return { Failed };
  }

  function sendMessage(input: SendMessageCommandInput): object {
    const { QueueUrl, MessageBody: body = '', MessageGroupId: group, MessageDeduplicationId: deduplicationId } = input;
    demand(QueueUrl === deadLetterUrl(scenario.fifo), 'the dead-letter queue');
    demand(!scenario.fifo || (group && deduplicationId), 'a group and a deduplication id');
    const attributes = Object.fromEntries(Object.entries(input.MessageAttributes ?? {}).map(toRecord));
    demand(Object.keys(attributes).length <= 10, 'at most ten attributes');
    const sent = deadLetters.send({ body, attributes, group, deduplicationId });
    const source = attributes['pawl-source-message-id']?.stringValue ?? '';
    world.note(deadLetters.name, 'receives', `${source} ${attributes['pawl-reason']?.stringValue ?? ''}`);
    oracle.deadLettered(sandbox, body, sent);
    return { MD5OfMessageBody: createHash('md5').update(body).digest('hex') };
  }

  function serve(name: string, input: object): object {
    const act = {
      ChangeMessageVisibilityBatchCommand: () => changeVisibility(input as ChangeMessageVisibilityBatchCommandInput),
      GetQueueAttributesCommand: () => ({
        Attributes: { RedrivePolicy: JSON.stringify({ maxReceiveCount: scenario.maxReceiveCount }) },
      }),
      SendMessageCommand: () => sendMessage(input as SendMessageCommandInput),
    }[name];
    if (act === undefined) throw new Error(`this queue understands no ${name}`);
    return act();
  }

  return { trouble, serve };
}

export function deadLetterUrl(fifo: boolean): string {
  return `https://sqs.us-east-1.amazonaws.com/000000000000/dead${fifo ? '.fifo' : ''}`;
}

function toRecord([name, value]: [string, MessageAttributeValue]): [string, SqsMessageAttribute] {
  const { DataType: dataType = 'String', StringValue: stringValue } = value;
  return [name, { dataType, stringValue }];
}

function demand(ok: unknown, expected: string): void {
  if (!ok) throw Object.assign(new Error(`SQS expected ${expected}`), { name: 'InvalidParameterValue' });
}
