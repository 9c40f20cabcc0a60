import { describe, expect, it } from 'vitest';
import {
  type Claim,
  type ClaimEvent,
  hashed,
  memoryStore,
  once,
  RejectedError,
  RetryableError,
  step,
} from '../../../lib/pawl/index.ts';
import { SetupError } from '../../../lib/pawl/kernel/errors.ts';
import { claimHeld } from '../../../lib/pawl/locks/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { observedIn } from '../../../lib/pawl/rules/observed.ts';
import { isInShare } from '../../../lib/pawl/rules/share.ts';
import { bodyField, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { commit } from '../../../lib/pawl/transactions/index.ts';
import { startExecution, type Workflow } from '../../../lib/pawl/workflows/index.ts';
import { stores, takenAway } from '../../support/broken-stores.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Order {
  readonly orderId: string;
  readonly amount?: number;
}

/** A consumer that is only observed, and what became of its handler. */
function setUp(
  options: Partial<SqsOptions<Order>> = {},
  effect: (order: Order, claim: Claim) => unknown = () => undefined,
) {
  const ran: string[] = [];
  const events: ClaimEvent[] = [];
  const deadLettered: string[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      aws: noQueue,
      store: memoryStore(),
      key: bodyField('orderId'),
      onAbandoned: 'park',
      mode: 'observe',
      backoffSeconds: () => {
        throw new Error('no visibility is changed');
      },
      deadLetters: { send: async (_, record) => deadLettered.push(record.messageId) },
      onEvent: (event) => events.push(event),
      ...options,
    },
    async ({ body }, claim) => {
      ran.push(body.orderId);
      return effect(body, claim);
    },
  );
  const call = async (...records: ReturnType<typeof sqsRecord>[]) =>
    failuresOf(await handler(sqsEvent(...records), context()));
  const types = () => events.map(({ type }) => type);
  return { ran, events, types, deadLettered, handler, call };
}

const order = (orderId: string, more: object = {}) => sqsRecord({ orderId, ...more });

function deliveredAgain(record: ReturnType<typeof order>) {
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: '2' } };
}

const fails = ({ orderId }: Order) => {
  if (orderId.startsWith('bad')) throw new Error(`no ${orderId}`);
};

describe('eachMessage under observe', () => {
  it('runs every delivery, and says what pawl would have done', async () => {
    const { call, ran, types } = setUp();
    const first = order('a');
    expect(await call(first)).toEqual([]);
    expect(await call(deliveredAgain(first), order('a'))).toEqual([]);
    expect(ran).toEqual(['a', 'a', 'a']);
    expect(types()).toEqual(['would-replay', 'would-replay']);
  });

  it('fails exactly the messages whose handler threw, and changes no visibility and sends no dead letter', async () => {
    const { call, types, deadLettered } = setUp({}, fails);
    const bad = order('bad-1');
    expect(await call(order('a'), bad)).toEqual([bad.messageId]);
    expect(await call(deliveredAgain(bad))).toEqual([bad.messageId]);
    // At its end, under 'park'; and at the beginning of the next delivery, and at its end.
    expect(types()).toEqual(['would-park', 'would-park', 'would-park']);
    expect(deadLettered).toEqual([]);
  });

  it.each(Object.keys(stores))('has the same outcome whatever its table is: %s', async (name) => {
    const batch = () => [order('a'), order('bad-1'), order('a'), order('c'), sqsRecord('no JSON')];
    const store = stores[name]?.() as ReturnType<(typeof stores)['healthy']>;
    const { call, ran, types } = setUp({ store }, fails);
    const messages = batch();
    const failed = [messages[1]?.messageId, messages[4]?.messageId].sort();
    expect(await call(...messages)).toEqual(failed);
    expect(ran.toSorted()).toEqual(['a', 'a', 'bad-1', 'c']);
    expect(types().filter((type) => type === 'unseen').length).toBe(name === 'healthy' ? 0 : 4);
  });

  it('has the same outcome when its table is taken away in mid-run', async () => {
    for (let writes = 0; writes < 10; writes++) {
      const { call, ran } = setUp({ store: takenAway(writes) }, fails);
      const messages = [order('a'), order('bad-1'), order('a')];
      expect(await call(...messages)).toEqual([messages[1]?.messageId]);
      expect(ran.length).toBe(3);
    }
  });

  it('waits for what it has seen at its end alone, and not longer than it may', async () => {
    const { call, types } = setUp({ store: stores['hanging']?.() as never, observeWaitMs: 0 });
    const before = performance.now();
    expect(await call(order('a'))).toEqual([]);
    expect(types()).toEqual(['unseen']);
    expect(performance.now() - before).toBeLessThan(2000);
  });

  it('runs what pawl would dead-letter, if it has a body', async () => {
    const { call, ran, events } = setUp();
    const nameless = sqsRecord({ amount: 1 });
    const unreadable = sqsRecord('{');
    expect(await call(nameless, unreadable)).toEqual([unreadable.messageId]);
    expect(ran.length).toBe(1);
    expect(events).toMatchObject([
      { type: 'would-dead-letter', reason: 'missing-key' },
      { type: 'would-dead-letter', reason: 'invalid-message' },
    ]);
  });

  it('names a wrong key, with the fields that differ', async () => {
    const store = memoryStore();
    const { call, events } = setUp({ store });
    await call(order('a', { amount: 1 }));
    await call(order('a', { amount: 2 }));
    expect(events).toMatchObject([{ type: 'would-refuse', reason: 'key-reused', id: 'send-email#a' }]);
    const [record] = store.records();
    expect(observedIn(record as never)).toMatchObject({ deliveries: 2, other: 1, differing: ['amount'] });
  });

  it('says which errors say that nothing was applied, and which are final', async () => {
    const { call, types } = setUp({}, ({ orderId }) => {
      throw orderId === 'later' ? new RetryableError('later') : new RejectedError('never');
    });
    await call(order('later'));
    expect(types()).toEqual([]);
    await call(order('never'));
    expect(types()).toEqual(['would-dead-letter']);
  });

  it('keeps the order of a message group, ends it at its first failure, and asks SQS nothing for those behind it', async () => {
    const { call, ran, types } = setUp({}, fails);
    const group = ['a', 'bad-1', 'c'].map((id) => sqsRecord({ orderId: id }, { group: 'g' }));
    const other = sqsRecord({ orderId: 'd' }, { group: 'h' });
    const failed = await call(...group, other);
    expect(failed).toEqual([group[1]?.messageId, group[2]?.messageId].sort());
    expect(ran.filter((id) => id !== 'd')).toEqual(['a', 'bad-1']);
    // There is no queue here to ask.
    expect(types()).not.toContain('queue-call-failed');
  });

  it.each([{ mode: 'observe' }, { enforce: 0.1 }] as const)(
    'asks SQS for nothing where a group ends at a failure: %o',
    async (mode) => {
      const { call, types, ran } = setUp({ backoffSeconds: () => undefined, ...mode }, fails);
      const group = ['bad-1', 'a', 'b'].map((id) => sqsRecord({ orderId: id }, { group: 'g' }));
      expect(await call(...group)).toHaveLength(3);
      expect([ran, types()]).toEqual([['bad-1'], ['would-park']]);
    },
  );

  it('gives the handler the effect key, runs its marked effects as they are, and refuses by name what pawl would write', async () => {
    const seen: unknown[] = [];
    const { call, types } = setUp({}, async (_, claim) => {
      seen.push(claim.effectKey, claim.attempt, await claim.effect(() => 1), await claim.effect(async () => 2));
      seen.push(claim.signal.aborted, claim.remainingMs() > 10_000);
      const errorOf = ({ name, message }: Error) => seen.push(`${name}: ${message}`);
      const charge = async () => step(claim, 'charge', () => 1, { onAbandoned: 'park' });
      await charge().catch(errorOf);
      await (async () => commit(claim, []))().catch(errorOf);
      await (async () => startExecution(claim, {} as Workflow, {}))().catch(errorOf);
      await (async () => claimHeld(claim, 'claims'))().catch(errorOf);
    });
    expect(await call(order('a'))).toEqual([]);
    expect(seen).toEqual([
      'send-email#a',
      1,
      1,
      2,
      false,
      true,
      expect.stringMatching(/^OptionError: step: not under mode: 'observe'/),
      expect.stringMatching(/^OptionError: commit: not under mode: 'observe'/),
      expect.stringMatching(/^OptionError: startExecution: not under mode: 'observe'/),
      expect.stringMatching(/^OptionError: claimHeld: not under mode: 'observe'/),
    ]);
    expect(types()).toEqual([]);
  });

  it('enforces a share of the keys in the same batch, and observes the others', async () => {
    const store = memoryStore();
    const { call, ran } = setUp({ store, enforce: 0.2 });
    const batch = () => Array.from({ length: 40 }, (_, index) => order(`order-${index}`));
    await call(...batch());
    expect(await call(...batch())).toEqual([]);
    const twice = Array.from({ length: 40 }, (_, index) => `order-${index}`).filter(
      (id) => ran.indexOf(id) !== ran.lastIndexOf(id),
    );
    expect(40 - twice.length).toBeGreaterThan(2);
    expect(twice.length).toBeGreaterThan(20);
    // What was enforced from its first delivery on has a claim of its own.
    const own = store.records().filter(({ claimId }) => claimId !== '#observed');
    expect(own.length).toBe(40 - twice.length);
  });

  it('reports what was not written, also of an invocation that fails because nothing of it can run', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `bad-${index}`);
    const isEnforced = (id: string) => isInShare(id, 0.5);
    const gone = new SetupError('no such table', 'missing-table');
    const answer = (id: string) => (isEnforced(id) ? Promise.reject(gone) : new Promise<never>(() => undefined));
    const store = { read: answer, write: ({ next }: { readonly next: { readonly id: string } }) => answer(next.id) };
    const { call, types } = setUp({ store, enforce: 0.5 }, fails);
    await expect(call(...ids.map((id) => order(id)))).rejects.toThrow('no such table');
    const observed = ids.filter((id) => !isEnforced(`send-email#${id}`));
    expect(types().filter((type) => type === 'unseen')).toHaveLength(observed.length);
  });

  it.each([1, 25])(
    'runs what is only observed first: with concurrency %s, claims that hang leave it its time',
    async (concurrency) => {
      const host = virtualHost();
      const start = host.now();
      const startedAt: number[] = [];
      const store = stores['hanging']?.() as never;
      const { handler } = setUp({ store, host, enforce: 0.5, concurrency }, () => startedAt.push(host.now() - start));
      const ids = Array.from({ length: 100 }, (_, index) => `order-${index}`);
      const observed = ids.filter((id) => !isInShare(`send-email#${id}`, 0.5));
      void handler(sqsEvent(...ids.map((id) => order(id))), context(30_000, host.now));
      await host.advance(20_000);
      expect(startedAt).toEqual(observed.map(() => 0));
      expect(observed.length).toBeGreaterThan(concurrency);
    },
  );

  it('remembers: what was done under observe is not done again under enforcement', async () => {
    const store = memoryStore();
    await setUp({ store }, fails).call(order('a'), order('bad-1'));
    const { call, ran, deadLettered } = setUp({ store, mode: 'enforce', backoffSeconds: () => undefined });
    const bad = order('bad-1');
    expect(await call(order('a'), bad, order('new'))).toEqual([]);
    expect(ran).toEqual(['new']);
    // Its outcome is in doubt, and the policy is 'park'.
    expect(deadLettered).toEqual([bad.messageId]);
  });

  it('says how many keys are hidden: while their secret is changed, each counts under both', async () => {
    const store = memoryStore();
    const [before, after] = [hashed('a secret of before, long'), hashed('a secret of after, longer')];
    const onEvent = () => undefined;
    const inner = once<Order, void>(
      {
        operation: 'send-email',
        store,
        key: ({ orderId }) => orderId,
        hideKeys: after,
        onAbandoned: 'park',
        mode: 'observe',
        onEvent,
      },
      async () => undefined,
    );
    const { call } = setUp({ store, hideKeys: before }, (order) => inner(order));
    await call(order('a'), order('b'));
    expect(await operator({ store }).observed('send-email')).toMatchObject({ keys: 4, hidden: 4, deliveries: 4 });
    const open = memoryStore();
    await setUp({ store: open }).call(order('a'), order('b'));
    expect(await operator({ store: open }).observed('send-email')).toMatchObject({ keys: 2, hidden: 0 });
  });

  it('reports a key that has a claim of enforcement', async () => {
    const store = memoryStore();
    await setUp({ store, mode: 'enforce' }).call(order('a'));
    const { call, ran, types } = setUp({ store });
    await call(order('a'));
    expect(ran).toEqual(['a']);
    expect(types()).toEqual(['observed-beside', 'would-replay', 'observed-beside']);
  });

  it('reports each run of a key that enforcement had, also after an observed run has taken its claim over', async () => {
    const store = memoryStore();
    const host = virtualHost();
    const dies = setUp({ store, host, mode: 'enforce' }, () => new Promise(() => undefined));
    void dies.call(order('a'));
    await host.advance(60_000);
    const { call, types } = setUp({ store, host });
    await call(order('a'));
    expect(types()[0]).toBe('observed-beside');
    await call(order('a'));
    expect(types().filter((type) => type === 'observed-beside')).toHaveLength(2);
  });
});
