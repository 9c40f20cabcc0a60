import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningConsole, startConsole } from '../../../lib/cli/console/server.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { openPage } from '../../support/console-client.ts';
import { record } from '../../support/records.ts';

/** What the page can do, over the real server. */

const id = 'pay#order-17';
const maria = { by: 'maria', note: 'asked the bank' };
const checkpoints = JSON.stringify(
  ['charge', 'mail'].map((name) => ({ name, state: 'started', at: Date.now(), fence: 3 })),
);
const parked = record({ id, status: 'parked', fence: 3, open: '03', expiresAt: undefined });

let store: ReturnType<typeof memoryStore>;
let served: RunningConsole;
let post: Awaited<ReturnType<typeof openPage>>['post'];
beforeEach(async () => {
  store = memoryStore();
  const operate = operator({ store, onEvent: () => undefined });
  served = await startConsole({
    desks: new Map([['claims', { operate }]]),
    title: 'claims',
    write: true,
    user: 'maria',
    queues: [],
  });
  ({ post } = await openPage(served));
});
afterEach(() => served.stop());

describe('steps in doubt', () => {
  const steps = { charge: { verdict: 'applied', result: { id: 'ch_1' } }, mail: 'not-applied' };
  beforeEach(() => store.write({ next: { ...parked, checkpoints }, seen: undefined }));
  const resolveSteps = async (asked: object) => {
    const { status, text } = await post('/api/resolve-steps', asked);
    return status === 200 ? JSON.parse(text) : { status, text };
  };

  it('are resolved one by one, each with what it returned', async () => {
    expect(await resolveSteps({ id, fence: 3, steps, ...maria })).toMatchObject({ outcome: 'resolved' });
    const resolved = await store.read(id);
    expect(resolved).toMatchObject({
      status: 'released',
      resolution: { verdict: 'by-step', steps: { charge: 'applied', mail: 'not-applied' }, ...maria },
    });
    expect(JSON.parse(resolved?.checkpoints ?? '')).toMatchObject([
      { name: 'charge', state: 'done', result: '{"id":"ch_1"}' },
      { name: 'mail', state: 'open' },
    ]);
  });

  interface Stays {
    readonly status?: number;
    readonly outcome?: string;
    readonly steps?: readonly string[];
    readonly text?: string | RegExp;
  }
  it.each<[object, Stays]>([
    [{ id, fence: 2, steps, ...maria }, { outcome: 'another-doubt' }],
    [
      { id, fence: 3, steps: { charge: 'retry' }, ...maria },
      { outcome: 'steps-in-doubt', steps: ['charge', 'mail'] },
    ],
    [
      { id, steps, ...maria },
      { status: 400, text: 'fence is missing.' },
    ],
    [
      { id, fence: 3, ...maria },
      { status: 400, text: 'steps is missing.' },
    ],
    [{ id, fence: 3, steps, by: ' ', note: 'n' }, { status: 400 }],
    [
      { id, fence: 3, steps, by: 'maria' },
      { status: 400, text: 'note is missing.' },
    ],
    [
      { id, fence: 3, steps: { ...steps, mail: 'maybe' }, ...maria },
      { status: 400, text: /^verdict: expected/ },
    ],
    [
      { id, fence: 3, steps: { ...steps, mail: { verdict: 'retry', result: 1 } }, ...maria },
      { status: 400, text: /^Only a step that was applied/ },
    ],
  ])('stay as they are for %j', async (asked, { text, ...said }) => {
    const before = await store.read(id);
    const result = await resolveSteps(asked);
    expect(result).toMatchObject(said);
    if (text !== undefined) expect(result.text).toMatch(text);
    expect(await store.read(id)).toEqual(before);
  });
});

it('a claim that was granted since the page showed it stays, with its new doubt', async () => {
  await store.write({ next: parked, seen: undefined });
  const planOf = async (fence: number) => {
    const { text } = await post('/api/plan', { kind: 'resolve', verdict: 'not-applied', claims: [{ id, fence }] });
    return JSON.parse(text);
  };
  expect(await planOf(2)).toMatchObject({ count: 0, items: [{ id, will: 'stay', whyNot: 'another-doubt' }] });
  expect(await planOf(3)).toMatchObject({ count: 1, items: [{ id, will: 'resolve', fence: 3 }] });
});

describe('the plan of a resolution', () => {
  const planned = async (verdict: string) => {
    await store.write({ next: { ...parked, unknownAt: Date.now() - 90_000 }, seen: undefined });
    const young = record({ ...parked, id: 'pay#order-18', unknownAt: Date.now() - 5000 });
    await store.write({ next: young, seen: undefined });
    const claims = ['pay#order-17', 'pay#order-18'].map((one) => ({ id: one, fence: 3 }));
    return { ...JSON.parse((await post('/api/plan', { kind: 'resolve', verdict, claims })).text), young };
  };

  it('says for not-applied how old the youngest doubt is: a request may still be under way', async () => {
    const { count, youngestDoubt, young } = await planned('not-applied');
    expect([count, youngestDoubt]).toEqual([2, young.unknownAt]);
  });

  it.each(['applied', 'retry'])('says nothing of it for %s, which cannot be too early', async (verdict) => {
    expect((await planned(verdict)).youngestDoubt).toBeUndefined();
  });
});
