import { afterEach, describe, expect, it } from 'vitest';
import { type Claim, hashed, memoryStore, once, step } from '../../../lib/pawl/index.ts';
import { eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { startExecution, startOnce } from '../../../lib/pawl/workflows/index.ts';
import { stepFunctions } from '../../../lib/pawl/workflows/step-functions.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { type Fate, machines, startStepFunctions } from '../../support/step-functions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string; cents?: number };

const day = 24 * 3600 * 1000;
const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

/** State machines with a real client, and what becomes of the next requests. */
async function setUp(fates: Fate[] = [], maxAttempts = 1, fateOf = (_input: string): Fate => fates.shift()) {
  const host = virtualHost();
  const sfn = await startStepFunctions({
    fate: (_, input) => fateOf(input),
    now: host.now,
    client: { maxAttempts },
  });
  opened.push(sfn);
  const store = memoryStore();
  const events: string[] = [];
  const shared = {
    operation: 'settle',
    aws: noQueue,
    store,
    key: ({ body }: { readonly body: Order }) => body.orderId,
    backoffSeconds: () => undefined,
    onEvent: ({ type }: { type: string }) => events.push(type),
    host,
  };
  const standard = stepFunctions({ client: sfn.client, stateMachineArn: machines.standard, type: 'STANDARD' });
  const express = stepFunctions({ client: sfn.client, stateMachineArn: machines.express, type: 'EXPRESS' });
  return { sfn, store, host, events, shared, standard, express, fates };
}

const deliver = async (
  handler: ReturnType<typeof startOnce>,
  now: () => number,
  ...bodies: (Order | ReturnType<typeof sqsRecord>)[]
) =>
  failuresOf(
    await handler(sqsEvent(...bodies.map((one) => ('messageId' in one ? one : sqsRecord(one)))), context(30_000, now)),
  );

describe('startOnce, over a standard workflow', () => {
  it('starts one execution for a key, with the body as its input, however often a message comes', async () => {
    const { sfn, shared, standard, host } = await setUp();
    const handler = startOnce<Order>({ ...shared, workflow: standard });
    expect(await deliver(handler, host.now, { orderId: 'a' }, { orderId: 'b' }, { orderId: 'a' })).toEqual([]);
    expect(await deliver(handler, host.now, { orderId: 'a' })).toEqual([]);
    expect(sfn.started.map(({ input }) => input).sort()).toEqual(['{"orderId":"a"}', '{"orderId":"b"}']);
    for (const { name } of sfn.started) expect(name).toMatch(/^[0-9a-f]{48}-1$/);
  });

  it.each<Fate>(['lost-after', 'lost-before', 'throttled'])('starts one where the answer is %s', async (fate) => {
    const { sfn, shared, standard, host, store } = await setUp([fate]);
    const handler = startOnce<Order>({ ...shared, workflow: standard });
    const message = sqsRecord({ orderId: 'a' });
    expect(await deliver(handler, host.now, message)).toEqual([message.messageId]);
    expect(await deliver(handler, host.now, message)).toEqual([]);
    expect(sfn.started).toHaveLength(1);
    expect(await store.read('settle#a')).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['as they are', undefined],
    ['hidden', hashed('a secret of the customers')],
  ])(
    'recognises a start without an answer where a deployment lets it be waited for meanwhile, keys %s',
    async (_, hideKeys) => {
      const waitForEnd = { afterFailed: 'park', endsWithinMs: day } as const;
      for (const [first, second] of [
        [{}, { waitForEnd }],
        [{ waitForEnd }, {}],
      ]) {
        const { sfn, shared, standard, host } = await setUp(['lost-after']);
        const options = { ...shared, workflow: standard, ...(hideKeys && { hideKeys }) };
        const message = sqsRecord({ orderId: 'a' });
        expect(await deliver(startOnce<Order>({ ...options, ...first }), host.now, message)).toEqual([
          message.messageId,
        ]);
        expect(await deliver(startOnce<Order>({ ...options, ...second }), host.now, message)).toEqual([]);
        expect(sfn.started).toHaveLength(1);
      }
    },
  );

  it('recognises its execution by its name after that has ended, also with its fields in another order', async () => {
    const { sfn, shared, standard, host } = await setUp(['lost-after']);
    const handler = startOnce<Order>({ ...shared, workflow: standard });
    await deliver(handler, host.now, { orderId: 'a', cents: 1 });
    const [execution] = sfn.started;
    if (execution) sfn.end(execution, 'SUCCEEDED');
    expect(await deliver(handler, host.now, { cents: 1, orderId: 'a' })).toEqual([]);
    expect(sfn.calls).toEqual(['StartExecution', 'StartExecution', 'DescribeExecution']);
    expect(sfn.started).toHaveLength(1);
  });

  it('refuses another payload under the key, before anything is asked', async () => {
    const { sfn, shared, standard, host, events } = await setUp();
    const handler = startOnce<Order>({ ...shared, workflow: standard });
    await deliver(handler, host.now, { orderId: 'a', cents: 1 });
    expect(await deliver(handler, host.now, { orderId: 'a', cents: 2 })).toHaveLength(1);
    expect(events).toContain('key-reused');
    expect(sfn.calls).toEqual(['StartExecution']);
  });

  it.each([
    ['', {}],
    [', where its end is waited for', { waitForEnd: { afterFailed: 'park', endsWithinMs: day } as const }],
  ])('parks a start whose name has another input, if an earlier attempt may have started it%s', async (_, waits) => {
    const { sfn, shared, standard, host, store } = await setUp(['lost-after']);
    const fingerprint = { ignore: ['sentAt'] };
    const handler = startOnce<Order & { sentAt: number }>({ ...shared, ...waits, fingerprint, workflow: standard });
    await deliver(handler, host.now, sqsRecord({ orderId: 'a', sentAt: 1 }));
    expect(await deliver(handler, host.now, sqsRecord({ orderId: 'a', sentAt: 2 }))).toHaveLength(1);
    expect(sfn.started).toHaveLength(1);
    const record = await store.read('settle#a');
    expect(record).toMatchObject({ status: 'parked', unknownAt: host.now() });
    expect(record?.error?.message).toContain('docs/errors.md#other-input');
  });

  it('rejects a start whose name has another input, if the key was used for it before', async () => {
    const { sfn, shared, standard, host } = await setUp();
    await deliver(startOnce<Order>({ ...shared, workflow: standard }), host.now, { orderId: 'a', cents: 1 });
    const store = memoryStore();
    const forgetful = startOnce<Order>({ ...shared, store, workflow: standard });
    expect(await deliver(forgetful, host.now, { orderId: 'a', cents: 2 })).toHaveLength(1);
    expect(sfn.started).toHaveLength(1);
    const record = await store.read('settle#a');
    expect(record).toMatchObject({ status: 'rejected', error: { name: 'RejectedError' } });
    expect(record?.error?.message).toContain('docs/errors.md#other-input');
  });

  it('rejects an input that Step Functions would refuse at each attempt', async () => {
    const { shared, standard, host, store, sfn } = await setUp();
    const handler = startOnce<Order>({ ...shared, workflow: standard, input: () => 'x'.repeat(300_000) });
    await deliver(handler, host.now, { orderId: 'a' });
    expect(await store.read('settle#a')).toMatchObject({ status: 'rejected' });
    const cyclic = startOnce<Order>({ ...shared, workflow: standard, input: () => ({ n: 1n }) });
    await deliver(cyclic, host.now, { orderId: 'b' });
    expect(await store.read('settle#b')).toMatchObject({ status: 'rejected' });
    expect(sfn.started).toHaveLength(0);
  });

  it('starts nothing after the names are forgotten: the claim remembers', async () => {
    const { sfn, shared, standard, host } = await setUp();
    const handler = startOnce<Order>({ ...shared, workflow: standard });
    await deliver(handler, host.now, { orderId: 'a' });
    const [execution] = sfn.started;
    if (execution) sfn.end(execution, 'SUCCEEDED');
    await host.advance(100 * day);
    expect(await deliver(handler, host.now, { orderId: 'a' })).toEqual([]);
    expect(sfn.started).toHaveLength(1);
  });

  it('parks a start in doubt that is older than the memory of names', async () => {
    const { sfn, shared, standard, host, store } = await setUp(['lost-after']);
    const handler = startOnce<Order>({ ...shared, workflow: standard, retryWindowSeconds: 366 * 24 * 3600 });
    await deliver(handler, host.now, { orderId: 'a' });
    const [execution] = sfn.started;
    if (execution) sfn.end(execution, 'SUCCEEDED');
    await host.advance(91 * day);
    expect(await deliver(handler, host.now, { orderId: 'a' })).toHaveLength(1);
    expect(sfn.started).toHaveLength(1);
    expect((await store.read('settle#a'))?.error?.message).toContain('docs/errors.md#name-forgotten');
  });

  it('starts under the name of the state machine, whichever version or alias starts it', async () => {
    const { sfn, shared, standard, host, fates } = await setUp(['lost-after']);
    const aliased = stepFunctions({
      client: sfn.client,
      stateMachineArn: `${machines.standard}:live`,
      type: 'STANDARD',
    });
    await deliver(startOnce<Order>({ ...shared, workflow: standard }), host.now, { orderId: 'a' });
    expect(fates).toEqual([]);
    expect(await deliver(startOnce<Order>({ ...shared, workflow: aliased }), host.now, { orderId: 'a' })).toEqual([]);
    expect(sfn.started).toHaveLength(1);
  });

  it('returns the messages while the state machine is not set up, or is not there', async () => {
    const { sfn, shared, host, store } = await setUp();
    for (const stateMachineArn of [undefined, `${machines.standard}2`]) {
      const workflow = stepFunctions({ client: sfn.client, stateMachineArn, type: 'STANDARD' });
      expect(await deliver(startOnce<Order>({ ...shared, workflow }), host.now, { orderId: 'a' })).toHaveLength(1);
      expect(await store.read('settle#a')).toMatchObject({ status: 'released', error: { name: 'RetryableError' } });
    }
  });
});

describe('startOnce, over an express workflow', () => {
  it('parks a start without an answer, and starts it again where its author says so', async () => {
    for (const onAbandoned of ['park', 'retry'] as const) {
      const { sfn, shared, express, host, store } = await setUp(['lost-after']);
      const handler = startOnce<Order>({ ...shared, workflow: express, onAbandoned });
      const message = sqsRecord({ orderId: 'a' });
      await deliver(handler, host.now, message);
      await deliver(handler, host.now, message);
      expect(sfn.started).toHaveLength(onAbandoned === 'park' ? 1 : 2);
      expect((await store.read('settle#a'))?.status).toBe(onAbandoned === 'park' ? 'parked' : 'completed');
    }
  });

  it('lets the client repeat what was throttled, and nothing that had no answer', async () => {
    const { sfn, shared, express, host, fates } = await setUp(['throttled', 'throttled'], 5);
    const handler = startOnce<Order>({ ...shared, workflow: express, onAbandoned: 'park' });
    expect(await deliver(handler, host.now, { orderId: 'a' })).toEqual([]);
    expect(sfn.calls).toHaveLength(3);
    fates.push('throttled', 'lost-after');
    expect(await deliver(handler, host.now, { orderId: 'b' })).toHaveLength(1);
    expect(sfn.started).toHaveLength(2);
  });

  it('releases a start that was refused: nothing is in doubt', async () => {
    const { sfn, shared, express, host, store } = await setUp(['throttled']);
    const handler = startOnce<Order>({ ...shared, workflow: express, onAbandoned: 'park' });
    const message = sqsRecord({ orderId: 'a' });
    expect(await deliver(handler, host.now, message)).toEqual([message.messageId]);
    const released = await store.read('settle#a');
    expect([released?.status, released?.unknownAt]).toEqual(['released', undefined]);
    expect(await deliver(handler, host.now, message)).toEqual([]);
    expect(sfn.started).toHaveLength(1);
  });
});

describe('startExecution', () => {
  it('starts one execution for a key and a target, in a handler of eachMessage and of once', async () => {
    const { sfn, shared, standard, host } = await setUp();
    const retentionSeconds = 'forever';
    const handler = eachMessage<Order>(
      { ...shared, retentionSeconds, onAbandoned: 'retry' },
      async ({ body }, claim) => {
        const one = await startExecution(claim, standard, body);
        const again = await startExecution(claim, standard, body);
        expect(again).toEqual(one);
      },
    );
    expect(await deliver(handler, host.now, { orderId: 'a' })).toEqual([]);
    const { store } = shared;
    const call = once(
      { operation: 'settle-by-hand', store, host, key: (id: string) => id, onAbandoned: 'retry', retentionSeconds },
      (orderId, claim) => startExecution(claim, standard, { orderId }),
    );
    const { execution } = await call('a');
    expect(await call('a')).toMatchObject({ execution });
    expect(sfn.started.map(({ executionArn }) => executionArn)).toContain(execution);
    expect(sfn.started).toHaveLength(2);
  });

  it('leaves a handler that starts two executions of one target to its policy: the first one runs', async () => {
    const { sfn, shared, standard, host, store } = await setUp();
    const handler = eachMessage<Order>(
      { ...shared, retentionSeconds: 'forever', onAbandoned: 'park' },
      async (_, claim) => {
        for (const part of [1, 2]) await startExecution(claim, standard, { part });
      },
    );
    await deliver(handler, host.now, { orderId: 'a' });
    expect(sfn.started.map(({ input }) => input)).toEqual(['{"part":1}']);
    const record = await store.read('settle#a');
    expect(record?.status).toBe('parked');
    expect(record?.error?.message).toMatch(/two executions of .*a call of once.*#other-input$/);
  });

  it('starts an execution with another input, where nothing was started with the first one', async () => {
    const { sfn, shared, standard, host, store } = await setUp(['throttled']);
    const handler = eachMessage<Order>(
      { ...shared, retentionSeconds: 'forever', onAbandoned: 'park' },
      async (_, claim) => {
        await startExecution(claim, standard, { part: 1 }).catch(() => startExecution(claim, standard, { part: 2 }));
      },
    );
    await deliver(handler, host.now, { orderId: 'a' });
    expect(sfn.started.map(({ input }) => input)).toEqual(['{"part":2}']);
    expect((await store.read('settle#a'))?.status).toBe('completed');
  });

  it('refuses a claim that is forgotten before the name is', async () => {
    const { sfn, shared, standard, host, store } = await setUp();
    const handler = eachMessage<Order>({ ...shared, onAbandoned: 'retry' }, ({ body }, claim) =>
      startExecution(claim, standard, body),
    );
    expect(await deliver(handler, host.now, { orderId: 'a' })).toHaveLength(1);
    expect((await store.read('settle#a'))?.error?.message).toMatch(/^retentionSeconds: expected at least 7776000/);
    expect(sfn.started).toHaveLength(0);
  });

  it.each([
    ['park', 'parked'],
    ['retry', 'released'],
  ] as const)(
    'leaves an express execution without an answer to the policy, also where the handler marks its effects: %s',
    async (onAbandoned, status) => {
      const { sfn, shared, express, host, store } = await setUp(['lost-after']);
      const handler = eachMessage<Order>({ ...shared, onAbandoned, marksEffect: true }, async ({ body }, claim) => {
        await startExecution(claim, express, body);
      });
      await deliver(handler, host.now, { orderId: 'a' });
      expect(sfn.started).toHaveLength(1);
      expect(await store.read('settle#a')).toMatchObject({ status, unknownAt: host.now() });
    },
  );

  it('leaves nothing in doubt where an express execution was refused, and the handler marks its effects', async () => {
    const { sfn, shared, express, host, store } = await setUp(['throttled']);
    const handler = eachMessage<Order>(
      { ...shared, onAbandoned: 'park', marksEffect: true },
      async ({ body }, claim) => {
        await startExecution(claim, express, body).catch(() => undefined);
        throw new Error('no connection');
      },
    );
    await deliver(handler, host.now, { orderId: 'a' });
    expect(sfn.started).toHaveLength(0);
    expect(await store.read('settle#a')).toMatchObject({ status: 'released', unknownAt: undefined });
  });

  it('is waited for by a handler that does not await it', async () => {
    const { sfn, shared, standard, host, store } = await setUp();
    const handler = eachMessage<Order>(
      { ...shared, retentionSeconds: 'forever', onAbandoned: 'retry' },
      ({ body }, claim) => {
        void startExecution(claim, standard, body);
      },
    );
    await deliver(handler, host.now, { orderId: 'a' });
    expect(sfn.started).toHaveLength(1);
    expect((await store.read('settle#a'))?.status).toBe('completed');
  });
});

it.each(['throttled', 'lost-before'] as const)(
  'is not taken for done by a handler that does not await it: %s',
  async (fate) => {
    const { sfn, shared, standard, host, store } = await setUp([fate]);
    const handler = eachMessage<Order>(
      { ...shared, retentionSeconds: 'forever', onAbandoned: 'retry' },
      async ({ body }, claim) => {
        void startExecution(claim, standard, body);
        // Long enough for it to fail while the handler is at work.
        while (sfn.calls.length === 0) await new Promise((later) => setTimeout(later, 1));
        await new Promise((later) => setTimeout(later, 50));
      },
    );
    const message = sqsRecord({ orderId: 'a' });
    expect(await deliver(handler, host.now, message)).toEqual([message.messageId]);
    expect((await store.read('settle#a'))?.status).toBe('released');
    expect(await deliver(handler, host.now, message)).toEqual([]);
    expect(sfn.started).toHaveLength(1);
  },
);

describe('several starts in one handler', () => {
  const twice: (Fate | undefined)[] = ['throttled', 'throttled'];

  /** Starts two express executions, with what becomes of the first request of each. What is not done comes again. */
  async function deliverTwo(
    fates: Fate[],
    start: (one: () => Promise<unknown>, other: () => Promise<unknown>, claim: Claim) => unknown,
  ) {
    const { sfn, shared, express, host, store } = await setUp([], 1, (input) => {
      const part = input.includes('other') ? 1 : 0;
      return fates.splice(part, 1, undefined)[0];
    });
    const handler = eachMessage<Order>({ ...shared, onAbandoned: 'park' }, async ({ body }, claim) => {
      const starting = (part: string) => () => startExecution(claim, express, { ...body, part });
      await start(starting('one'), starting('other'), claim);
    });
    for (let receiveCount = 1; receiveCount <= 3; receiveCount++) {
      await deliver(handler, host.now, sqsRecord({ orderId: 'a' }, { messageId: 'm', receiveCount }));
      await host.advance(60_000);
    }
    const started = sfn.started.map(({ input }) => JSON.parse(input).part);
    return { started, status: (await store.read('settle#a'))?.status };
  }

  it.each([
    ['one after the other', [undefined, 'throttled'], ['one']],
    ['side by side', [undefined, 'throttled'], ['one']],
    ['as one effect', [undefined, 'throttled'], ['one']],
    ['side by side, and the answer of one is lost', ['lost-after', 'throttled'], ['one']],
    ['side by side, and both are refused', twice, ['one', 'other']],
  ] as const)('starts no express execution twice under park: %s', async (how, fates, expected) => {
    const { started, status } = await deliverTwo([...fates], async (one, other, claim) => {
      if (how === 'one after the other') return void [await one(), await other()];
      const both = () => Promise.all([one(), other()]);
      return how === 'as one effect' ? claim.effect(both) : both();
    });
    expect([started.toSorted(), status]).toEqual([expected, expected.length === 1 ? 'parked' : 'completed']);
  });

  it('begins again behind a step that has started an express execution', async () => {
    const { started, status } = await deliverTwo([undefined, 'throttled'], async (one, other, claim) => {
      await step(claim, 'one', () => one().then(() => null), { onAbandoned: 'park' });
      await other();
    });
    expect([started, status]).toEqual([['one', 'other'], 'completed']);
  });
});

describe('a wrong option', () => {
  it('is refused at once', async () => {
    const { sfn, shared, standard, express } = await setUp();
    const { client } = sfn;
    const { standard: stateMachineArn } = machines;
    // @ts-expect-error a target without names needs a policy
    expect(() => startOnce<Order>({ ...shared, workflow: express })).toThrow(/^onAbandoned: expected/);
    // @ts-expect-error and one with names has none
    expect(() => startOnce<Order>({ ...shared, workflow: standard, onAbandoned: 'park' })).toThrow(
      /^onAbandoned: startOnce does not take it/,
    );
    const short = { ...shared, workflow: standard, retentionSeconds: 30 * 24 * 3600 };
    expect(() => startOnce<Order>(short)).toThrow(/^retentionSeconds: expected at least 7776000/);
    expect(() => startOnce<Order>({ ...shared, workflow: standard, retentionSeconds: 90 * 24 * 3600 })).not.toThrow();
    expect(() => startOnce<Order>({ ...shared, workflow: {} as never })).toThrow(/^workflow: expected/);
    expect(() => startOnce<Order>({ ...shared, workflow: standard, input: {} as never })).toThrow(/^input: expected/);
    expect(() => stepFunctions({ client, stateMachineArn, type: 'standard' as never })).toThrow(
      /^type: expected 'STANDARD' or 'EXPRESS'/,
    );
    expect(() => stepFunctions({ client, stateMachineArn: 'settle', type: 'STANDARD' })).toThrow(
      /^stateMachineArn: expected the ARN/,
    );
    expect(() => stepFunctions({ client: {} as never, stateMachineArn, type: 'STANDARD' })).toThrow(
      /^client: expected/,
    );
  });
});
