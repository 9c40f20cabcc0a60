import { describe, expect, it } from 'vitest';
import { acquire } from '../../../lib/pawl/engine/acquire.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import type { ClaimWrite, WriteResult } from '../../../lib/pawl/rules/store.ts';
import { memoryStore } from '../../../lib/pawl/stores/memory.ts';
import { engineAtWork } from '../../support/engines.ts';
import { someDay } from '../../support/virtual-host.ts';

const deadline = someDay + 30_000;

/** An engine whose grants are applied, and answered in this way when its handler can start no more. */
function late(
  answer: (written: WriteResult, write: ClaimWrite, inner: ReturnType<typeof memoryStore>) => Promise<WriteResult>,
) {
  const inner = memoryStore();
  let writes = 0;
  const atWork = engineAtWork({
    store: {
      read: inner.read,
      async write(write) {
        const written = await inner.write(write);
        if (++writes > 1) return written;
        await new Promise<void>((resolve) => atWork.host.after(29_500, resolve));
        return answer(written, write, inner);
      },
    },
  });
  return { ...atWork, records: inner.records, writes: () => writes };
}

async function asked(atWork: ReturnType<typeof late>) {
  const acquired = acquire(atWork.engine, { identity: atWork.identity, deadline });
  await atWork.host.advance(29_000);
  const result = await acquired;
  await atWork.host.advance(60_000);
  return result;
}

describe('a grant whose answer comes too late for its handler to start', () => {
  it('is not granted, and is given back with nothing in doubt', async () => {
    const atWork = late(async (written) => written);
    expect(await asked(atWork)).toMatchObject({ kind: 'unavailable', cause: { name: 'NoAnswerError' } });
    expect(atWork.records()).toMatchObject([
      {
        status: 'released',
        error: { name: 'LeaseError', message: 'the claim was granted too late for anything to start' },
      },
    ]);
    expect(atWork.records()[0]?.unknownAt).toBeUndefined();
    expect(atWork.events).toMatchObject([{ type: 'store-unavailable', error: { name: 'NoAnswerError' } }]);
  });

  it('is given back also where the client sent it twice, and was refused by its own first write', async () => {
    const atWork = late(async (_, write) => ({ applied: false, found: write.next }));
    await asked(atWork);
    expect(atWork.records()).toMatchObject([{ status: 'released' }]);
  });

  it('is not given back where another worker has the claim, or nobody does: nothing more is written', async () => {
    const another = late(async (_, write) => ({ applied: false, found: { ...write.next, claimId: 'another' } }));
    await asked(another);
    const nobody = late(async () => ({ applied: false, found: undefined }));
    await asked(nobody);
    expect([another.writes(), nobody.writes()]).toEqual([1, 1]);
  });

  it('is left alone where the store failed in the end: it may not have been applied', async () => {
    const atWork = late(async () => Promise.reject(new Error('down')));
    await asked(atWork);
    expect(atWork.writes()).toBe(1);
  });

  it('is left alone where it is the parking of a claim, which is in force', async () => {
    const atWork = late(async (written) => written);
    const abandoned: ClaimRecord = {
      id: 'refund#r-1',
      status: 'in-flight',
      claimId: 'lost',
      fence: 1,
      leaseUntil: someDay - 60_000,
      firstSeenAt: someDay - 90_000,
      attempts: 1,
      abandoned: 0,
      rev: 1,
      v: 1,
    };
    const inner = memoryStore();
    await inner.write({ next: abandoned, seen: undefined });
    let writes = 0;
    const store = {
      read: inner.read,
      async write(write: ClaimWrite) {
        writes++;
        const written = await inner.write(write);
        await new Promise<void>((resolve) => atWork.host.after(29_500, resolve));
        return written;
      },
    };
    const engine = { settings: { ...atWork.engine.settings, store } };
    const acquired = acquire(engine, { identity: atWork.identity, deadline, redelivered: true });
    await atWork.host.advance(120_000);
    expect(await acquired).toMatchObject({ kind: 'unavailable' });
    expect(inner.records()).toMatchObject([{ status: 'parked', error: { name: 'abandoned' } }]);
    expect(writes).toBe(1);
  });
});

describe('a parked claim', () => {
  it('is reported as parked once, and as still parked to everybody who asks later', async () => {
    const { engine, grant, identity, events, host } = engineAtWork();
    await grant();
    await host.advance(60_000);
    events.length = 0;
    const again = { identity, deadline: host.now() + 30_000 };
    expect(await acquire(engine, again)).toMatchObject({ kind: 'parked' });
    expect(await acquire(engine, again)).toMatchObject({ kind: 'parked' });
    expect(events.map(({ type }) => type)).toEqual(['parked', 'still-parked']);
  });
});
