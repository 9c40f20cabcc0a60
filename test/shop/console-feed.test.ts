import { expect, it, vi } from 'vitest';
import type { LiveEvent } from '../../lib/console/server.ts';
import { createFeed, pawlEvent } from '../../shop/console/feed.ts';
import { createLedger } from '../../shop/providers/ledger.ts';

it('shows an event of pawl wherever it stands in a line, and nothing of other lines', () => {
  const line = '2026-11-22 INFO {"pawl":"parked","id":"send-email#order-1","fence":2}';
  expect(pawlEvent(line, 1)).toEqual({
    at: 1,
    tone: 'bad',
    what: 'parked',
    text: 'send-email#order-1',
    counts: 'parked',
  });
  for (const other of ['{"pawl":"granted","id":"a#b"}', '{"pawl":"parked","id":', 'hello', '{"level":"info"}']) {
    expect(pawlEvent(other, 1)).toBeUndefined();
  }
});

it('reports each effect and each kill once, until it is ended', () => {
  vi.useFakeTimers();
  try {
    const ledger = createLedger();
    const sandboxes = { started: 0, killed: 0, timedOut: 0, invocations: 0, busy: 0 };
    const { feed, watch } = createFeed();
    const said: LiveEvent[] = [];
    const end = feed((event) => said.push(event));
    const stop = watch({ ledger, sandboxes });
    ledger.append({ effect: 'email', orderId: 'order-1', key: 'k', sandbox: undefined });
    vi.advanceTimersByTime(1000);
    sandboxes.killed = 2;
    vi.advanceTimersByTime(1000);
    expect(said).toMatchObject([
      { what: 'email', text: 'order-1: it happened' },
      { what: 'killed', text: 'sandboxes: 2 more, 2 in all' },
    ]);
    end();
    ledger.append({ effect: 'email', orderId: 'order-2', key: 'k', sandbox: undefined });
    vi.advanceTimersByTime(1000);
    expect(said).toHaveLength(2);
    stop();
  } finally {
    vi.useRealTimers();
  }
});
