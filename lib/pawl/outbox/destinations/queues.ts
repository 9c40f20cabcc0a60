import type { SQSClient } from '@aws-sdk/client-sqs';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { callSqs } from '../../sqs/calls.ts';
import { explainedCall } from '../../sqs/explain.ts';
import { producersQueues } from '../../sqs/sdk-transport.ts';
import type { SqsTransport } from '../../sqs/transport.ts';
import { type Destination, keepsOrder, type Problem, type Sendable } from '../destination.ts';
import { attributesFor, bytesOfAttributes, problemOfAttributes } from './attributes.ts';
import { problemOfEvent, problemOfGroup } from './problems.ts';

/** What SQS takes in a message. */
const mostBytes = 2 ** 20;
const longestDelaySeconds = 900;

/**
 * The options of `queues`.
 *
 * @example
 * import { SQSClient } from '@aws-sdk/client-sqs';
 *
 * const options: QueuesOptions = { sqsClient: new SQSClient({ region: 'eu-central-1' }) };
 */
export interface QueuesOptions {
  /**
   * A client of your own for SQS; or `leanSqs()` of `pawl/sqs/lean`. With an endpoint of your own, set the client's `useQueueUrlAsEndpoint` to false.
   * @default the SDK's client, made when it is first needed
   */
  readonly sqsClient?: SQSClient | SqsTransport;
}

const known = { sqsClient: true } as const satisfies NamesOf<QueuesOptions>;

/**
 * Queues of SQS, for the `destinations` of an outbox, which has them by itself where it is given none.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { topics } from 'pawl/outbox/sns';
 *
 * const { message } = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, destinations: [queues(), topics()] });
 */
export function queues(options: QueuesOptions = {}): Destination {
  expectOptions(options, { door: 'queues', known, docs: 'docs/guides/outbox.md' });
  const transport = producersQueues(options.sqsClient);
  return {
    name: 'queues()',
    address: 'the URL of a queue',
    takes: (to) => /^https?:\/\//.test(to),
    problem: (message) =>
      problemOfGroup(message) ?? problemOfDelay(message) ?? problemOfEvent(message) ?? problemOfAttributes(message),
    mostBytes,
    takesPointers: true,
    bytesBeside: bytesOfAttributes,
    async send(message, signal) {
      const { to, body, uid, group, delaySeconds } = message;
      const call = {
        QueueUrl: to,
        MessageBody: body,
        MessageAttributes: attributesFor(message),
        MessageGroupId: group,
        DelaySeconds: delaySeconds,
        MessageDeduplicationId: keepsOrder(to) ? uid : undefined,
      };
      try {
        await callSqs(transport, 'SendMessage', call, signal);
      } catch (error) {
        throw explainedCall(error, 'sqs:SendMessage', to);
      }
    },
  };
}

function problemOfDelay({ to, delaySeconds }: Sendable): Problem | undefined {
  if (delaySeconds === undefined) return undefined;
  const option = 'delaySeconds';
  if (keepsOrder(to))
    return { option, expected: 'none: a FIFO queue delays all of its messages or none', came: delaySeconds };
  const fits = Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= longestDelaySeconds;
  return fits ? undefined : { option, expected: `a whole number, 0 to ${longestDelaySeconds}`, came: delaySeconds };
}
