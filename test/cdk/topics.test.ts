import { Match, Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { describe, expect, test } from 'vitest';
import { addConsumer, emptyStack } from './support.ts';

describe("a topic that sends to a consumer's queue", () => {
  test.each([
    ['in an envelope', {}, Match.absent()],
    ['raw', { rawMessageDelivery: true }, true],
  ])('%s: may send to it, and nothing of the consumer is refused', (_, options, RawMessageDelivery) => {
    const stack = emptyStack();
    const { queue } = addConsumer(stack);
    new Topic(stack, 'Orders', { enforceSSL: true }).addSubscription(new SqsSubscription(queue, options));
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'sqs', RawMessageDelivery });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: 'sqs:SendMessage', Principal: { Service: 'sns.amazonaws.com' }, Effect: 'Allow' }),
        ]),
      },
    });
  });

  test('that sends pointers to a bucket: grantRead gives what largePayload needs', () => {
    const stack = emptyStack();
    const consumer = addConsumer(stack);
    new Bucket(stack, 'Payloads').grantRead(consumer.function);
    const actions = JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
    for (const action of ['s3:GetObject*', 's3:List*']) expect(actions).toContain(action);
  });
});
