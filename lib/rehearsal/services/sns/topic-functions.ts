import { record } from '../../engine/app/template.ts';
import type { Asynchronous } from '../../engine/lambda/asynchronous.ts';
import type { FunctionReference } from '../../engine/provisioned.ts';

/**
 * The SNS stand-in delivers to queues only. A function that subscribes to a topic gets its messages through a queue of its own, which
 * no template knows: so it has the same filters as any subscription.
 */
export interface TopicFunction {
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly target: FunctionReference;
}

/** Gives a message of such a queue to its function. */
export function deliverToFunction(
  { subscriptionArn, target }: TopicFunction,
  body: string,
  asynchronous: Asynchronous,
): void {
  const { MessageAttributes, ...notification } = record(JSON.parse(body));
  asynchronous.invoke(target, {
    Records: [
      {
        EventSource: 'aws:sns',
        EventVersion: '1.0',
        EventSubscriptionArn: subscriptionArn,
        Sns: { Subject: null, ...notification, MessageAttributes: MessageAttributes ?? {} },
      },
    ],
  });
}
