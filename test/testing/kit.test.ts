import { expect, it } from 'vitest';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { InvocationContext, SqsEvent } from '../../lib/pawl/sqs/index.ts';
import {
  assertSurvivesCrashes,
  type CrashSweepOptions,
  type CrashSweepReport,
  crashSweep,
  type EffectCount,
  type Expected,
  type FaultAt,
  type SweptMessage,
  type World,
} from '../../lib/testing/index.ts';
import { forgetfulProvider, order, orderIdOf, orders } from './providers.ts';

/** What a handler did, by everything that it said. */
function diary() {
  const lines: string[] = [];
  return { ...forgetfulProvider(), lines };
}

type Diary = ReturnType<typeof diary>;
type Handle = (world: World, diary: Diary) => (event: SqsEvent, context: InvocationContext) => Promise<unknown>;

/** Replays these faults on a handler; answers what was found, and the diary of the run. */
async function replay(
  handler: Handle,
  faults: readonly FaultAt[],
  options: Partial<CrashSweepOptions<Diary>> = {},
): Promise<{ report: CrashSweepReport; lines: readonly string[] }> {
  let written = diary();
  const report = await crashSweep<Diary>({
    messages: order,
    provider: () => {
      written = diary();
      return written;
    },
    handler,
    effects: (provider, message) => provider.count(message),
    replay: faults,
    ...options,
  });
  return { report, lines: written.lines };
}

/** Awaits twice, and says so. */
const twice: Handle = (world, { lines, send }) => {
  lines.push('cold start');
  return async ({ Records }) => {
    lines.push(`begins with ${Records.length}`);
    try {
      await world.io('first', () => send('o-1'));
      lines.push('between');
      await world.io('second', () => undefined);
      lines.push('ends');
    } catch (error) {
      lines.push(String(error));
      throw error;
    } finally {
      lines.push('cleans up');
    }
  };
};

it('numbers the await boundaries, and ends with the return', async () => {
  const { report } = await replay(twice, []);
  expect(report.boundaries).toEqual(['first', 'second', 'return']);
  expect(report.fates).toEqual({ acknowledged: 1, parked: 0, deadLettered: 0, stuck: 0 });
});

it('lets nothing of a killed worker run again, and starts the next one cold', async () => {
  const cold = ['cold start', 'begins with 1'];
  const whole = [...cold, 'between', 'ends', 'cleans up'];
  const before = await replay(twice, [{ at: 1, fault: 'kill-before' }]);
  expect(before.lines).toEqual([...cold, ...whole]);
  expect(before.report.doubled).toEqual([]);
  const after = await replay(twice, [{ at: 1, fault: 'kill-after' }]);
  expect(after.lines).toEqual([...cold, ...whole]);
  expect(after.report.doubled).toMatchObject([{ message: 1, fate: 'acknowledged', effects: { effect: 2 } }]);
  const unanswered = await replay(twice, [{ at: 3, fault: 'kill-before' }]);
  expect(unanswered.lines).toEqual([...whole, ...whole]);
});

it('throws at an await, with or without having done it; the next invocation is a warm one', async () => {
  const failed = ['cold start', 'begins with 1', 'TimeoutError: first: socket hang up', 'cleans up'];
  const whole = ['begins with 1', 'between', 'ends', 'cleans up'];
  const threw = await replay(twice, [{ at: 1, fault: 'throw' }]);
  expect(threw.lines).toEqual([...failed, ...whole]);
  expect(threw.report.doubled).toEqual([]);
  const lost = await replay(twice, [{ at: 1, fault: 'lose-answer' }]);
  expect(lost.lines).toEqual([...failed, ...whole]);
  expect(lost.report.doubled).toHaveLength(1);
  const custom = await replay(twice, [{ at: 1, fault: 'throw' }], { error: (name) => new RangeError(name) });
  expect(custom.lines).toContain('RangeError: first');
});

it('never answers a call that hangs: the function times out, and the message comes when its visibility ends', async () => {
  const { report, lines } = await replay(twice, [{ at: 1, fault: 'hang' }]);
  expect(lines.filter((line) => line === 'cold start')).toHaveLength(2);
  const [finding] = report.doubled;
  expect(finding?.story).toEqual([
    '      0 ms  worker 1 receives message 1, for the first time',
    '      0 ms  worker 1 #1 first: it is applied, and no response comes',
    '    30.0 s  worker 1 is killed by its time-out',
    '   180.0 s  worker 2 receives message 1, for the second time',
    '   180.0 s  worker 2 #2 first',
    '   180.0 s  worker 2 #3 second',
    '   180.1 s  worker 2 #4 return',
    '       end  message 1: acknowledged; effect × 2',
  ]);
});

it('ends a worker whose promise is rejected and handled by nobody, as Lambda does', async () => {
  const careless: Handle = (world, { lines, send }) => {
    lines.push('cold start');
    return async () => {
      void (async () => world.io('first', () => send('o-1')))();
      await world.io('second', () => undefined);
      await world.io('third', () => undefined);
    };
  };
  const { report, lines } = await replay(careless, [{ at: 1, fault: 'throw' }]);
  expect(lines).toEqual(['cold start', 'cold start']);
  expect(report.lost).toEqual([]);
});

it('ends the worker whose promise it was, and no other that runs beside it', async () => {
  const careless: Handle =
    (world) =>
    async ({ Records: [record] }) => {
      const isFirst = record?.body.includes('o-1') && record.attributes.ApproximateReceiveCount === '1';
      if (isFirst) void world.io('unawaited', () => Promise.reject(new Error('no')), { takesMs: 60 });
      await world.io('first', () => undefined, { takesMs: 100 });
    };
  const { report } = await replay(careless, [], { messages: orders, batchSize: 1, effects: () => 7 });
  const dead = report.findings[0]?.story.filter((line) => line.includes('dies of'));
  expect(dead).toEqual(['     60 ms  worker 1 dies of an unhandled rejection: Error: no']);
});

it('moves a message that always fails to the dead-letter queue, after its receives', async () => {
  const failing: Handle =
    (world, { lines }) =>
    async () => {
      lines.push('fails');
      await world.io('first', () => {
        throw new Error('no');
      });
    };
  const { report, lines } = await replay(failing, [], { maxReceiveCount: 3 });
  expect(lines).toHaveLength(3);
  expect(report.fates).toMatchObject({ deadLettered: 1 });
  expect(report.lost).toEqual([]);
});

it('delivers a group in order, and nothing of it past a message that is under way', async () => {
  const seen: Handle =
    (world, { lines, send }) =>
    async ({ Records }) => {
      for (const { body } of Records) {
        const { orderId } = JSON.parse(body);
        lines.push(orderId);
        await world.io('first', () => send(orderId));
      }
    };
  const messages = [...orders, { body: { orderId: 'o-3' } }].map((message, index) => ({
    ...message,
    messageGroupId: index === 2 ? 'other' : 'one',
  }));
  const { lines } = await replay(seen, [{ at: 1, fault: 'kill-before' }], { messages, batchSize: 1 });
  expect(lines).toEqual(['o-1', 'o-3', 'o-1', 'o-2']);
});

it('sweeps singles and then pairs, says how far it is, and counts what it leaves out', async () => {
  const progress: string[] = [];
  const options: CrashSweepOptions<Diary> = {
    messages: order,
    provider: diary,
    handler: twice,
    effects: (provider, message) => provider.count(message),
    onProgress: ({ runs, of }) => progress.push(`${runs}/${of}`),
  };
  const all = await crashSweep(options);
  // 1 without faults, 2 × 6 + 1 single ones, and the pairs behind those of them that did no harm.
  expect(progress.slice(0, 2)).toEqual(['1/1', '2/14']);
  expect(progress.at(-1)).toBe(`${all.runs}/${all.runs}`);
  expect(all.skipped).toBe(0);
  const some = await crashSweep({ ...options, max: 20 });
  expect([some.runs, some.skipped]).toEqual([20, all.runs - 20]);
});

it('tells the same story again when a finding is replayed', async () => {
  const sweep = {
    messages: order,
    provider: diary,
    handler: twice,
    effects: (provider: Diary) => provider.count({ body: { orderId: 'o-1' } }),
  };
  const report = await crashSweep(sweep);
  const pair = report.doubled.find(({ faults }) => faults.length === 2);
  const again = await crashSweep({ ...sweep, replay: pair?.faults ?? [] });
  expect(again.runs).toBe(1);
  expect(again.doubled).toEqual([pair]);
});

it('throws with the story of the simplest finding', async () => {
  const sweep = {
    messages: order,
    provider: diary,
    handler: twice,
    effects: (provider: Diary) => provider.count({ body: { orderId: 'o-1' } }),
  };
  await expect(assertSurvivesCrashes(sweep)).rejects.toThrow(
    /^\d+ doubled, in \d+ runs over 3 await boundaries, delivered together\.\n[\s\S]*message 1 is doubled, delivered together: at #1 it is applied, and the worker is killed\. replay: \{"delivery":"together","faults":\[\{"at":1,"fault":"kill-after"\}\]\}\n +0 ms {2}worker 1 receives/,
  );
});

it('refuses to pass where it could not see anything', async () => {
  const silent = (handler: Handle, count = (_: Diary) => 0) =>
    crashSweep({ messages: order, provider: diary, handler, effects: count });
  const { deadLettered } = await silent(() => async () => Promise.reject(new Error('broken')));
  expect(deadLettered).toMatchObject([{ message: 1, faults: [] }, {}, {}, {}, {}, {}]);
  const unseen: Handle =
    (_, { send }) =>
    async () =>
      send('o-1');
  await expect(silent(unseen, (provider) => provider.count({ body: { orderId: 'o-1' } }))).rejects.toThrow(
    'no call to the provider was seen',
  );
  const options = { messages: order, provider: diary, handler: twice, effects: () => 1 };
  await expect(crashSweep({ ...options, messages: [] })).rejects.toThrow('messages: expected a list of at least one');
  await expect(crashSweep({ ...options, visibilityTimeoutMs: 1000 })).rejects.toThrow('visibilityTimeoutMs');
});

it('hands on what the test itself did wrong', async () => {
  const options = { messages: order, provider: diary, handler: twice, effects: () => 1 };
  const broken = () => {
    throw new Error('the set-up is wrong');
  };
  await expect(crashSweep({ ...options, handler: broken })).rejects.toThrow('the set-up is wrong');
  await expect(crashSweep({ ...options, provider: broken as never })).rejects.toThrow('the set-up is wrong');
  await expect(crashSweep({ ...options, effects: broken })).rejects.toThrow('the set-up is wrong');
});

it('wraps every method of a client, and reads its fields', async () => {
  class Client {
    readonly #sent: string[] = [];
    readonly region = 'here';
    async send(id: string): Promise<string> {
      this.#sent.push(id);
      return `${id} of ${this.#sent.length}`;
    }
  }
  let answer: unknown;
  const report = await crashSweep({
    messages: order,
    provider: () => ({ client: new Client(), sent: 0 }),
    handler: (world, provider) => {
      const client = world.wrap('mailer', provider.client);
      return async () => {
        answer = [client.region, await client.send('o-1')];
        provider.sent++;
      };
    },
    effects: ({ sent }) => sent,
    replay: [],
  });
  expect(answer).toEqual(['here', 'o-1 of 1']);
  expect(report.boundaries).toEqual(['mailer.send', 'return']);
});

it('counts each effect of a message by its name', async () => {
  const { report } = await replay(twice, [{ at: 1, fault: 'kill-after' }], {
    messages: orders,
    effects: (provider, message) => ({ mail: provider.count(message), of: orderIdOf(message) === 'o-1' ? 1 : 0 }),
  });
  expect(report.doubled).toMatchObject([{ message: 1, effects: { mail: 2, of: 1 } }]);
  expect(report.lost).toMatchObject([{ message: 2, effects: { mail: 0, of: 0 } }]);
});

it('a client that sends again by itself is swept for that: what does not honour its key doubles', async () => {
  const swept = (resends: boolean) =>
    crashSweep<Diary>({
      messages: order,
      provider: diary,
      handler: (world, { send }) => once(world, send, resends),
      effects: (provider, message) => provider.count(message),
    });
  const once = (world: World, send: Diary['send'], resends: boolean) => {
    return async ({ Records }: SqsEvent) => {
      for (const record of Records) await world.io('send', () => send(JSON.parse(record.body).orderId), { resends });
    };
  };
  const faultsOf = ({ doubled }: CrashSweepReport) =>
    new Set(doubled.flatMap(({ faults }) => faults.map(({ fault }) => fault)));
  expect(faultsOf(await swept(true))).toContain('resend');
  expect(faultsOf(await swept(false))).not.toContain('resend');
});

it('applies a request late that the worker gave up, also when nothing else is left to do', async () => {
  const { report } = await replay(twice, [{ at: 1, fault: 'apply-late' }], { lateMs: 400_000 });
  expect(report.doubled[0]?.story.slice(-3)).toEqual([
    '   180.1 s  worker 1 #5 return',
    '   400.0 s  worker 1 first: the late request is applied',
    '       end  message 1: acknowledged; effect × 2',
  ]);
});

it('applies an earlier try of a call again, late, where the client sends again by itself', async () => {
  const handler: Handle =
    (world, { send }) =>
    async () => {
      await world.io('send', () => send('o-1'), { resends: true });
    };
  const { report } = await replay(handler, [{ at: 1, fault: 'apply-again' }]);
  expect(report.doubled[0]?.story).toContainEqual('   1520 ms  worker 1 send: the late request is applied');
});

it.each([
  Number.NaN,
  -1,
  0.5,
  Number.POSITIVE_INFINITY,
  {},
  { mail: Number.NaN },
  { mail: '1' },
  undefined,
  null,
  '1',
  Promise.resolve(1),
])('refuses effects that are no counts: %j', async (counted) => {
  const options = { messages: order, provider: diary, handler: twice };
  await expect(crashSweep({ ...options, effects: () => counted as never })).rejects.toThrow(
    /^effects: expected a whole number.*for the message \{"orderId":"o-1"\}$/,
  );
  if (typeof counted !== 'object' || counted === null) {
    await expect(
      crashSweep({
        ...options,
        effects: () => 1,
        expected: () => (counted === undefined ? Number.NaN : counted) as never,
      }),
    ).rejects.toThrow('expected: expected');
  }
});

it('holds a message to the effects that are expected of it', async () => {
  const messages = orders.slice(0, 1);
  const problems = async (effects: EffectCount, expected: Expected) => {
    const { report } = await replay(twice, [], { messages, effects: () => effects, expected: () => expected });
    return report.findings.map(({ problem }) => problem);
  };
  expect(await problems(0, 0)).toEqual([]);
  expect(await problems(1, 0)).toEqual(['doubled']);
  expect(await problems(3, 3)).toEqual([]);
  expect(await problems(2, 3)).toEqual(['lost']);
  expect(await problems({ mail: 1, points: 0 }, { points: 0 })).toEqual([]);
  expect(await problems({ mail: 1, points: 1 }, { points: 0 })).toEqual(['doubled']);
  expect(await problems({ mail: 1 }, { mail: 1, points: 1 })).toEqual(['lost']);
  // It was acknowledged instead.
  expect(await problems(0, 'dead-letter')).toEqual(['lost']);
});

it('delivers in every way that makes a difference, and replays a finding in its own', async () => {
  const unsafe: Handle =
    (world, { send }) =>
    async ({ Records }) => {
      for (const { body } of Records) await world.io('first', () => send(JSON.parse(body).orderId));
    };
  const options = {
    messages: [...orders, ...order],
    provider: diary,
    handler: unsafe,
    effects: (provider: Diary, message: SweptMessage) => provider.count(message),
    max: 12,
  };
  const { deliveries, findings } = await crashSweep(options);
  expect(deliveries).toEqual(['together', 'apart', 'regrouped', 'in-turn', 'reversed', 'long-wait']);
  const [last] = findings.filter(({ delivery }) => delivery === 'long-wait');
  const again = await crashSweep({ ...options, replay: last ?? [] });
  expect(again.findings[0]?.story).toEqual(last?.story);
  const chosen = await crashSweep({ ...options, deliveries: ['apart'] });
  expect(chosen.deliveries).toEqual(['apart']);
  const alone = await crashSweep({ ...options, messages: order });
  expect(alone.deliveries).toEqual(['together']);
  const fifo = options.messages.map((message) => ({ ...message, messageGroupId: 'one' }));
  expect((await crashSweep({ ...options, messages: fifo })).deliveries).not.toContain('reversed');
  await expect(crashSweep({ ...options, deliveries: ['backwards' as never] })).rejects.toThrow('deliveries: expected');
});

it('forgets a claim when it has expired, as a table with a time to live does', async () => {
  let seen: unknown;
  const claims: Handle =
    ({ options: { store, host }, io }, { send }) =>
    async () => {
      await io('first', () => send('o-1'));
      const next = { id: 'a', claimId: 'c', expiresAt: Math.floor(host.now() / 1000) + 60 } as ClaimRecord;
      await store.write({ next, seen: undefined });
      await new Promise((resolve) => setTimeout(resolve, 50_000));
      const before = await store.read('a');
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      const late = await store.write({ next, seen: before });
      seen = [
        before?.id,
        await store.read('a'),
        late,
        await store.write({ next: { ...next, claimId: 'd' }, seen: undefined }),
      ];
    };
  await replay(claims, [], { functionTimeoutMs: 300_000 });
  expect(seen).toEqual(['a', undefined, { applied: false, found: undefined }, { applied: true }]);
});
