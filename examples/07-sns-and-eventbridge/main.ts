import { CreateTopicCommand, PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { drain, send, startAws } from 'local-aws';

const aws = await startAws();
const { fromBus, fromTopic } = await import('./handlers.ts');

const sns = new SNSClient();
const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'orders-placed' }));
const Endpoint = 'arn:aws:sqs:us-east-1:000000000000:orders';
await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }));

console.log('The shop publishes order-17 twice. SNS puts an id and a time of its own around each.');
for (let time = 0; time < 2; time += 1) {
  await sns.send(new PublishCommand({ TopicArn, Message: JSON.stringify({ orderId: 'order-17' }) }));
}
await drain(fromTopic);

console.log('The same through EventBridge.');
for (let event = 1; event <= 2; event += 1) {
  await send({
    version: '0',
    id: `0000000${event}-0000-4000-8000-000000000000`,
    'detail-type': 'OrderPlaced',
    source: 'shop',
    account: '000000000000',
    time: `2026-11-22T12:00:0${event}Z`,
    region: 'us-east-1',
    resources: [],
    detail: { orderId: 'order-17' },
  });
}
await drain(fromBus);
await aws.stop();
