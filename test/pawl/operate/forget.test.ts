import { describe, expect, it } from 'vitest';
import { memoryStore, once, RejectedError, ResultNotKeptError } from '../../../lib/pawl/index.ts';
import { type OperateEvent, operator } from '../../../lib/pawl/operate/index.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { record } from '../../support/records.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const maria = { by: 'maria', note: 'request 4711' };
const id = 'refund#p-1';
const iban = 'DE02120300000000202051';

function aDesk(found?: Partial<ClaimRecord>) {
  const host = virtualHost(someDay + 3_600_000);
  const store = memoryStore();
  if (found !== undefined) store.write({ next: record({ id, ...found }), seen: undefined });
  const events: OperateEvent[] = [];
  return { host, store, events, operate: operator({ store, host, onEvent: (event) => events.push(event) }) };
}

const kept = {
  ...{ result: JSON.stringify({ iban }), attributes: { iban }, fingerprint: '1:a-hash', source: 'message-1' },
  resolution: { verdict: 'applied', by: 'tom', note: iban, at: '2026-11-21T09:31:00.000Z', id: 'r-1' },
  discarded: { messageId: 'm', by: 'tom', note: iban, at: '2026-11-21T09:31:00.000Z' },
} as const satisfies Partial<ClaimRecord>;

describe('what is forgotten of a claim', () => {
  it('is all that it kept, but what keeps its effect from repeating, and who did it', async () => {
    const { operate, store, events } = aDesk({ ...kept, status: 'completed', fence: 3, rev: 7 });
    const before = await store.read(id);
    const done = await operate.forget({ operation: 'refund', key: 'p-1' }, maria);
    expect(done).toMatchObject({
      outcome: 'forgotten',
      notReached: ['key', 'fingerprint', 'other-claims', 'findings', 'dead-letters', 'logs', 'backups', 'provider'],
      claim: { hasResult: false, attributes: undefined, forgotten: maria },
    });
    const after = await store.read(id);
    expect(JSON.stringify(after)).not.toContain(iban);
    expect(after).toMatchObject({ status: 'completed', claimId: before?.claimId, fence: 3, rev: 8, forgotten: maria });
    expect(after?.fingerprint).toBe(before?.fingerprint);
    expect(after?.expiresAt).toBe(before?.expiresAt);
    expect(events).toEqual([{ type: 'forgotten', id, fence: 3, at: someDay + 3_600_000, ...maria }]);
  });

  it('is also what was observed of its messages: their ids and the hashes of their fields. What enforcement reads, and the counts, stay', async () => {
    const runs = [{ run: 'a', at: someDay, until: someDay + 9, message: 'message-1', end: 'done' }];
    const counts = { deliveries: 2, done: 1, failed: 0, other: 1, again: { redelivered: 1 }, differing: ['amount'] };
    const observed = JSON.stringify({ ...counts, runs, fields: { amount: 'f00', iban: 'ba4' } });
    const { operate, store } = aDesk({ ...kept, status: 'completed', claimId: '#observed', observed });
    expect(await operate.forget({ id }, maria)).toMatchObject({ outcome: 'forgotten' });
    const [after] = store.records();
    expect(JSON.parse(after?.observed ?? '')).toEqual({
      ...counts,
      runs: [{ run: 'a', at: someDay, until: someDay + 9, end: 'done' }],
    });
    expect(after).toMatchObject({ status: 'completed', claimId: '#observed' });
  });

  it('of a rejected claim is also why', async () => {
    const { operate, store } = aDesk({ status: 'rejected', error: { name: 'RejectedError', message: iban } });
    expect(await operate.forget({ id }, maria)).toMatchObject({ outcome: 'forgotten' });
    expect(JSON.stringify(store.records())).not.toContain(iban);
    expect(store.records()).toMatchObject([{ status: 'rejected' }]);
  });

  it.each<readonly [Partial<ClaimRecord> | undefined, string]>([
    [undefined, 'unknown-key'],
    [{ status: 'in-flight', leaseUntil: someDay + 7_200_000 }, 'in-flight'],
    [{ status: 'in-flight', leaseUntil: someDay }, 'in-flight'],
    [{ status: 'parked' }, 'not-decided'],
    [{ status: 'released' }, 'not-decided'],
    [{ status: 'released', unknownAt: someDay }, 'not-decided'],
  ])('is nothing, of one that may still run: %j', async (found, whyNot) => {
    const { operate, store, events } = aDesk(found && { ...kept, ...found });
    const before = store.records();
    expect(await operate.forget({ id }, maria)).toMatchObject({ outcome: 'stays', whyNot });
    expect([store.records(), events]).toEqual([before, []]);
  });

  it('is nothing, if the claim is another one than the operator has seen', async () => {
    const { operate, store } = aDesk({ ...kept, status: 'completed', rev: 7 });
    expect(await operate.forget({ id }, { ...maria, revision: 6 })).toMatchObject({ whyNot: 'changed' });
    expect(await store.read(id)).toMatchObject(kept);
    expect(await operate.forget({ id }, { ...maria, revision: 7 })).toMatchObject({ outcome: 'forgotten' });
  });

  it('is nothing, if the claim changes between the look and the write', async () => {
    const { host, store } = aDesk({ ...kept, status: 'completed', rev: 7 });
    const changing: ClaimStore = {
      ...store,
      async write(write) {
        const seen = await store.read(id);
        if (seen?.rev === 7) await store.write({ next: { ...seen, statement: 'due', rev: 8 }, seen });
        return store.write(write);
      },
    };
    const operate = operator({ store: changing, host, onEvent: () => undefined });
    expect(await operate.forget({ id }, maria)).toMatchObject({ outcome: 'stays', whyNot: 'changed' });
    expect(await store.read(id)).toMatchObject({ ...kept, statement: 'due' });
    expect(await operate.forget({ id }, maria)).toMatchObject({
      outcome: 'forgotten',
      notReached: expect.arrayContaining(['statement-line']),
    });
  });

  it('is known for done, if the response of its write is lost', async () => {
    const { host, store } = aDesk({ ...kept, status: 'completed' });
    const losing: ClaimStore = {
      ...store,
      async write(write) {
        await store.write(write);
        return store.write(write);
      },
    };
    const operate = operator({ store: losing, host, onEvent: () => undefined });
    expect(await operate.forget({ id }, maria)).toMatchObject({ outcome: 'forgotten' });
    expect(await store.read(id)).toMatchObject({ rev: 2, forgotten: maria });
  });

  it('does not let the effect happen again: a duplicate is replayed without a result, and another payload is refused, as before', async () => {
    const { host, store, operate } = aDesk();
    let refunds = 0;
    const options = { operation: 'refund', store, host, key: () => 'p-1', onAbandoned: 'retry' } as const;
    const refund = once({ ...options, fingerprint: (text: string) => text, attributes: () => ({ iban }) }, () => {
      refunds++;
      return { iban };
    });
    expect(await refund(iban)).toEqual({ iban });
    await operate.forget({ id }, maria);
    expect(JSON.stringify(store.records())).not.toContain(iban);
    const again = await refund.outcome(iban);
    expect(again).toEqual({ outcome: 'completed', replayed: true, result: undefined, recorded: false });
    await expect(refund(iban)).rejects.toThrow(ResultNotKeptError);
    expect(await refund.outcome('another payload')).toEqual({ outcome: 'key-reused' });
    expect(refunds).toBe(1);
  });

  it('does not let what was rejected run', async () => {
    const { host, store, operate } = aDesk();
    const options = { operation: 'refund', store, host, key: () => 'p-1', onAbandoned: 'park' } as const;
    let runs = 0;
    const refund = once<string, void>(options, async () => {
      runs++;
      throw new RejectedError(iban);
    });
    await expect(refund(iban)).rejects.toThrow(iban);
    await operate.forget({ id }, maria);
    expect(await refund.outcome(iban)).toMatchObject({ outcome: 'rejected' });
    expect(runs).toBe(1);
  });
});
