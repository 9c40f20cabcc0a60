import { type Aws, expectAws } from '../../aws/aws.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { callSqs } from '../../sqs/calls.ts';
import { explainedCall } from '../../sqs/explain.ts';
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
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const options: QueuesOptions = { aws: dynamoStore({ tableName: process.env.CLAIMS_TABLE }).aws };
 */
export interface QueuesOptions {
  /**
   * The way to AWS: that of the store of the claims (`store.aws`), `sdk()` or `lean()`.
   */
  readonly aws: Aws;
}

const known = { aws: true } as const satisfies NamesOf<QueuesOptions>;

/**
 * Queues of SQS, for the `destinations` of an outbox, which has them by itself where it is given none.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 * import { topics } from 'pawl/outbox/sns';
 *
 * const { aws } = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const { message } = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws, destinations: [queues({ aws }), topics()] });
 */
export function queues(options: QueuesOptions): Destination {
  expectOptions(options, { door: 'queues', known, docs: 'docs/guides/outbox.md' });
  const { aws } = options;
  expectAws(aws, 'required');
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
        await callSqs(aws.sqs, 'SendMessage', call, signal);
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
