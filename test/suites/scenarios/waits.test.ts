import type { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { metricEvents } from '../../../lib/pawl/observe/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { consumerTemplate } from '../../cdk/support.ts';
import { approximateAgeOfOldestMessage, inAlarmAt, samplesIn } from '../../support/cloudwatch.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { record } from '../../support/records.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const minutes = 60_000;
const operation = 'send-email';

/** The alarms of a consumer whose messages must be done within 45 minutes. */
function alarmsOf() {
  const template = consumerTemplate({ operation, maxMessageAge: Duration.minutes(45) });
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((one) => one['Properties']);
  const named = (name: string) => alarms.find(({ MetricName }) => MetricName === name) ?? {};
  return { aws: named('ApproximateAgeOfOldestMessage'), own: named('OldestWaitingSeconds') };
}

/**
 * A standard queue with one message, that SQS delivers whenever it is visible, for so long; both metrics of its age, AWS's by its documented rule.
 *
 * @param handle what its handler does
 * @param holdMs for how long another worker holds the claim, which it renews every 15 minutes
 */
async function deliveries(forMs: number, { handle = async () => undefined as unknown, holdMs = 0 } = {}) {
  const host = virtualHost();
  const sentAt = host.now();
  const lines: string[] = [];
  let visibleAt = sentAt;
  const sqs = {
    async send({ input }: ChangeMessageVisibilityBatchCommand) {
      for (const { VisibilityTimeout = 0 } of input.Entries ?? []) visibleAt = host.now() + VisibilityTimeout * 1000;
      return {};
    },
  } as unknown as SQSClient;
  const store = memoryStore();
  const consume = eachMessage(
    {
      operation,
      store,
      host,
      aws: sdk({ sqs }),
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      onEvent: metricEvents({ write: (line) => lines.push(line) }),
    },
    handle,
  );
  const held = record({ id: `${operation}#order-1`, leaseUntil: sentAt + 15 * minutes, fingerprint: undefined });
  if (holdMs > 0) await store.write({ next: held, seen: undefined });
  let seen = held;
  let receives = 0;
  let isDone = false;
  const aws: ReturnType<typeof approximateAgeOfOldestMessage>[number][] = [];
  for (let at = sentAt; at < sentAt + forMs; at = host.now()) {
    if (holdMs > 0 && at >= seen.leaseUntil - minutes && at < sentAt + holdMs) {
      const next = { ...seen, leaseUntil: at + 15 * minutes, rev: seen.rev + 1 };
      await store.write({ next, seen });
      seen = next;
    }
    if (!isDone && at >= visibleAt) {
      receives += 1;
      visibleAt = at + 180_000;
      const message = sqsRecord({ orderId: 'order-1' }, { receiveCount: receives });
      const attributes = { ...message.attributes, SentTimestamp: String(sentAt) };
      const response = await consume(sqsEvent({ ...message, attributes }), context(30_000, host.now));
      isDone = failuresOf(response).length === 0;
    }
    if (!isDone) aws.push(...approximateAgeOfOldestMessage([{ sentAt, receives }], at));
    await host.advance(minutes);
  }
  const alarms = alarmsOf();
  const since = (times: readonly number[]) => times.map((at) => (at - sentAt) / minutes);
  return {
    receives,
    isDone,
    aws: since(inAlarmAt(alarms.aws, aws)),
    own: since(inAlarmAt(alarms.own, samplesIn(lines))),
  };
}

describe('a message of a standard queue that is not done within 45 minutes', () => {
  it('raises the alarm on what waits while it is deferred for an hour, where the age of SQS leaves it out', async () => {
    const { receives, isDone, aws, own } = await deliveries(70 * minutes, { holdMs: 60 * minutes });
    expect(isDone).toBe(false);
    expect(receives).toBeGreaterThanOrEqual(4);
    expect(aws).toEqual([]);
    expect(own[0]).toBeLessThanOrEqual(50);
    expect(own.at(-1)).toBeGreaterThanOrEqual(70);
  });

  it('raises it while it fails', async () => {
    const { aws, own } = await deliveries(90 * minutes, { handle: () => Promise.reject(new Error('no')) });
    expect(aws).toEqual([]);
    expect(own.length).toBeGreaterThan(0);
  });
});

it('a message that is done at its third receive raises no alarm, also while it was hidden', async () => {
  let calls = 0;
  const handle = async () => {
    calls += 1;
    if (calls < 3) throw new Error('no');
  };
  expect(await deliveries(90 * minutes, { handle })).toEqual({ receives: 3, isDone: true, aws: [], own: [] });
});

it('a message that SQS never delivers raises the alarm of SQS: nothing of pawl runs', () => {
  const { aws } = alarmsOf();
  const sentAt = virtualHost().now();
  const samples = Array.from({ length: 60 }, (_, minute) =>
    approximateAgeOfOldestMessage([{ sentAt, receives: 0 }], sentAt + minute * minutes),
  ).flat();
  expect(inAlarmAt(aws, samples).length).toBeGreaterThan(0);
});
