import { expect, test } from 'vitest';
import { memoryStore, once, RejectedError } from '../../../lib/pawl/index.ts';
import { type DeadLetter, operator } from '../../../lib/pawl/operate/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const letter: DeadLetter = {
  messageId: 'm-1',
  reason: undefined,
  error: undefined,
  sourceMessageId: undefined,
  sentAt: 0,
  receiveCount: 1,
  group: undefined,
  sequenceNumber: undefined,
  bodyBytes: 2,
  joinedBy: 'key',
  claimId: 'charge#p-1',
  claim: undefined,
  claimIsForeign: false,
};

// DynamoDB deletes days late, and a consumer does not go by what is past its retention. The plan must not promise that the copy would not run.
test.each(['completed', 'rejected'])(
  'the plan says that a copy runs, if the retention of its %s claim is over',
  async (outcome) => {
    const host = virtualHost();
    const store = memoryStore();
    let runs = 0;
    const charge = once(
      {
        operation: 'charge',
        store,
        key: (id: string) => id,
        onAbandoned: 'park',
        retentionSeconds: 3600,
        host,
        onEvent: () => undefined,
      },
      () => {
        runs++;
        if (outcome === 'rejected') throw new RejectedError('blocked');
      },
    ).outcome;
    const call = () => charge('p-1').catch(() => undefined);
    const operate = operator({ store, host });
    const plan = () =>
      operate.planRedrive({
        from: 'https://sqs/dlq',
        to: 'https://sqs/queue',
        letters: [letter],
        by: 'maria',
        note: '',
      });

    await call();
    expect(await plan()).toMatchObject({ items: [{ will: outcome === 'rejected' ? 'stay' : 'acknowledge' }] });
    await host.advance(3_600_000);
    await call();
    expect(runs).toBe(1);
    expect(await plan()).toMatchObject({ items: [{ will: outcome === 'rejected' ? 'stay' : 'acknowledge' }] });
    await host.advance(60_000);
    expect(await plan()).toMatchObject({ items: [{ will: 'run' }] });
    await call();
    expect(runs).toBe(2);
  },
);
