import * as sdk from '@aws-sdk/client-cloudwatch';
import { expect, it } from 'vitest';
import { historyOf } from '../../../lib/cli/console/cloudwatch-history.ts';

const now = Date.parse('2026-11-22T13:02:00Z');
const asked: string[] = [];

/** A real client, whose requests end before they are sent. */
function clientThat(respond: (command: string, input: object) => object): sdk.CloudWatchClient {
  const client = new sdk.CloudWatchClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  client.middlewareStack.add(
    (_, context) => async (args) => {
      const command = String(context.commandName);
      asked.push(command);
      return { response: undefined, output: { $metadata: {}, ...respond(command, args.input) } };
    },
    { step: 'initialize', priority: 'low' },
  );
  return client;
}

const metricOf = (operation: string) => ({ Dimensions: [{ Name: 'operation', Value: operation }] });

it('adds up what the metrics of all operations say, period by period, and asks once a minute', async () => {
  const client = clientThat((command, input) => {
    if (command === 'ListMetricsCommand') {
      expect(input).toMatchObject({ Namespace: 'shop' });
      return { Metrics: [metricOf('a'), metricOf('b'), metricOf('a'), { Dimensions: [] }] };
    }
    const { MetricDataQueries = [] } = input as sdk.GetMetricDataInput;
    const MetricDataResults = MetricDataQueries.map(({ MetricStat }) => ({
      Timestamps: [
        new Date('2026-11-22T13:00:00Z'),
        new Date('2026-11-22T10:05:00Z'),
        new Date('2026-11-22T09:00:00Z'),
      ],
      Values: MetricStat?.Metric?.MetricName === 'Parked' ? [1, 0, 50] : [10, 2, 50],
    }));
    return { MetricDataResults };
  });
  const source = historyOf({ sdk, client, namespace: 'shop', now: () => now });
  const { source: from, series, periodMs } = await source.read();
  expect([from, periodMs, series.done.length]).toEqual(['CloudWatch', 300_000, 36]);
  expect([series.done[0], series.done[35]]).toEqual([4, 20]);
  // Replayed and Repeated, of two operations.
  expect([series.suppressed[0], series.suppressed[35]]).toEqual([8, 40]);
  expect([series.parked[0], series.parked[35]]).toEqual([0, 2]);
  const before = asked.length;
  await source.read();
  expect(asked.length).toBe(before);
});

it('says why there is no history', async () => {
  const none = historyOf({ sdk, client: clientThat(() => ({})), namespace: 'shop', now: () => now });
  expect(await none.read()).toMatchObject({ source: 'none', why: 'CloudWatch has no metrics in the namespace shop.' });
  const refusing = clientThat(() => {
    throw Object.assign(new Error('not authorized to perform: cloudwatch:ListMetrics'), { name: 'AccessDenied' });
  });
  const refused = historyOf({ sdk, client: refusing, namespace: 'shop', now: () => now });
  expect(await refused.read()).toMatchObject({
    source: 'none',
    why: expect.stringContaining('AccessDenied: not authorized'),
  });
});
