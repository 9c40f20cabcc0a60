import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { hintsOf, rehearsed } from '../../../support/rehearsed.ts';

/** Each fault alone, at a consumer that nothing protects: what it does, and what its story says. */
describe('without pawl', () => {
  test('a kill after the effect doubles it, and its story names the moment', async () => {
    const result = await rehearsed({ code: 'plain.mjs', batchSize: 1 }, { kill: 1 }, { intents: 12 });
    const doubled = result.harmed.filter(({ problem }) => problem === 'doubled');
    expect(doubled.length).toBeGreaterThan(0);
    for (const { story } of doubled) expect(story.join('\n')).toMatch(/APPLIED[\s\S]*IS KILLED[\s\S]*APPLIED/);
    expect(result.effects[0]?.lost).toEqual([]);
    expect(result.faults.kill).toBeGreaterThanOrEqual(doubled.length);
  });

  test('a second message doubles it', async () => {
    const result = await rehearsed({ code: 'plain.mjs' }, { duplicate: 1 }, { intents: 10 });
    expect(result.effects[0]?.doubled).toHaveLength(10);
    expect(result.harmed[0]?.story.join('\n')).toMatch(/sent to .*AGAIN/);
  });

  test('a provider that applies and fails doubles it', async () => {
    // One by one: those whose call hangs must not end the invocation of another.
    const result = await rehearsed({ code: 'plain.mjs', batchSize: 1 }, { provider: 1 }, { intents: 20 });
    const doubled = result.harmed.filter(({ problem }) => problem === 'doubled');
    expect(doubled.length).toBeGreaterThan(0);
    expect(doubled.some(({ story }) => story.join('\n').includes('APPLIED; the connection breaks'))).toBe(true);
  });

  test('a sandbox that is stopped past its timeout and goes on doubles it', async () => {
    const result = await rehearsed({ code: 'plain.mjs', batchSize: 1 }, { freeze: 1 }, { intents: 8 });
    expect(result.effects[0]?.doubled.length).toBeGreaterThan(0);
    expect(result.harmed[0]?.story.join('\n')).toMatch(/IS STOPPED for/);
    expect(result.faults.freeze).toBeGreaterThan(0);
  });

  test('a lost response of a write loses the effect, if the record comes before it', async () => {
    const result = await rehearsed({ code: 'records-before.mjs' }, { loseAnswer: 1 }, { intents: 20 });
    expect(result.effects[0]?.lost.length).toBeGreaterThan(0);
    expect(result.harmed[0]?.story.join('\n')).toMatch(/PutItem .*: written, and the response was lost/);
    expect(hintsOf(result)).toContain('recorded-too-early');
  });

  test('a throttled write doubles the effect, if the record comes after it', async () => {
    // Under this seed four of the twenty are refused at each of the SDK's tries, from the write on. Under others it may be none. How long the SDK
    // waits between its tries is chance: up to seven seconds.
    const result = await rehearsed(
      { code: 'records-after.mjs', batchSize: 1, timeout: 15, visibility: 20 },
      { throttle: 1 },
      { intents: 20, seed: 31, functionTimeoutSeconds: 'as-written' },
    );
    expect(result.effects[0]?.doubled.length).toBeGreaterThan(0);
    expect(result.harmed[0]?.story.join('\n')).toMatch(/ProvisionedThroughputExceeded/);
  });

  test('a failed message is lost where ReportBatchItemFailures is off, and the hint names it', async () => {
    const result = await rehearsed({ code: 'plain.mjs', reports: false }, { provider: 0.6 }, { intents: 20 });
    expect(result.effects[0]?.lost.length).toBeGreaterThan(0);
    const hint = result.hints.find(({ name }) => name === 'report-batch-item-failures');
    expect(hint?.text).toContain('ReportBatchItemFailures is off on SendMail/FromOrders');
    expect(hint?.intents).toEqual(expect.arrayContaining([...(result.effects[0]?.lost ?? [])]));
  });

  test('a batch that fails as a whole doubles the effects of the others in it', async () => {
    const result = await rehearsed({ code: 'throws.mjs', reports: false }, { provider: 0.3 }, { intents: 20 });
    expect(hintsOf(result)).toContain('whole-batch');
  });

  test('a client that tries again doubles the effect in one invocation, and the hint names the client', async () => {
    const result = await rehearsed({ code: 'retries.mjs' }, { provider: 0.8 }, { intents: 20 });
    expect(hintsOf(result)).toContain('client-retries');
  });

  test('a FIFO queue does not suppress a copy after its deduplication window, and the hint names it', async () => {
    const result = await rehearsed({ code: 'plain.mjs', fifo: true }, { duplicate: 1 }, { intents: 6 });
    expect(result.effects[0]?.doubled).toHaveLength(6);
    expect(hintsOf(result)).toContain('deduplication-window');
  });
});

describe('with pawl', () => {
  const ALL = {
    kill: 0.3,
    duplicate: 0.3,
    redeliver: 0.3,
    loseAnswer: 0.2,
    throttle: 0.2,
    freeze: 0.1,
    provider: 0.2,
    deploy: 2,
  };

  test.each([1, 2, 3])('nothing doubles and nothing is lost under all faults at once, seed %i', async (seed) => {
    const result = await rehearsed({ code: 'once.ts' }, ALL, { intents: 25, seed });
    expect(result.effects).toMatchObject([{ intents: 25, doubled: [], lost: [], unfinished: [] }]);
    expect(result).toMatchObject({ good: true, harmed: [], deployments: 2 });
  });
});

test('the same seed plans the same faults for each intent', async () => {
  const run = () => rehearsed({ code: 'plain.mjs', batchSize: 1 }, { redeliver: 0.5 }, { intents: 20, seed: 9 });
  const [first, second] = [await run(), await run()];
  expect([...(second.effects[0]?.doubled ?? [])].sort()).toEqual([...(first.effects[0]?.doubled ?? [])].sort());
});

test('timeouts and visibility timeouts are shortened together, and said', async () => {
  const result = await rehearsed({ code: 'plain.mjs', timeout: 30, visibility: 180 }, {}, { intents: 2 });
  expect(result.shortened).toMatchObject([
    { logicalId: 'Consumer', from: 30, to: 6 },
    { logicalId: 'Orders', from: 180, to: 8 },
  ]);
  expect(hintsOf(result)).toEqual([]);
});

test('a visibility timeout that is shorter than the timeout is a hint, as the template has both', async () => {
  const result = await rehearsed({ code: 'plain.mjs', timeout: 30, visibility: 10 }, {}, { intents: 2 });
  expect(result.hints).toMatchObject([{ name: 'visibility-timeout' }]);
  expect(result.hints[0]?.text).toContain('(10 s) is shorter than the timeout of SendMail (30 s)');
});

test('a queue without a dead-letter queue, and one with few receives, are hints', async () => {
  const none = await rehearsed({ code: 'plain.mjs', deadLetters: false }, {}, { intents: 2 });
  expect(hintsOf(none)).toEqual(['no-dead-letter-queue']);
  const few = await rehearsed({ code: 'plain.mjs', maxReceiveCount: 2 }, {}, { intents: 2 });
  expect(hintsOf(few)).toEqual(['max-receive-count']);
});

test('what check returns fails the rehearsal', async () => {
  const check = async ({ table }: { table(name: string): { items(): Promise<readonly unknown[]> } }) => [
    `${(await table('Sent').items()).length} rows`,
  ];
  const result = await rehearsed({ code: 'plain.mjs' }, {}, { intents: 2, check });
  expect(result).toMatchObject({ good: false, findings: ['0 rows'] });
});

test('an intent that something else sends is owed its effects, and what an operator sends afterwards is waited for', async () => {
  const steps: string[] = [];
  const result = await rehearsed(
    { code: 'plain.mjs' },
    {},
    {
      intents: 0,
      async traffic({ announce, queue, sqs }) {
        for (const intent of ['elsewhere', 'afterwards', 'never']) announce({ intent });
        const [QueueUrl, MessageBody] = [queue('Orders').url, JSON.stringify({ orderId: 'elsewhere' })];
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      },
      afterwards: [
        async ({ queue, sqs }) => {
          steps.push('first');
          const [QueueUrl, MessageBody] = [queue('Orders').url, JSON.stringify({ orderId: 'afterwards' })];
          await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
        },
        () => steps.push('second') > 100,
      ],
    },
  );
  expect(steps).toEqual(['first', 'second']);
  expect(result.effects).toMatchObject([{ intents: 3, done: 2, lost: ['never'] }]);
});

test('an effect that is expected of no intent, and an intent with other effects, are not lost', async () => {
  const result = await rehearsed(
    { code: 'plain.mjs' },
    {},
    {
      intents: 0,
      traffic: ({ queue }) => {
        queue('Orders').send({ orderId: 'one' }, { intent: 'one' });
        queue('Orders').send({}, { intent: 'two', effects: [] });
      },
    },
  );
  expect(result.effects).toMatchObject([{ intents: 1, done: 1, lost: [] }]);
});

describe('a rehearsal file', () => {
  test('finds what doubles without pawl, tells the story of each, and names the cause', async () => {
    const result = await rehearsed({ code: 'plain.mjs' }, { redeliver: 1 }, { intents: 6 });
    const [email] = result.effects;
    expect(result.good).toBe(false);
    expect(email).toMatchObject({ effect: 'email', intents: 6, done: 0, lost: [], parked: [] });
    expect(email?.doubled).toHaveLength(6);
    for (const { story } of result.harmed) {
      expect(story.some((line) => line.includes('sent to Mails/Orders/Queue'))).toBe(true);
      expect(story.some((line) => /FORGETS THAT|BECOMES VISIBLE/.test(line))).toBe(true);
      expect(story.filter((line) => line.includes('APPLIED')).length).toBeGreaterThan(1);
    }
    expect(hintsOf(result)).toContain('no-idempotency');
  });

  test('finds 0 doubled and 0 lost with pawl, under the same faults', async () => {
    // Long enough for a busy machine: what is killed at its timeout is in doubt, and parked.
    const context = { code: 'once.ts', timeout: 20, visibility: 25 };
    const result = await rehearsed(context, { redeliver: 1 }, { intents: 6, functionTimeoutSeconds: 'as-written' });
    expect(result.effects).toMatchObject([{ done: 6, doubled: [], lost: [], unfinished: [] }]);
    expect(result).toMatchObject({ good: true, hasClaims: true, harmed: [] });
    expect(result.faults.redeliver).toBeGreaterThan(0);
  });
});
