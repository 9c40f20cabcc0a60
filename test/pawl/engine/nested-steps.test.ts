import { describe, expect, it } from 'vitest';
import { type Claim, memoryStore, once, RetryableError, step } from '../../../lib/pawl/index.ts';
import { type AppWrite, commit, commitStep, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const put = (id: string): AppWrite => ({ Put: { TableName: 'ledger', Item: { id } } });
const retry = { onAbandoned: 'retry' } as const;
const park = { onAbandoned: 'park' } as const;

function setUp() {
  const { store, items } = memoryTransactions(memoryStore());
  const ran: string[] = [];
  const call = (handler: (id: string, claim: Claim) => unknown) =>
    once<string, unknown>(
      { operation: 'pay', store, key: (id) => id, onAbandoned: 'retry', onEvent: () => undefined, host: virtualHost() },
      handler,
    );
  return { store, items, ran, call, record: () => store.read('pay#p-1') };
}

type World = ReturnType<typeof setUp>;

/** What is called inside a step of the same claim. */
const inner: Readonly<Record<string, (world: World, claim: Claim) => unknown>> = {
  step: ({ ran }, claim) => step(claim, 'inner', () => void ran.push('inner'), retry),
  'step under park': ({ ran }, claim) => step(claim, 'inner', () => void ran.push('inner'), park),
  commitStep: (_, claim) => commitStep(claim, 'inner', () => [put('inner')]),
  'claim.effect': ({ ran }, claim) => claim.effect(() => void ran.push('inner')),
  commit: (_, claim) => commit(claim, [put('inner')]),
};

const outer: Readonly<Record<string, (claim: Claim, within: () => unknown) => Promise<unknown>>> = {
  'a step': (claim, within) => step(claim, 'outer', within, retry),
  'a step, after something else': (claim, within) =>
    step(
      claim,
      'outer',
      async () => {
        await new Promise((done) => setImmediate(done));
        return within();
      },
      park,
    ),
  'a commitStep': (claim, within) =>
    commitStep(claim, 'outer', async () => {
      await within();
      return [put('outer')];
    }),
  'execute of inPhases': (claim, within) =>
    inPhases<string, unknown>({ execute: within, record: () => [put('outer')], onAbandoned: 'retry' })('p-1', claim),
};

describe('inside a step of the same claim', () => {
  for (const [around, open] of Object.entries(outer)) {
    for (const [what, begins] of Object.entries(inner)) {
      it(`${what} is refused at the first call, with a sentence, and nothing of it starts (in ${around})`, async () => {
        const world = setUp();
        const failed = world.call((_, claim) => open(claim, () => begins(world, claim)))('p-1');
        const said = await failed.then(
          (outcome) => JSON.stringify(outcome),
          (error: Error) => error.message,
        );
        expect(said).toMatch(/was called inside step (outer|execute), and was not started/);
        expect([...world.ran, ...world.items.keys()]).toEqual([]);
        expect((await world.record())?.status).not.toBe('completed');
      });
    }
  }

  it.each(['in the step', 'around the step'])('is not hidden by a handler that catches it %s', async (where) => {
    const world = setUp();
    const caught = async (begin: () => unknown) => {
      try {
        await begin();
      } catch {
        // As a handler does that logs an error and goes on.
      }
    };
    const called = world.call(async (_, claim) => {
      const inside = () => step(claim, 'inner', () => void world.ran.push('inner'), retry);
      if (where === 'in the step') await step(claim, 'outer', () => caught(inside), retry);
      else await caught(() => step(claim, 'outer', inside, retry));
    })('p-1');
    await expect(called).rejects.toThrow('was called inside step outer');
    expect((await world.record())?.status).toBe('released');
  });
});

describe('what is not inside a step of the same claim works at every attempt', () => {
  it('steps beside each other, also from where another one is under way', async () => {
    const world = setUp();
    let fails = true;
    const handler = world.call(async (_, claim) => {
      const slow = step(claim, 'slow', () => new Promise((done) => setImmediate(done)), park);
      const quick = step(claim, 'quick', () => void world.ran.push('quick'), retry);
      await quick.then(() => step(claim, 'after-quick', () => void world.ran.push('after quick'), park));
      await slow;
      if (fails) throw new RetryableError('once more');
      await step(claim, 'last', () => void world.ran.push('last'), park);
    });
    await expect(handler('p-1')).rejects.toThrow('once more');
    fails = false;
    expect(await handler.outcome('p-1')).toMatchObject({ outcome: 'completed' });
    expect(world.ran).toEqual(['quick', 'after quick', 'last']);
  });

  it('a step of another claim', async () => {
    const world = setUp();
    let fails = true;
    const other = once<string, unknown>(
      { operation: 'mail', store: world.store, key: (id) => id, onAbandoned: 'park', host: virtualHost() },
      (_, claim) => step(claim, 'send', () => void world.ran.push('mail'), park),
    );
    const handler = world.call(async (id, claim) => {
      await step(claim, 'mail', () => other(id), retry);
      if (fails) throw new RetryableError('once more');
    });
    await expect(handler('p-1')).rejects.toThrow('once more');
    fails = false;
    expect(await handler.outcome('p-1')).toMatchObject({ outcome: 'completed' });
    expect(world.ran).toEqual(['mail']);
  });

  it('steps inside claim.effect: those that are done do not run again', async () => {
    const world = setUp();
    let fails = true;
    const handler = world.call((_, claim) =>
      claim.effect(async () => {
        await step(claim, 'first', () => void world.ran.push('first'), park);
        if (fails) throw new RetryableError('once more');
        await step(claim, 'second', () => void world.ran.push('second'), park);
      }),
    );
    await expect(handler('p-1')).rejects.toThrow('once more');
    fails = false;
    expect(await handler.outcome('p-1')).toMatchObject({ outcome: 'completed' });
    expect(world.ran).toEqual(['first', 'second']);
  });
});
