import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SnsLocal } from '../services/sns/sns-local.ts';
import type { SqsLocal } from './servers/sqs-local.ts';

/** Sends what AWS itself sends, by the ARN of a target: past all faults, which are about what functions do. */
export interface Destinations {
  /** A value that is no text is sent as JSON. */
  send(arn: string, value: unknown, attributes?: Readonly<Record<string, string>>, groupId?: string): Promise<void>;
}

export interface DestinationsOptions {
  readonly sqs: SqsLocal;
  readonly sns: SnsLocal;
  /** Gives an event to a function of the app. */
  readonly invoke: (functionArn: string, event: unknown) => void;
}

/** @throws Error from `send` if the ARN is of another kind of target */
export function createDestinations({ sqs, sns, invoke }: DestinationsOptions): Destinations {
  return {
    async send(arn, value, attributes = {}, groupId) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const [, , service = '', , , name = ''] = arn.split(':');
      switch (service) {
        case 'sqs':
          await sqs.client.send(
            new SendMessageCommand({
              QueueUrl: sqs.address(name).url,
              MessageBody: text,
              MessageAttributes: stringAttributes(attributes),
              ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
            }),
          );
          return;
        case 'sns':
          await sns.publish(arn, text, { attributes });
          return;
        case 'lambda':
          invoke(arn, value);
          return;
        default:
          throw new Error(`A rehearsal sends nothing to ${arn}.`);
      }
    },
  };
}

function stringAttributes(attributes: Readonly<Record<string, string>>): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
}
