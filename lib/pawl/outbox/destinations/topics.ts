import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { expect } from '../../kernel/check.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { expectNoUnitTest } from '../../kernel/unit-test.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { type Destination, keepsOrder } from '../destination.ts';
import { attributesFor, bytesOfAttributes, problemOfAttributes } from './attributes.ts';
import { explainedDestination } from './explained.ts';
import { problemOfDelayed, problemOfEvent, problemOfGroup } from './problems.ts';

export type { Destination, Problem, Sendable } from '../destination.ts';

/** What SNS takes in a message. */
const mostBytes = 2 ** 18;

/**
 * The options of `topics`.
 *
 * @example
 * import { SNSClient } from '@aws-sdk/client-sns';
 *
 * const options: TopicsOptions = { snsClient: new SNSClient({ region: 'eu-central-1' }) };
 */
export interface TopicsOptions {
  /**
   * A client of your own for SNS.
   * @default the SDK's client, made when it is first needed
   */
  readonly snsClient?: SNSClient;
}

const known = { snsClient: true } as const satisfies NamesOf<TopicsOptions>;

/**
 * Topics of SNS, for the `destinations` of an outbox. A consumer behind a topic finds the key by `sentKey()`, inside `snsEnvelope()` or with raw delivery.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { dynamoOutbox } from 'pawl/outbox';
 *
 * const { message } = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws, destinations: [topics()] });
 */
export function topics(options: TopicsOptions = {}): Destination {
  expectOptions(options, { door: 'topics', known, docs: 'docs/guides/outbox.md' });
  const { snsClient: client } = options;
  const isClient = client === undefined || typeof client?.send === 'function';
  expect(isClient, 'snsClient', 'an SNSClient', client);
  let sns = client;
  return {
    name: 'topics()',
    address: 'the ARN of a topic',
    takes: (to) => /^arn:[^:]+:sns:/.test(to),
    problem: (message) =>
      problemOfGroup(message) ?? problemOfDelayed(message) ?? problemOfEvent(message) ?? problemOfAttributes(message),
    mostBytes,
    takesPointers: true,
    bytesBeside: bytesOfAttributes,
    async send(message, abortSignal) {
      if (client === undefined) expectNoUnitTest('sns');
      sns ??= new SNSClient({});
      const { to, body, uid, group } = message;
      const publish = new PublishCommand({
        TopicArn: to,
        Message: body,
        MessageAttributes: attributesFor(message),
        MessageGroupId: group,
        MessageDeduplicationId: keepsOrder(to) ? uid : undefined,
      });
      try {
        await sns.send(publish, { abortSignal });
      } catch (error) {
        throw explainedDestination(error, 'sns:Publish', to);
      }
    },
  };
}
