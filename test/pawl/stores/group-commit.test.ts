import { describe, expect, it } from 'vitest';
import { isAboutContents, isHopeless, isThrottled } from '../../../lib/pawl/stores/dynamodb/errors.ts';
import { groupCommit, type Part, type Standing } from '../../../lib/pawl/stores/group-commit.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const errors = { isAboutContents, isHopeless, isThrottled };

/** A server that answers a request when it is told to. */
function setUp(most = 3) {
  const host = virtualHost();
  const requests: {
    readonly inputs: readonly string[];
    answer(parts?: readonly Part<string>[]): void;
    fail(error: Error): void;
  }[] = [];
  const ask = groupCommit<string, string>(
    host,
    most,
    (inputs) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Part<string>[]>();
      const served = inputs.map((input) => ({ value: `${input}!` }));
      requests.push({ inputs, answer: (parts = served) => resolve(parts), fail: reject });
      return promise;
    },
    errors,
  );
  const sent = () => requests.map(({ inputs }) => inputs);
  const turn = () => host.advance(0);
  return { host, requests, ask: (input: string, id = input) => ask(id, input), sent, turn };
}

describe('group commit', () => {
  it('sends at once what comes while nothing is under way, and together what comes in one turn', async () => {
    const { ask, sent, requests, turn } = setUp();
    const answers = Promise.all([ask('a'), ask('b')]);
    await turn();
    expect(sent()).toEqual([['a', 'b']]);
    requests[0]?.answer();
    expect(await answers).toEqual(['a!', 'b!']);
  });

  it('keeps what comes while a request is under way for the next one, in order', async () => {
    const { ask, sent, requests, turn } = setUp();
    void ask('a');
    await turn();
    void ask('b');
    await turn();
    void ask('c');
    await turn();
    expect(sent()).toEqual([['a']]);
    requests[0]?.answer();
    await turn();
    expect(sent()).toEqual([['a'], ['b', 'c']]);
  });

  it('sends a full request at once, whatever is under way', async () => {
    const { ask, sent, turn } = setUp(2);
    for (const input of ['a', 'b', 'c', 'd', 'e']) void ask(input);
    await turn();
    expect(sent()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('waits no longer than 250 ms for a request that hangs', async () => {
    const { ask, sent, host, turn } = setUp();
    void ask('a');
    await turn();
    void ask('b');
    await host.advance(249);
    expect(sent()).toEqual([['a']]);
    await host.advance(1);
    expect(sent()).toEqual([['a'], ['b']]);
  });

  it('never has the same id twice in a request, and keeps their order', async () => {
    const { ask, sent, requests, turn } = setUp();
    void ask('first', 'id');
    void ask('second', 'id');
    void ask('other');
    await turn();
    expect(sent()).toEqual([['first', 'other']]);
    requests[0]?.answer();
    await turn();
    expect(sent()).toEqual([['first', 'other'], ['second']]);
  });

  it('asks again for the part that failed, and only for that; after four tries its error is the answer', async () => {
    const { ask, sent, requests, host, turn } = setUp();
    const answers = Promise.allSettled([ask('a'), ask('b')]);
    await turn();
    const error = new Error('throttled');
    requests[0]?.answer([{ value: 'a!' }, { error }]);
    for (const tries of [1, 2, 3]) {
      await host.advance(400);
      expect(sent()).toHaveLength(tries + 1);
      requests[tries]?.answer([{ error }]);
    }
    expect(await answers).toEqual([
      { status: 'fulfilled', value: 'a!' },
      { status: 'rejected', reason: error },
    ]);
    await host.advance(5000);
    expect(sent()).toEqual([['a', 'b'], ['b'], ['b'], ['b']]);
  });

  it('answers everybody in a request that failed as a whole, and goes on', async () => {
    const { ask, requests, turn } = setUp();
    const both = Promise.allSettled([ask('a'), ask('b')]);
    await turn();
    const next = ask('c');
    const reason = new Error('no network');
    requests[0]?.fail(reason);
    expect(await both).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    await turn();
    requests[1]?.answer();
    expect(await next).toBe('c!');
  });

  describe('a request that is refused', () => {
    const named = (name: string) => Object.assign(new Error(name), { name });

    /** Serves parts of which some are refused for what they hold, as a whole request. Counts the requests. */
    function refusing(isBad: (input: string) => boolean, error: Error) {
      const host = virtualHost();
      const sent: string[][] = [];
      const ask = groupCommit<string, string>(
        host,
        25,
        async (inputs) => {
          sent.push([...inputs]);
          if (inputs.some(isBad)) throw error;
          return inputs.map((input) => ({ value: `${input}!` }));
        },
        errors,
      );
      const asked = (inputs: readonly string[]) => Promise.allSettled(inputs.map((input) => ask(input, input)));
      return { host, sent, asked };
    }

    const inputs = Array.from({ length: 25 }, (_, index) => `part-${index}`);

    it.each(['ValidationException', 'SerializationException', 'RequestEntityTooLarge'])(
      'for what it holds (%s) is refused to the parts that hold it, and to no neighbour, whichever they are',
      async (name) => {
        for (const bad of [['part-0'], ['part-24'], ['part-7', 'part-8'], ['part-3', 'part-20'], inputs]) {
          const { host, asked, sent } = refusing((input) => bad.includes(input), named(name));
          const came = asked(inputs);
          await host.advance(10);
          const refused = (await came).flatMap((one, index) => (one.status === 'rejected' ? [`part-${index}`] : []));
          expect(refused).toEqual(bad);
          // Halves: never more than two for each part, and few where few are bad.
          expect(sent.length).toBeLessThanOrEqual(Math.min(49, 1 + bad.length * 10));
        }
      },
    );

    it.each([
      'ThrottlingException',
      'ProvisionedThroughputExceededException',
      'AccessDeniedException',
      'ResourceNotFoundException',
      'InternalServerError',
      'TimeoutError',
    ])('for anything else (%s) is not sent again in halves: that would be a storm', async (name) => {
      const { host, asked, sent } = refusing((input) => input === 'part-7', named(name));
      const came = asked(inputs);
      await host.advance(10);
      expect((await came).every(({ status }) => status === 'rejected')).toBe(true);
      expect(sent).toHaveLength(1);
    });
  });

  describe('a database that throttles', () => {
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingError' });

    /** Refuses some parts of each request, or all of it at once. Notes when each was sent, and whether it was by a pace. */
    function throttling(refuses: (input: string, sent: number) => boolean, isWhole = false) {
      const host = virtualHost();
      const begun = host.now();
      const sent: { readonly inputs: readonly string[]; readonly isLimited: boolean; readonly ms: number }[] = [];
      let parts = 0;
      const ask = groupCommit<string, string>(
        host,
        25,
        async (inputs, isLimited) => {
          sent.push({ inputs, isLimited, ms: host.now() - begun });
          const refused = inputs.map((input) => refuses(input, ++parts));
          if (isWhole && refused.some(Boolean)) throw throttled;
          return inputs.map((input, index) => (refused[index] ? { error: throttled } : { value: `${input}!` }));
        },
        errors,
      );
      const askAll = (inputs: readonly string[], standing: Standing) =>
        Promise.allSettled(inputs.map((input) => ask(input, input, standing)));
      return { host, sent, ask, askAll, passed: () => host.now() - begun };
    }

    const named = (count: number, name = 'part') => Array.from({ length: count }, (_, index) => `${name}-${index}`);

    it.each([
      ['a part', false],
      ['a request', true],
    ])('gets %s again as long as its caller waits; then the database’s own error is the answer', async (_, isWhole) => {
      const { host, sent, ask, passed } = throttling(() => true, isWhole);
      let endedMs = Number.NaN;
      const answer = ask('a', 'a', { waitsMs: 20_000 }).catch((error: unknown) => {
        endedMs = passed();
        return error;
      });
      await host.advance(60_000);
      expect(await answer).toBe(throttled);
      expect(endedMs).toBeGreaterThan(10_000);
      expect(endedMs).toBeLessThan(20_000);
      expect(sent.length).toBeGreaterThan(8);
      expect(sent.length).toBeLessThan(20);
    });

    it('gets a part of a caller that says nothing as often as after any other error', async () => {
      const { host, sent, ask } = throttling(() => true);
      const answer = Promise.allSettled([ask('a', 'a')]);
      await host.advance(60_000);
      expect(await answer).toEqual([{ status: 'rejected', reason: throttled }]);
      expect(sent).toHaveLength(4);
    });

    it('by chance now and then, or at one hot key beside others, slows nothing else down', async () => {
      const { host, sent, ask, askAll } = throttling((input, parts) => input === 'hot' || parts % 17 === 0);
      const hot = Promise.allSettled([ask('hot', 'hot', { waitsMs: 30_000 })]);
      for (let round = 0; round < 40; round++) {
        const answers = askAll(named(25, `round-${round}`), { waitsMs: 30_000 });
        await host.advance(1000);
        expect((await answers).every(({ status }) => status === 'fulfilled')).toBe(true);
      }
      expect((await hot)[0]?.status).toBe('rejected');
      expect(sent.filter(({ isLimited }) => isLimited)).toEqual([]);
    });

    it('gets less at a time and less often, until it takes what it gets', async () => {
      const { host, sent, askAll, passed } = throttling(() => passed() < 3000);
      const answers = askAll(named(25), { waitsMs: 60_000 });
      await host.advance(60_000);
      expect((await answers).every(({ status }) => status === 'fulfilled')).toBe(true);
      const early = sent.filter(({ ms }) => ms < 3000).map(({ inputs }) => inputs.length);
      expect(early[0]).toBe(25);
      expect(early.slice(1).every((parts) => parts === 1)).toBe(true);
      // Of a back-off without a pace, each of the parts would have been sent four times by then.
      expect(early.length).toBeLessThan(12);
    });

    it.each([
      ['', 0],
      [', although single parts are still refused by chance', 20],
    ])('gets full requests again, once it has recovered%s', async (_, every) => {
      const { host, sent, askAll, passed } = throttling((_, parts) => passed() < 3000 || parts % every === 0);
      const before = askAll(named(25), { waitsMs: 60_000 });
      await host.advance(60_000);
      await before;
      const after = askAll(named(500, 'after'), { waitsMs: 60_000 });
      await host.advance(60_000);
      await after;
      const last = sent.length;
      void askAll(named(50, 'last'), { waitsMs: 60_000 });
      await host.advance(0);
      expect(sent.slice(last).map(({ inputs }) => inputs.length)).toEqual([25, 25]);
    });

    it('gets what may not wait first, and nothing that nobody waits for any more', async () => {
      const { host, sent, ask, askAll, passed } = throttling(() => passed() < 1000);
      const first = askAll(named(20), { waitsMs: 60_000, mayWait: true });
      await host.advance(100);
      const gone = Promise.allSettled([ask('gone', 'gone', { waitsMs: 50, mayWait: true })]);
      const outcome = ask('outcome', 'outcome', { waitsMs: 60_000 });
      await host.advance(60_000);
      expect(await outcome).toBe('outcome!');
      await first;
      const taken = sent.filter(({ ms }) => ms > 100).flatMap(({ inputs }) => inputs);
      expect(taken[0]).toBe('outcome');
      expect(taken).not.toContain('gone');
      expect(await gone).toEqual([{ status: 'rejected', reason: throttled }]);
    });
  });
});
