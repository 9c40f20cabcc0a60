import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { once } from '../../../lib/pawl/engine/once.ts';
import type { ClaimOptions } from '../../../lib/pawl/engine/options.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import {
  type ClaimEvent,
  type ClaimStore,
  InvalidMessageError,
  memoryStore,
  RetryableError,
  StoreUnavailableError,
} from '../../../lib/pawl/index.ts';
import { identify } from '../../../lib/pawl/rules/identity.ts';
import { completion } from '../../../lib/pawl/rules/result.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** What an operator reads in the middle of the night: each event says what happened, and why. */
function setUp(options: Partial<ClaimOptions<string>>, fn: (claim: Claim) => unknown) {
  const host = virtualHost();
  const memory = memoryStore();
  const events: ClaimEvent[] = [];
  const call = once<string, unknown, boolean>(
    {
      operation: 'refund',
      store: memory,
      key: (input) => input,
      onAbandoned: 'park',
      onEvent: (event) => events.push(event),
      ...options,
      host,
    },
    (_, claim) => fn(claim),
  ).outcome;
  /** Calls, and lets so much time pass that every wait is over. */
  const called = async (input = 'p-1') => {
    const answer = call(input).catch((error: Error) => error);
    await host.advance(60_000);
    return answer;
  };
  return { host, memory, events, call, called, last: () => events.at(-1) };
}

/** A store of which writes fail, from the first or from the second on. */
function failing(from: number, store: ClaimStore = memoryStore()): ClaimStore {
  let writes = 0;
  return {
    ...store,
    read: (id) => store.read(id),
    write: (write) => (++writes >= from ? Promise.reject(new Error('down')) : store.write(write)),
  };
}

const marked = { marksEffect: true } as const;

describe('an event says what it is about', () => {
  it('when the store fails before anything was run', async () => {
    const { called, last } = setUp({ store: failing(1) }, () => 'done');
    expect(await called()).toBeInstanceOf(StoreUnavailableError);
    expect(last()).toMatchObject({ type: 'store-unavailable', id: 'refund#p-1', error: { message: 'down' } });
  });

  it('when an effect could not be recorded, with the store’s error beside the claim', async () => {
    const { called, last } = setUp({ store: failing(2) }, () => 'done');
    await called();
    expect(last()).toMatchObject({ type: 'completion-lost', attempts: 1, fence: 1, storeError: { message: 'down' } });
  });

  it('when a failure could not be recorded, with both errors', async () => {
    const { called, last } = setUp({ store: failing(2) }, () => {
      throw new RetryableError('not now');
    });
    await called();
    expect(last()).toMatchObject({
      type: 'outcome-lost',
      error: { message: 'not now' },
      storeError: { message: 'down' },
    });
  });

  it('when a handler failed after its effect', async () => {
    const { called, events } = setUp(marked, async (claim) => {
      await claim.effect(() => 'refunded');
      throw new Error('the metrics could not be flushed');
    });
    await called();
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'failed-after-effect',
        error: expect.objectContaining({ message: 'the metrics could not be flushed' }),
      }),
    );
  });

  it('when a result was not kept, unless that was wished for', async () => {
    const big = setUp({ recordResult: true, maxResultBytes: 10 }, () => 'more than ten bytes');
    await big.called();
    expect(big.events).toContainEqual(expect.objectContaining({ type: 'result-not-recorded', reason: 'too-large' }));
    const unwanted = setUp({ recordResult: false }, () => 'done');
    await unwanted.called();
    expect(unwanted.events.map(({ type }) => type)).toEqual(['granted', 'completed']);
  });

  it('when too little time was left, and how much that was', async () => {
    const { call, events } = setUp({ marginMs: 1000 }, () => 'done');
    await expect(call('p-1', { remainingMs: () => 1500 })).resolves.toMatchObject({ result: 'done' });
    await expect(call('p-2', { remainingMs: () => 600 })).rejects.toThrow('nothing was started: only -400 ms are left');
    const about = { id: 'refund#p-2', remainingMs: -400 };
    expect(events).toContainEqual(expect.objectContaining({ type: 'not-started', ...about }));
  });

  it('when a claim is parked, and when it is asked for once more', async () => {
    const { called, events } = setUp({}, () => {
      throw new Error('socket hang up');
    });
    await called();
    await called();
    expect(events.map(({ type }) => type)).toEqual(['granted', 'parked', 'still-parked']);
  });

  it('and a classifier that fails, or is not there, has said nothing', async () => {
    const fails = () => {
      throw new Error('socket hang up');
    };
    for (const classify of [fails, undefined]) {
      const { called, last } = setUp(classify ? { classify } : {}, fails);
      await called();
      expect(last()).toMatchObject({ type: 'parked', error: { message: 'socket hang up' } });
    }
  });
});

describe('a key that identifies nothing', () => {
  it.each([
    [undefined, 'missing-key', /missing/],
    ['', 'missing-key', /empty/],
    [0.5, 'invalid-key', /the key is 0\.5/],
    [{}, 'invalid-key', /of type object/],
    ['\ud800', 'invalid-key', /of type string/],
  ])('%j is refused as %s', (value, problem, message) => {
    const refused = () => identify('send-email', value, nodeHost);
    expect(refused).toThrow(InvalidMessageError);
    expect(refused).toThrow(expect.objectContaining({ problem, message: expect.stringMatching(message) }));
  });
});

it('nobody waits for a key that an async function answers: it is refused, and its own error is not left unhandled', async () => {
  const key = Promise.reject(new Error('no such order'));
  expect(() => identify('send-email', key, nodeHost)).toThrow('the key is a promise; expected');
  await new Promise((resolve) => setImmediate(resolve));
});

it('a claim that lasts as long as its invocation is written twice, however long its handler takes', async () => {
  const memory = memoryStore();
  let writes = 0;
  const store: ClaimStore = {
    read: memory.read,
    write(write) {
      writes++;
      return memory.write(write);
    },
  };
  const { call, host } = setUp({ store }, () => new Promise((resolve) => host.after(800_000, () => resolve('done'))));
  const answer = call('p-1', { remainingMs: () => 900_000 });
  await host.advance(800_000);
  expect(await answer).toMatchObject({ result: 'done' });
  expect(writes).toBe(2);
});

describe('a recorded result', () => {
  it('is kept up to the limit, and what is left of it says why', () => {
    expect(completion('12345678', 10, true)).toEqual({ status: 'completed', result: '"12345678"' });
    expect(completion('123456789', 10, true)).toEqual({ status: 'completed', resultOmitted: 'too-large' });
    expect(completion('12345678', 10, false)).toEqual({ status: 'completed', resultOmitted: 'by-choice' });
    expect(completion(1n, 10, true)).toEqual({ status: 'completed', resultOmitted: 'not-serialisable' });
    expect(completion(() => 1, 10, true)).toEqual({ status: 'completed', resultOmitted: 'not-serialisable' });
    expect(completion(undefined, 10, true)).toEqual({ status: 'completed' });
  });
});
