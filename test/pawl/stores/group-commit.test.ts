import { describe, expect, it } from 'vitest';
import { isAboutContents, isHopeless } from '../../../lib/pawl/stores/dynamodb/errors.ts';
import { groupCommit, type Part } from '../../../lib/pawl/stores/group-commit.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const errors = { isAboutContents, isHopeless };

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
});
