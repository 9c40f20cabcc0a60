import { type Part, part } from '../../engine/parts.ts';
import type { Service } from '../../engine/service.ts';
import { createTopics, type ProvisionedTopic } from './create-topics.ts';
import { types } from './rules.ts';
import { type PublishOptions, snsLocal } from './sns-local.ts';
import { startTopicFunction } from './topic-functions.ts';

/** A topic of SNS. */
export interface RehearsedTopic extends ProvisionedTopic {
  /** Publishes a message, past all faults. Returns its id. */
  publish(message: string, options?: PublishOptions): Promise<string>;
}

export const sns: Service<Part<'topic', RehearsedTopic, RehearsedTopic>, object, 'sns'> = {
  types: types,
  page: [
    '| topic | FIFO; subscriptions of queues and functions, filters on attributes and body, raw delivery | other protocols, archive | a function that is not run |',
  ],
  finds: { topic: 'topic' },
  endpoint: { name: 'sns', title: 'SNS', server: ({ sqs }) => sqs.endpoint },
  destination: {
    arnService: 'sns',
    async send({ sqs }, { arn, text, attributes }) {
      await snsLocal(sqs.endpoint).publish(arn, text, { attributes });
    },
  },
  async provision({ reading, servers: { sqs }, parts }) {
    const local = snsLocal(sqs.endpoint);
    const { topics, functions } = await createTopics(reading, { sqs, sns: local, parts });
    const rehearsed = topics.map((topic) =>
      part('topic', {
        ...topic,
        publish: (message: string, options?: PublishOptions) => local.publish(topic.arn, message, options),
      }),
    );
    return {
      parts: rehearsed,
      async start(at) {
        for (const fn of functions) startTopicFunction(at, fn);
        return [];
      },
    };
  },
};
