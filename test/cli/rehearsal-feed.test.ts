import { expect, it, vi } from 'vitest';
import type { LiveEvent } from '../../lib/cli/console/server.ts';
import { createFeed, pawlEvent } from '../../lib/rehearsal/command/feed.ts';
import { createJournal } from '../../lib/rehearsal/file/journal.ts';

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

it('reports each effect and each kill once, until it is ended, and of a new run only what is new', () => {
  vi.useFakeTimers();
  try {
    const journal = createJournal();
    const options = { traffic: () => undefined };
    const { feed, watch } = createFeed();
    const said: LiveEvent[] = [];
    const end = feed((event) => said.push(event));
    watch({ journal, options, providers: [] });
    const called = { kind: 'called', sandbox: 'S1', provider: 'MAILER_URL', call: 'POST /', fault: undefined } as const;
    journal.add(['order-1'], { ...called, result: 'applied' });
    journal.add(['order-1'], { ...called, result: 'repeated' });
    vi.advanceTimersByTime(1000);
    journal.add(['order-1'], { kind: 'killed', sandbox: 'S1', moment: 'as it began' });
    vi.advanceTimersByTime(1000);
    expect(said).toMatchObject([
      { what: 'MAILER_URL', text: 'order-1: it happened' },
      { what: 'killed', text: 'S1, order-1' },
    ]);
    watch({ journal: createJournal(), options, providers: [] });
    journal.add(['order-2'], { ...called, result: 'applied' });
    vi.advanceTimersByTime(1000);
    expect(said).toHaveLength(2);
    end();
  } finally {
    vi.useRealTimers();
  }
});
