import { describe, expect } from 'vitest';
import { type Claim, InDoubtError, once, RetryableError, step } from '../../../lib/pawl/index.ts';
import { propertyOf } from '../../../lib/pawl/kernel/unknown.ts';
import {
  type AppWrite,
  CommitRefusedError,
  commit,
  commitStep,
  eachTransaction,
  inPhases,
  type TransactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import {
  context,
  event,
  failed,
  mapStore,
  mischievous,
  never,
  promise,
  record,
  surroundings,
  thrownBy,
  wait,
} from './kit.ts';

const guide = 'docs/guides/transactions.md';
const operate = 'docs/guides/recover.md';
const payment = { id: 'p-1' };
const idOf = (put: AppWrite['Put']) => String(propertyOf(put?.Item, 'id'));

describe('steps', () => {
  promise(
    guide,
    'pawl stores what a step returned beside the claim, as JSON. After a crash, a finished step does not run again',
    'a step that is done answers the same at the next attempt, without running',
    async () => {
      const all = surroundings();
      const ran: string[] = [];
      let attempts = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        const charge = await step(claim, 'charge', () => ({ id: `ch_${ran.push('charge')}`, zero: 0, none: null }), {
          onAbandoned: 'park',
        });
        const nothing = await step(claim, 'nothing', () => void ran.push('nothing'), { onAbandoned: 'retry' });
        if (++attempts < 3) throw new Error('crash');
        return [charge, nothing];
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      await thrownBy(() => all.time.until(pay(payment)));
      expect(await all.time.until(pay(payment))).toMatchObject({
        result: [{ id: 'ch_1', zero: 0, none: null }, undefined],
      });
      expect(ran).toEqual(['charge', 'nothing']);
    },
  );

  for (const thrown of [new Error('504'), undefined, null, '', 0, false]) {
    promise(
      guide,
      'A step in doubt keeps its claim from completing, even if the handler catches the error or does not await the step',
      `a step under park that throws ${String(thrown)} parks its claim, caught, awaited or not`,
      async () => {
        for (const careless of ['awaits', 'catches', 'forgets', 'settles'] as const) {
          const all = surroundings();
          let runs = 0;
          const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
            const running = step(
              claim,
              'charge',
              async () => {
                runs++;
                await wait(all.time, 100);
                throw thrown;
              },
              { onAbandoned: 'park' },
            );
            if (careless === 'awaits') await running;
            if (careless === 'catches') await running.catch(() => {});
            if (careless === 'settles') await Promise.allSettled([running]);
            return 'fine';
          }).outcome;
          await thrownBy(() => all.time.until(pay(payment)));
          expect([careless, all.claims.get('pay#p-1')?.status]).toEqual([careless, 'parked']);
          expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'parked' });
          expect(runs).toBe(1);
        }
      },
    );
  }

  promise(
    guide,
    'a claim in progress finds another name at that position, and is parked (`InDoubtError`)',
    'a renamed, moved or inserted step parks the claim, and runs nothing',
    async () => {
      for (const names of [
        ['inserted', 'charge', 'mail'],
        ['payment', 'mail'],
        ['mail', 'charge'],
      ]) {
        const all = surroundings();
        const ran: string[] = [];
        const handler = (order: readonly string[], ends: boolean) =>
          once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
            for (const name of order) await step(claim, name, () => void ran.push(name), { onAbandoned: 'park' });
            if (!ends) throw new Error('crash');
          }).outcome;
        await thrownBy(() => all.time.until(handler(['charge', 'mail'], false)(payment)));
        const error = await thrownBy(() => all.time.until(handler(names, true)(payment)));
        expect(error).toBeInstanceOf(InDoubtError);
        expect(all.claims.get('pay#p-1')?.status).toBe('parked');
        expect(ran).toEqual(['charge', 'mail']);
      }
    },
  );

  promise(
    'StepRun.effectKey',
    'the same at every attempt of this step, another one for each step',
    'effect keys of steps are stable over attempts, and differ by step and by claim',
    async () => {
      const all = surroundings();
      const keys: Record<string, Set<string>> = {};
      let attempts = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (input, claim) => {
        for (const name of ['a', 'b'])
          await step(
            claim,
            name,
            ({ effectKey }) => {
              const of = `${input.id} ${name}`;
              keys[of] = (keys[of] ?? new Set()).add(effectKey);
              if (++attempts % 2) throw new Error('x');
            },
            { onAbandoned: 'retry' },
          );
      }).outcome;
      for (const id of ['p-1', 'p-2']) for (let i = 0; i < 3; i++) await thrownBy(() => all.time.until(pay({ id })));
      const sets = Object.values(keys);
      expect(sets.length).toBeGreaterThan(2);
      for (const of of sets) expect(of.size).toBe(1);
      expect(new Set(sets.flatMap((of) => [...of])).size).toBe(sets.length);
    },
  );

  promise(
    guide,
    'pawl starts no step after its handler has thrown',
    'a step that is called after its handler has ended does not run',
    async () => {
      const all = surroundings();
      let late: Claim | undefined;
      let ran = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        late = claim;
        void wait(all.time, 50).then(() =>
          step(claim, 'late', () => void ran++, { onAbandoned: 'retry' }).catch(() => {}),
        );
        throw new RetryableError('x');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      await all.time.advance(1_000);
      expect(late).toBeDefined();
      expect(ran).toBe(0);
    },
  );

  promise(
    guide,
    'A step whose result does not fit still runs. If a later attempt needs that result, the claim is parked',
    'a step whose result cannot be kept completes its claim, and a later attempt that needs it parks and does not repeat it',
    async () => {
      for (const value of ['x'.repeat(20_000), 5n]) {
        const all = surroundings();
        let ran = 0;
        let attempts = 0;
        const pay = once({ ...all.plain, onAbandoned: 'retry', recordResult: false }, async (input, claim) => {
          await step(
            claim,
            'big',
            (): unknown => {
              ran++;
              return value;
            },
            { onAbandoned: 'park' },
          );
          if (input.id === 'crashes' && ++attempts === 1) throw new Error('crash');
        }).outcome;
        expect(await all.time.until(pay({ id: 'fine' }))).toMatchObject({ outcome: 'completed' });
        await thrownBy(() => all.time.until(pay({ id: 'crashes' })));
        await thrownBy(() => all.time.until(pay({ id: 'crashes' })));
        expect(all.claims.get('pay#crashes')?.status).toBe('parked');
        expect(ran).toBe(2);
      }
    },
  );

  promise(
    operate,
    'A step that was `applied` does not run again: it returns the `result` that you give … If you leave one out, or name another one, nothing changes',
    'steps in doubt are resolved all together by name, and go on from what was said',
    async () => {
      const all = surroundings();
      const ran: string[] = [];
      const got: unknown[] = [];
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        const first = ran.length === 0;
        const steps = ['charge', 'receipt'].map((name) =>
          step(
            claim,
            name,
            async (): Promise<unknown> => {
              ran.push(name);
              await wait(all.time, 10);
              if (first) throw new Error('504');
              return `${name} ran`;
            },
            { onAbandoned: 'park' },
          ),
        );
        got.push(...(await Promise.all(steps)));
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      const parked = resolverOf({ operation: 'pay', store: all.claims });
      const before = all.claims.get('pay#p-1');
      const by = { by: 'maria', note: 'looked' };
      const doubts = await parked.resolve('p-1', {}, by);
      expect(doubts).toMatchObject({ outcome: 'steps-in-doubt' });
      const { steps } = doubts as unknown as { steps: string[] };
      for (const wrong of [{ charge: 'applied', other: 'applied' }, { other: 'not-applied' }] as const)
        expect(await parked.resolve('p-1', wrong as never, by)).toMatchObject({ outcome: 'steps-in-doubt' });
      expect(all.claims.get('pay#p-1')).toEqual(before);
      const said = Object.fromEntries(
        steps.map((name) => [
          name,
          name === 'charge' ? { verdict: 'applied' as const, result: { id: 'ch_1' } } : ('not-applied' as const),
        ]),
      );
      expect(await parked.resolve('p-1', said, by)).toMatchObject({ outcome: 'resolved' });
      const times = ran.filter((name) => name === 'charge').length;
      await all.time.until(pay(payment));
      expect(got[0]).toEqual({ id: 'ch_1' });
      expect(got[1]).toBe('receipt ran');
      expect(ran.filter((name) => name === 'charge')).toHaveLength(times);
    },
  );

  promise(
    operate,
    '`applied` for the whole claim says that everything the handler does has happened',
    'applied for a whole claim with steps in doubt completes it, and nothing runs again',
    async () => {
      const all = surroundings();
      let ran = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, (_, claim) =>
        step(
          claim,
          'charge',
          () => {
            ran++;
            throw new Error('504');
          },
          { onAbandoned: 'park' },
        ),
      ).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      await resolverOf({ operation: 'pay', store: all.claims }).resolve('p-1', 'applied', {
        by: 'maria',
        note: 'all of it',
      });
      expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed', replayed: true });
      expect(ran).toBe(1);
    },
  );

  promise(
    'step',
    '@throws LeaseError when the time is over, or the claim is somebody else’s: the step did not start, or is not known to have ended',
    'a step whose beginning the store does not acknowledge does not start under park',
    async () => {
      for (const how of ['refuse', 'hang', 'lose-answer', 'hang-applied'] as const) {
        const inner = mapStore();
        const store = mischievous(inner, ({ write }) =>
          write?.next.checkpoints !== undefined && write.next.status === 'in-flight' ? how : undefined,
        );
        const all = surroundings({ store });
        let ran = 0;
        const pay = once({ ...all.plain, onAbandoned: 'retry' }, (_, claim) =>
          step(claim, 'charge', () => void ran++, { onAbandoned: 'park' }),
        ).outcome;
        const end = all.time.now() + 20_000;
        const error = await thrownBy(() => all.time.until(pay(payment, { remainingMs: () => end - all.time.now() })));
        if (how === 'refuse' || how === 'hang') expect(error).toBeInstanceOf(Error);
        expect(ran).toBeLessThanOrEqual(1);
        if (how === 'refuse' || how === 'hang') expect(ran).toBe(0);
        expect(inner.get('pay#p-1')?.status).not.toBe('completed');
      }
    },
  );
});

/** Claims and entries under one roof: all of a commit is applied, or nothing of it. */
function bankStore() {
  const claims = mapStore();
  const entries = new Map<string, number>();
  const trouble: { next?: 'refuse' | 'lose-answer' | 'hang' | undefined; commits: number } = { commits: 0 };
  const store: TransactionalStore = {
    read: claims.read,
    write: claims.write,
    async commit(write, writes) {
      trouble.commits++;
      const how = trouble.next;
      trouble.next = undefined;
      if (how === 'refuse') throw new Error('ECONNREFUSED');
      if (how === 'hang') return never();
      const refused = writes.flatMap((one, index) =>
        one.Put?.ConditionExpression && entries.has(idOf(one.Put))
          ? [{ index, code: 'ConditionalCheckFailed', message: 'it is there' }]
          : [],
      );
      const found = claims.get(write.next.id);
      const current =
        write.seen === undefined
          ? found === undefined
          : found?.claimId === write.seen.claimId && found.rev === write.seen.rev;
      if (current && refused.length > 0) return { applied: false, refused };
      const answer = claims.apply(write);
      if (answer.applied) for (const { Put } of writes) entries.set(idOf(Put), (entries.get(idOf(Put)) ?? 0) + 1);
      if (how === 'lose-answer') throw new Error('ECONNRESET');
      return answer;
    },
  };
  return { claims, entries, trouble, store };
}
const put = (id: string, once = false): AppWrite => ({
  Put: { TableName: 'ledger', Item: { id }, ...(once && { ConditionExpression: 'attribute_not_exists(id)' }) },
});

describe('transactions', () => {
  promise(
    guide,
    'Claim, writes and completion are one `TransactWriteItems`. That is one request for a new message, and no effect can be in doubt',
    'entries of a transaction are written once, whatever happens to the answer',
    async () => {
      for (const trouble of [undefined, 'refuse', 'lose-answer'] as const) {
        const bank = bankStore();
        const all = surroundings();
        const handler = eachTransaction<{ id: string }>({ ...all.common, store: bank.store }, ({ body }) => [
          put(`${body.id} debit`),
          put(`${body.id} credit`),
        ]);
        bank.trouble.next = trouble;
        const one = record({ id: 'p' });
        for (let i = 1, ended = false; !ended && i < 6; i++) {
          const again = { ...one, attributes: { ...one.attributes, ApproximateReceiveCount: String(i) } };
          ended = failed(await all.time.until(handler(event(again), context(all.time)))).length === 0;
          await all.time.advance(60_000);
        }
        expect([trouble, [...bank.entries.values()]]).toEqual([trouble, [1, 1]]);
        expect(bank.claims.get('pay#p')?.status).toBe('completed');
        if (trouble === undefined) expect(bank.trouble.commits).toBe(1);
      }
    },
  );

  promise(
    guide,
    'nothing is committed, pawl releases the claim, and the message comes again. To reject the message instead, pass `onRefused: () => new RejectedError(',
    'a refused condition of the application commits nothing, and the message comes again',
    async () => {
      const bank = bankStore();
      bank.entries.set('p', 1);
      const all = surroundings();
      const one = record({ id: 'p' });
      const handler = eachTransaction<{ id: string }>({ ...all.common, store: bank.store }, () => [
        put('other'),
        put('p', true),
      ]);
      expect(failed(await all.time.until(handler(event(one), context(all.time))))).toEqual([one.messageId]);
      expect([...bank.entries]).toEqual([['p', 1]]);
      expect(bank.claims.get('pay#p')?.status).toBe('released');
    },
  );

  promise(
    'commit',
    'either all of it happened, or nothing. It is the effect of its handler, as `claim.effect` is, and there is one',
    'after a commit the claim is complete whatever the handler throws, and a second commit is refused',
    async () => {
      const bank = bankStore();
      const all = surroundings({ store: bank.store });
      const errors: unknown[] = [];
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        await commit(claim, [put('e')], { result: 'committed' });
        errors.push(await thrownBy(() => commit(claim, [put('e')])));
        throw new Error('after it');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      expect(await all.time.until(pay(payment))).toEqual({
        outcome: 'completed',
        replayed: true,
        result: 'committed',
        recorded: true,
      });
      expect(bank.entries.get('e')).toBe(1);
      expect(errors[0]).toBeInstanceOf(Error);
    },
  );

  promise(
    'CommitRefusedError',
    'Nothing was applied, and the claim is still held. Let through, it releases the claim',
    'a refused commit that is let through releases under park',
    async () => {
      const bank = bankStore();
      bank.entries.set('e', 1);
      const all = surroundings({ store: bank.store });
      const pay = once({ ...all.plain, onAbandoned: 'park' }, (_, claim) => commit(claim, [put('e', true)])).outcome;
      expect(await thrownBy(() => all.time.until(pay(payment)))).toBeInstanceOf(CommitRefusedError);
      expect(bank.claims.get('pay#p-1')?.status).toBe('released');
    },
  );

  promise(
    'inPhases',
    'It can be killed anywhere; the next attempt goes on where it stood',
    'three phases with a failure in each: prepared once, called once, recorded once',
    async () => {
      for (const failing of ['prepare', 'execute-after', 'record'] as const) {
        const bank = bankStore();
        const all = surroundings({ store: bank.store });
        let failures = 1;
        const fail = (phase: string) => {
          if (phase === failing && failures-- > 0) throw new Error(phase);
        };
        const pay = once(
          { ...all.plain, onAbandoned: 'retry' },
          inPhases<{ id: string }, string>({
            prepare: () => {
              fail('prepare');
              return [put('pending', true)];
            },
            execute: (_, { effectKey }) => {
              if (!all.bank.has(effectKey)) all.bank.apply(effectKey);
              fail('execute-after');
              return 'transfer-1';
            },
            record: (_, transfer) => {
              fail('record');
              return [put(`paid ${transfer}`)];
            },
            onAbandoned: 'retry',
          }),
        ).outcome;
        await thrownBy(() => all.time.until(pay(payment)));
        await thrownBy(() => all.time.until(pay(payment)));
        expect([failing, [...bank.entries]]).toEqual([
          failing,
          [
            ['pending', 1],
            ['paid transfer-1', 1],
          ],
        ]);
        expect(all.bank.count()).toBe(1);
      }
    },
  );

  promise(
    'commitStep',
    'they and its checkpoint are committed in one transaction',
    'a committed step is not committed again after a crash',
    async () => {
      const bank = bankStore();
      const all = surroundings({ store: bank.store });
      let attempts = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        await commitStep(claim, 'reserve', () => [put('reserved')]);
        if (++attempts === 1) throw new Error('crash');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed' });
      expect(bank.entries.get('reserved')).toBe(1);
    },
  );
});
