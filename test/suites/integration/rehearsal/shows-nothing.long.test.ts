import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { OptionError } from '../../../../lib/pawl/index.ts';
import type { App } from '../../../../lib/rehearsal/index.ts';
import { httpProvider, mailer, times } from '../../../../lib/rehearsal/index.ts';
import { hintsOf, rehearsed } from '../../../support/rehearsed.ts';

/** A verdict that is good because nothing happened is the worst that a rehearsal could give. */

const alwaysFails = 'fails.mjs';
const send = (intents: number) => (app: App) =>
  times(intents, (n) => app.queue('Orders').send({ orderId: `order-${n}` }, { intent: `order-${n}` }));

describe('a rehearsal that shows nothing is not good', () => {
  test('if its traffic sends nothing', async () => {
    const result = await rehearsed({ code: 'plain.mjs' }, {}, { traffic: () => undefined });
    expect(result).toMatchObject({ good: false, harmed: [], empty: ['The traffic has sent nothing.'] });
  });

  test('if no intent is to have an effect', async () => {
    const traffic = ({ queue }: App) => queue('Orders').send({ orderId: 'a' }, { intent: 'a', effects: [] });
    const result = await rehearsed({ code: 'nothing.mjs' }, {}, { traffic });
    expect(result).toMatchObject({ good: false, empty: ['No intent of the traffic is to have an effect.'] });
  });

  test('if each message is set aside, since the function never works', async () => {
    const result = await rehearsed({ code: alwaysFails, maxReceiveCount: 1, visibility: 3 }, {}, { intents: 3 });
    expect(result.effects).toMatchObject([{ done: 0, lost: [], doubled: [] }]);
    expect(result.effects[0]?.setAside).toHaveLength(3);
    expect(result).toMatchObject({ good: false, empty: [expect.stringContaining('Of 3 intents')] });
  });

  test('if its traffic never settles: it ends with a sentence', async () => {
    const traffic = () => new Promise(() => undefined);
    const run = rehearsed({ code: 'plain.mjs' }, {}, { traffic, settleSeconds: 1 });
    await expect(run).rejects.toThrow(/^traffic: expected a promise that settles; nothing has happened for 1 s/);
  });

  test('but a traffic that waits for a slow function is not hanging', async () => {
    const traffic = (app: App) =>
      app.function('SendMail').invoke({ Records: [{ body: '{"orderId":"a"}' }] }, { intent: 'a' });
    const result = await rehearsed({ code: 'slow.mjs', timeout: 6 }, {}, { traffic, settleSeconds: 1 });
    expect(result).toMatchObject({ good: true, effects: [{ done: 1 }] });
  });

  test('if an effect that is expected at most once has never happened', async () => {
    const expected = { email: () => 'at-most-once' as const };
    const result = await rehearsed({ code: 'nothing.mjs' }, {}, { intents: 3, expect: expected });
    expect(result).toMatchObject({ good: false, effects: [{ done: 3, absent: 3 }] });
    const some = await rehearsed({ code: 'plain.mjs' }, {}, { intents: 3, expect: expected });
    expect(some).toMatchObject({ good: true, effects: [{ done: 3, absent: 0 }] });
  });
});

test('messages of a queue without dead letters, whose function always fails, are not waited for to the end', async () => {
  const begun = Date.now();
  const result = await rehearsed(
    { code: alwaysFails, deadLetters: false, visibility: 3 },
    {},
    { intents: 3, settleSeconds: 300 },
  );
  expect(result).toMatchObject({ good: false, effects: [{ lost: [] }] });
  expect(result.effects[0]?.unfinished).toHaveLength(3);
  expect(Date.now() - begun).toBeLessThan(120_000);
  expect(result.gaveUp).toMatch(
    /^SendMail failed \d+ times in a row: 3 messages of Orders\/Queue left, which has no dead-letter/,
  );
});

test('what a stream still has to deliver is unfinished, and not lost', async () => {
  const traffic = ({ table }: App) =>
    times(3, (n) => table('Sent').put({ id: `order-${n}` }, { intent: `order-${n}` }));
  const result = await rehearsed({ code: alwaysFails, stream: true }, {}, { traffic, settleSeconds: 2 });
  expect(result.effects).toMatchObject([{ lost: [], unfinished: ['order-1', 'order-2', 'order-3'] }]);
});

test('a message that no filter matches is lost, and one that waits at a disabled mapping is unfinished: each hint says so', async () => {
  const filters = [{ body: { kind: ['order'] } }];
  const filtered = await rehearsed({ code: 'plain.mjs', filters }, {}, { intents: 3 });
  expect(filtered).toMatchObject({ good: false, effects: [{ done: 0 }] });
  expect(filtered.effects[0]?.lost).toHaveLength(3);
  expect(filtered.harmed[0]?.story.join('\n')).toContain('no filter of SendMail/FromOrders matches the message');
  expect(hintsOf(filtered)).toEqual(['filtered-out']);
  const disabled = await rehearsed({ code: 'plain.mjs', enabled: false }, {}, { intents: 3, settleSeconds: 1 });
  expect(disabled.effects[0]?.unfinished).toHaveLength(3);
  expect(hintsOf(disabled)).toEqual(['mapping-disabled']);
});

test('an effect that is counted under a name that the traffic has not is doubled, and its story says why', async () => {
  const traffic = ({ queue }: App) => queue('Orders').send({ orderId: 'a' }, { intent: 'order-a' });
  const { effects, harmed } = await rehearsed({ code: 'plain.mjs' }, {}, { traffic });
  expect(effects).toMatchObject([{ doubled: ['a'], lost: ['order-a'] }]);
  expect(harmed[0]?.story.at(-1)).toContain('the traffic has no intent of this name');
  expect(harmed[1]?.story.at(-1)).not.toContain('the traffic has no intent of this name');
});

test('an effect that no other name has is refused at each kind of send, also if the author forgets the promise', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const forgotten: Record<string, (app: App) => unknown> = {
    send: ({ queue }) => queue('Orders').send({}, { intent: 'a', effects: ['emial'] }),
    put: ({ table }) => table('Sent').put({ id: 'a' }, { intent: 'a', effects: ['emial'] }),
    invoke: (app) => app.function('SendMail').invoke({ Records: [] }, { intent: 'a', effects: ['emial'] }),
  };
  for (const call of Object.values(forgotten)) {
    const traffic = (app: App) => void call(app);
    await expect(rehearsed({ code: 'plain.mjs' }, {}, { traffic })).rejects.toThrow(OptionError);
  }
  const traffic = ({ announce }: App) => announce({ intent: 'a', effects: ['emial'] });
  await expect(rehearsed({ code: 'plain.mjs' }, {}, { traffic })).rejects.toThrow(
    "there is no effect 'emial'; there are email",
  );
  expect(unhandled).not.toHaveBeenCalled();
});

test('a send that waits first is waited for, and a function that dies at an invocation does not end the rehearsal', async () => {
  const late = await rehearsed(
    { code: 'plain.mjs' },
    {},
    {
      traffic: ({ queue }) =>
        times(3, async (n) => {
          await sleep((n - 1) * 2_000);
          await queue('Orders').send({ orderId: `order-${n}` }, { intent: `order-${n}` });
        }),
    },
  );
  expect(late).toMatchObject({ good: true, effects: [{ intents: 3, done: 3 }] });

  const event = (n: number) => ({
    Records: [{ messageId: `m-${n}`, body: JSON.stringify({ orderId: `order-${n}` }) }],
  });
  const killed = await rehearsed(
    { code: 'plain.mjs' },
    { kill: 1 },
    {
      traffic: (app) => times(6, (n) => app.function('SendMail').invoke(event(n), { intent: `order-${n}` })),
    },
  );
  expect(killed.faults.kill).toBeGreaterThan(0);
  expect(killed.effects).toMatchObject([{ intents: 6, lost: [] }]);
});

test('a provider of the file that throws ends the rehearsal: the verdict would be about the file', async () => {
  const broken = httpProvider({ intent: ({ body }) => body.order.id });
  const file = { providers: { MAILER_URL: broken }, effects: { email: broken } };
  await expect(rehearsed({ code: 'plain.mjs' }, {}, { ...file, intents: 2 })).rejects.toThrow(
    'The provider MAILER_URL of the rehearsal file throws TypeError',
  );
});

test('a provider that no function has called is a hint, and one that was called for some intents is none', async () => {
  const never = await rehearsed({ code: 'nothing.mjs' }, {}, { intents: 3 });
  expect(never).toMatchObject({ good: false, effects: [{ done: 0, lost: ['order-1', 'order-2', 'order-3'] }] });
  expect(never.hints).toMatchObject([
    {
      name: 'provider-never-called',
      text: expect.stringContaining('No function has called MAILER_URL, which counts the effect email.'),
      intents: ['order-1', 'order-2', 'order-3'],
    },
  ]);
  const some = await rehearsed({ code: 'some.mjs', batchSize: 1 }, {}, { intents: 3 });
  expect(some).toMatchObject({ good: false, effects: [{ done: 1, lost: ['order-1', 'order-3'] }] });
  expect(hintsOf(some)).toEqual([]);
  const asked = await rehearsed({ code: 'asks.mjs' }, {}, { intents: 3 });
  expect(asked.effects).toMatchObject([{ done: 0 }]);
  expect(hintsOf(asked)).not.toContain('provider-never-called');
});

test('under a filter, an effect that has not happened at all is named as not judged', async () => {
  const [mail, receipts] = [mailer('orderId'), mailer('orderId')];
  const both = { providers: { MAILER_URL: mail, RECEIPTS_URL: receipts }, effects: { email: mail, receipt: receipts } };
  const all = await rehearsed({ code: 'plain.mjs' }, {}, { ...both, intents: 3 });
  expect(all.effects).toMatchObject([{ done: 3 }, { lost: ['order-1', 'order-2', 'order-3'] }]);
  expect(all.notJudged).toEqual([]);
  const one = await rehearsed({ code: 'plain.mjs' }, {}, { ...both, traffic: send(3), filter: 'SendMail' });
  expect(one).toMatchObject({ good: true, effects: [{ effect: 'email', done: 3 }], notJudged: ['receipt'] });
});
