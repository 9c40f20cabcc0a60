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
  return {
    host,
    requests,
    ask: (input: string, id = input, standing?: Standing) => ask(id, input, standing),
    sent,
    turn,
  };
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

    it.each(['AccessDeniedException', 'ResourceNotFoundException', 'InternalServerError', 'TimeoutError'])(
      'for anything else (%s) is not sent again in halves: that would be a storm',
      async (name) => {
        const { host, asked, sent } = refusing((input) => input === 'part-7', named(name));
        const came = asked(inputs);
        await host.advance(10);
        expect((await came).every(({ status }) => status === 'rejected')).toBe(true);
        expect(sent).toHaveLength(1);
      },
    );
  });

  describe('a database that throttles', () => {
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingError' });
    const refused: Part<string> = { error: throttled };

    it('sends what was refused again, apart and in smaller requests, until it is taken', async () => {
      const { ask, sent, requests, host, turn } = setUp(4);
      const answers = Promise.all(['a', 'b', 'c', 'd'].map((input) => ask(input)));
      await turn();
      requests[0]?.answer([{ value: 'a!' }, refused, refused, refused]);
      await turn();
      expect(sent()).toHaveLength(1);
      for (let served = 1; sent().flat().length < 7 || served < requests.length; ) {
        await host.advance(500);
        for (; served < requests.length; served++) requests[served]?.answer();
      }
      expect(await answers).toEqual(['a!', 'b!', 'c!', 'd!']);
      expect(sent().slice(1)).toEqual([['b'], ['c'], ['d']]);
    });

    it('is waited for when it refuses a whole request, as long as a part has time; then its error is the answer', async () => {
      const { ask, requests, host, turn } = setUp();
      const answer = Promise.allSettled([ask('a')]);
      for (let request = 0; request < 20; request++) {
        await turn();
        requests[request]?.fail(throttled);
        await host.advance(2000);
      }
      expect(requests.length).toBeGreaterThan(2);
      expect(requests.length).toBeLessThan(8);
      expect(await answer).toEqual([{ status: 'rejected', reason: throttled }]);
    });

    it('gets what is urgent first, and nothing that has lost its sense', async () => {
      const { ask, sent, requests, host, turn } = setUp();
      const first = ask('first');
      await turn();
      requests[0]?.answer([refused]);
      const later = { isUrgent: false, until: host.now() + 60_000 };
      const lost = Promise.allSettled([ask('lost', 'lost', { isUrgent: false, until: host.now() + 100 })]);
      const claim = ask('claim', 'claim', later);
      const outcome = ask('outcome');
      for (let request = 1; request < 4; request++) {
        await host.advance(2000);
        requests[request]?.answer();
      }
      await Promise.all([first, claim, outcome]);
      expect(sent()).toEqual([['first'], ['outcome'], ['first'], ['claim']]);
      expect(await lost).toEqual([{ status: 'rejected', reason: expect.objectContaining({ name: 'NoAnswerError' }) }]);
    });

    it('that has recovered gets full requests again, and nothing waits', async () => {
      const { ask, sent, requests, host, turn } = setUp(2);
      const first = ask('first');
      await turn();
      requests[0]?.answer([refused]);
      let place = 1;
      const serveAll = async () => {
        for (; place < requests.length; place++) requests[place]?.answer();
        await turn();
      };
      const asked = [
        first,
        ...Array.from({ length: 60 }, (_, index) =>
          ask(`part-${index}`, `part-${index}`, { isUrgent: false, until: Number.POSITIVE_INFINITY }),
        ),
      ];
      while (place < 2 || sent().flat().length < 62) {
        await host.advance(500);
        await serveAll();
      }
      await Promise.all(asked);
      const before = sent().length;
      const last = Promise.all(['x', 'y', 'z', 'w'].map((input) => ask(input)));
      await turn();
      expect(sent().slice(before)).toEqual([
        ['x', 'y'],
        ['z', 'w'],
      ]);
      await serveAll();
      expect(await last).toEqual(['x!', 'y!', 'z!', 'w!']);
    });
  });
});
