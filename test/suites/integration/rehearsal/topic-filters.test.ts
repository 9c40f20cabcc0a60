import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { snsLocal } from '../../../../lib/rehearsal/services/sns/sns-local.ts';

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

const typed = [{ name: 'kinds', type: 'String.Array', value: '["red","blue"]' }];
const priced = [{ name: 'cents', type: 'Number', value: '250' }];
const eventOfS3 = JSON.stringify({
  Records: [{ eventName: 'ObjectCreated:Put', s3: { object: { key: 'auto-1.png' } } }],
});
const made = { Records: { eventName: [{ prefix: 'ObjectCreated:' }], s3: { object: { key: [{ prefix: 'auto-' }] } } } };

test.each([
  ['a list of objects in the body', 'MessageBody', made, eventOfS3, [], true],
  [
    'another list of objects',
    'MessageBody',
    { Records: { eventName: ['ObjectRemoved:Delete'] } },
    eventOfS3,
    [],
    false,
  ],
  ['a list of texts in the body', 'MessageBody', { kinds: ['blue'] }, '{"kinds":["red","blue"]}', [], true],
  ['a body that is no JSON', 'MessageBody', { kinds: ['blue'] }, 'blue', [], false],
  ['a list in an attribute', 'MessageAttributes', { kinds: ['blue'] }, 'x', typed, true],
  ['another list in an attribute', 'MessageAttributes', { kinds: ['green'] }, 'x', typed, false],
  ['a range', 'MessageAttributes', { cents: [{ numeric: ['>=', 100] }] }, 'x', priced, true],
  ['another range', 'MessageAttributes', { cents: [{ numeric: ['<', 100] }] }, 'x', priced, false],
  ['anything but a number', 'MessageAttributes', { cents: [{ 'anything-but': [250] }] }, 'x', priced, false],
  ['an absent attribute beside others', 'MessageAttributes', { kinds: [{ exists: false }] }, 'x', priced, true],
  ['an absent attribute, of none', 'MessageAttributes', { kinds: [{ exists: false }] }, 'x', [], false],
  ['one of two', 'MessageAttributes', { $or: [{ kinds: ['x'] }, { cents: [250] }] }, 'x', priced, true],
] as const)('a subscription with a filter for %s', async (name, scope, policy, message, attributes, expected) => {
  for (const raw of ['true', 'false']) {
    const id = `${name}-${raw}`.replaceAll(/\W/g, '');
    const topicArn = `arn:aws:sns:us-east-1:000000000000:${id}`;
    const sns = snsLocal(sqs.endpoint);
    await sns.createTopic(id, {});
    const { arn } = await sqs.createQueue(id);
    await sns.subscribe(topicArn, arn, {
      FilterPolicy: JSON.stringify(policy),
      FilterPolicyScope: scope,
      RawMessageDelivery: raw,
    });
    const form = new URLSearchParams({ Action: 'Publish', TopicArn: topicArn, Message: message });
    for (const [index, { name, type, value }] of attributes.entries()) {
      form.set(`MessageAttributes.entry.${index + 1}.Name`, name);
      form.set(`MessageAttributes.entry.${index + 1}.Value.DataType`, type);
      form.set(`MessageAttributes.entry.${index + 1}.Value.StringValue`, value);
    }
    await fetch(sqs.endpoint, { method: 'POST', body: form });
    expect(await sqs.messages(id), `raw: ${raw}`).toHaveLength(expected ? 1 : 0);
  }
});

test('a message that a filter keeps from a FIFO queue leaves no deduplication id', async () => {
  const sns = snsLocal(sqs.endpoint);
  const topicArn = 'arn:aws:sns:us-east-1:000000000000:Kept.fifo';
  await sns.createTopic('Kept.fifo', { FifoTopic: 'true' });
  const { arn } = await sqs.createQueue('Kept.fifo', { FifoQueue: 'true' });
  await sns.subscribe(topicArn, arn, { FilterPolicy: '{"kind":["a"]}', FilterPolicyScope: 'MessageBody' });
  for (const kind of ['b', 'a', 'a']) {
    // The topic has a window of its own: this asks only what the queue does.
    await sns.publish(topicArn, JSON.stringify({ kind }), { groupId: 'g', deduplicationId: `id-${kind}` });
  }
  expect(await sqs.messages('Kept.fifo')).toHaveLength(1);
});
