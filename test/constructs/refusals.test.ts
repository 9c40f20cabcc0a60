import { CfnParameter, Duration } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { WiringError } from '../../lib/constructs/index.ts';
import { addConsumer, emptyStack, type Overrides } from './support.ts';

/** What a consumer with these options says when it is constructed; undefined when it is accepted. */
function refusal(overrides: Overrides): readonly string[] | undefined {
  try {
    addConsumer(emptyStack(), overrides);
    return undefined;
  } catch (error) {
    if (!(error instanceof WiringError)) throw error;
    expect(error.path).toBe('Shop/Work');
    for (const problem of error.problems) expect(error.message).toContain(problem);
    return error.problems;
  }
}

describe('visibilityTimeout', () => {
  test('is refused one second below 6 × timeout + window, with the numbers and both fixes', () => {
    const overrides = { timeout: Duration.seconds(30), maxBatchingWindow: Duration.seconds(20) };
    expect(refusal({ ...overrides, visibilityTimeout: Duration.seconds(199) })).toEqual([
      'visibilityTimeout is 199 s, shorter than 6 × timeout + maxBatchingWindow = 6 × 30 s + 20 s = 200 s: messages would ' +
        'return to the queue while they are still being worked on. Leave visibilityTimeout out, set it to 200 s or more, ' +
        'or set timeout to 29 s at most.',
    ]);
    expect(refusal({ ...overrides, visibilityTimeout: Duration.seconds(200) })).toBeUndefined();
  });

  test('below any possible timeout leaves one fix', () => {
    expect(refusal({ visibilityTimeout: Duration.seconds(5) })?.[0]).toMatch(/set it to 180 s or more\.$/);
  });
});

describe('batchSize', () => {
  test('above 10 is refused without a batching window', () => {
    expect(refusal({ batchSize: 11 })?.[0]).toMatch(
      /^batchSize is 11 with no maxBatchingWindow.*Set maxBatchingWindow to 1 s/,
    );
    expect(refusal({ batchSize: 11, maxBatchingWindow: Duration.seconds(0) })).toHaveLength(1);
    expect(refusal({ batchSize: 11, maxBatchingWindow: Duration.seconds(1) })).toBeUndefined();
    expect(refusal({ batchSize: 10 })).toBeUndefined();
  });

  test('above 10 is refused for a FIFO queue, and no window is suggested', () => {
    expect(refusal({ fifo: true, batchSize: 11 })).toEqual([
      'batchSize is 11, and a FIFO queue delivers 10 at most. Lower it.',
    ]);
    expect(refusal({ fifo: true, batchSize: 10 })).toBeUndefined();
  });
});

test('a batching window is refused for a FIFO queue', () => {
  expect(refusal({ fifo: true, maxBatchingWindow: Duration.seconds(5) })).toEqual([
    'maxBatchingWindow is 5 s, and Lambda accepts none for a FIFO queue. Leave it out.',
  ]);
});

test('every contradiction is named at once', () => {
  const overrides = { fifo: true, batchSize: 50, visibilityTimeout: Duration.seconds(60) };
  expect(refusal(overrides)).toHaveLength(2);
});

test.each(['CLAIMS_TABLE', 'DEAD_LETTER_QUEUE_URL'])('%s is refused in environment', (name) => {
  expect(refusal({ environment: { [name]: 'mine' } })?.[0]).toContain(`environment sets ${name}`);
});

test('a timeout that is known at deployment only is refused, because nothing could be checked against it', () => {
  const stack = emptyStack();
  const parameter = new CfnParameter(stack, 'Timeout', { type: 'Number' });
  expect(() => addConsumer(stack, { timeout: Duration.seconds(parameter.valueAsNumber) })).toThrow(
    'timeout is not known before deployment',
  );
});
