import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { handlerDefaults } from '../../lib/pawl/deployment/wiring-receives.ts';
import { graceMs } from '../../lib/pawl/kernel/defaults.ts';
import { addConsumer, type Overrides, refusalOf } from './support.ts';

/* What the options of a `Consumer` say of its event source. Event sources that exist are in `polling.long.test.ts`. */

const refusal = (overrides: Overrides) => refusalOf((stack) => void addConsumer(stack, overrides));

describe('provisioned pollers', () => {
  it.each([
    [{ minimumPollers: 1 }, /^minimumPollers is 1, and Lambda accepts 2 to 200/],
    [{ minimumPollers: 201 }, /^minimumPollers is 201/],
    [{ maximumPollers: 1 }, /^maximumPollers is 1, and Lambda accepts 2 to 10000/],
    [{ maximumPollers: 10_001 }, /^maximumPollers is 10001/],
    [{ minimumPollers: 9, maximumPollers: 8 }, /^minimumPollers is 9, and maximumPollers 8/],
  ])('%o are refused', (provisionedPollerConfig, says) => {
    expect(refusal({ provisionedPollerConfig })?.join()).toMatch(says);
  });
});

describe('a batch, a window and a concurrency that Lambda refuses', () => {
  it.each([
    [
      { batchSize: 10_001, maxBatchingWindow: Duration.seconds(1) },
      /^batchSize is 10001, and Lambda accepts 1 to 10000/,
    ],
    [{ batchSize: 0 }, /^batchSize is 0/],
    [{ maxBatchingWindow: Duration.seconds(301) }, /^maxBatchingWindow is 301, and Lambda accepts 0 to 300/],
    [{ maxConcurrency: 1 }, /^maxConcurrency is 1, and Lambda accepts 2 to 1000/],
    [{ maxConcurrency: 1001 }, /^maxConcurrency is 1001/],
  ] satisfies [Overrides, RegExp][])('%o are refused with the range', (overrides, says) => {
    expect(refusal(overrides)?.[0]).toMatch(says);
  });
});

it('the rules know how long a claim is kept after an invocation on Managed Instances', () => {
  expect(handlerDefaults.graceSeconds * 1000).toBe(graceMs);
});
