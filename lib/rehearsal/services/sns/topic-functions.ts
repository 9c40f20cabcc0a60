import { record } from '../../engine/app/template.ts';
import type { Starting } from '../../engine/service.ts';
import { startEventSource } from '../sqs/event-source.ts';
import type { ProvisionedTopicFunction } from './create-topics.ts';

/**
 * The SNS stand-in delivers to queues only. A function that subscribes to a topic gets its messages through a queue of its own, which
 * no template knows: so it has the same filters as any subscription. What the queue delivers is an asynchronous invocation.
 */
export function startTopicFunction(
  { servers, sources, asynchronous }: Starting,
  { topicArn, target, queue }: ProvisionedTopicFunction,
): void {
  const subscriptionArn = `${topicArn}:${queue.name}`;
  sources.push(
    startEventSource({
      client: servers.sqs.client,
      queue,
      batchSize: 10,
      windowMs: 0,
      reportsBatchItemFailures: false,
      concurrency: 1,
      async invoke({ Records }) {
        for (const { body } of Records) asynchronous.invoke(target, eventOf(body, subscriptionArn));
        return { kind: 'response', value: null };
      },
    }),
  );
}

function eventOf(body: string, subscriptionArn: string) {
  const { MessageAttributes, ...notification } = record(JSON.parse(body));
  return {
    Records: [
      {
        EventSource: 'aws:sns',
        EventVersion: '1.0',
        EventSubscriptionArn: subscriptionArn,
        Sns: { Subject: null, ...notification, MessageAttributes: MessageAttributes ?? {} },
      },
    ],
  };
}
