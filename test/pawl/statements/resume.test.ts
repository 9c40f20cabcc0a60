import { expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { reconcileStatements, type StatementLine, type StatementWindow } from '../../../lib/pawl/statements/index.ts';
import { charges, hour } from './charges.ts';

/** A world with so many charges, each with its line but the last, and one line too many. */
async function manyCharges(count: number) {
  const world = charges();
  for (let index = 0; index < count; index++) {
    await world.charge(`order-${index}`);
    if (index < count - 1) world.line(`order-${index}`);
  }
  world.line('unheard-of');
  await world.host.advance(3 * hour);
  return world;
}

it('goes on where an earlier call was stopped, in its window, and counts nothing twice', async () => {
  const { settings, host } = await manyCharges(120);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const stopped = await reconcileStatements(settings({ signal: stopping.signal, onProgress: stop }));
  expect(stopped).toMatchObject({ outcome: 'stopped', progress: { phase: 'lines', lines: 100 } });
  await host.advance(24 * hour);
  const done = await reconcileStatements(settings({ from: host.now() - hour * 2 }));
  if (done.outcome !== 'done') throw new Error(done.outcome);
  expect(done.report).toMatchObject({ from: settings().from, lines: 120, matched: 119, fresh: 2 });
  expect(done.report.cutOff).toBeLessThan(host.now() - 24 * hour);
});

it('repeats a part whose progress was not written, and comes to the same report', async () => {
  const { settings, store } = await manyCharges(120);
  const undisturbed = await manyCharges(120);
  const expected = await reconcileStatements(undisturbed.settings());
  // The process dies each time that progress is to be written; after that, one write gets through.
  for (let getsThrough = 0; getsThrough < 6; getsThrough++) {
    let writes = 0;
    const dying: typeof store = {
      ...store,
      async writeNote(write) {
        if (write.next.id.startsWith('#statement#') && ++writes > 2) throw new Error('killed');
        return store.writeNote(write);
      },
    };
    await reconcileStatements(settings({ store: dying })).catch((error: Error) => expect(error.message).toBe('killed'));
  }
  const done = await reconcileStatements(settings());
  if (done.outcome !== 'done' || expected.outcome !== 'done') throw new Error(done.outcome);
  const { lines, matched, settled, met, open } = expected.report;
  expect(done.report).toMatchObject({ lines, matched, settled, met, open });
});

it('ends as superseded where another call has taken the run over, and the other one finds all', async () => {
  const { settings } = await manyCharges(120);
  let other: Awaited<ReturnType<typeof reconcileStatements>> | undefined;
  async function* interrupted(): AsyncGenerator<StatementLine> {
    const lines = settings().statement({ from: 0, cutOff: 0, after: undefined }) as Iterable<StatementLine>;
    for (const line of lines) yield line;
    other = await reconcileStatements(settings());
  }
  expect(await reconcileStatements(settings({ statement: interrupted }))).toEqual({ outcome: 'superseded' });
  expect(other).toMatchObject({
    outcome: 'done',
    report: { lines: 120, open: { 'missing-here': 1, 'missing-there': 1 } },
  });
});

it('reads a statement that has changed since from its begin, and counts each line once', async () => {
  const { settings, lines, line } = await manyCharges(120);
  const stopping = new AbortController();
  await reconcileStatements(settings({ signal: stopping.signal, onProgress: () => stopping.abort() }));
  line('also unheard-of', { at: lines[0]?.at ?? 0 });
  lines.unshift(lines.pop() as StatementLine);
  const done = await reconcileStatements(settings());
  expect(done).toMatchObject({ report: { lines: 121, matched: 119, open: { 'missing-here': 2, 'missing-there': 1 } } });
});

it('asks for the lines behind the cursor of the last one, where a line has one', async () => {
  const { settings, lines } = await manyCharges(120);
  const asked: (string | undefined)[] = [];
  const statement = ({ after }: StatementWindow) => {
    asked.push(after);
    return lines
      .map((line, index) => ({ ...line, cursor: `${index}` }))
      .slice(after === undefined ? 0 : Number(after) + 1);
  };
  const stopping = new AbortController();
  await reconcileStatements(settings({ statement, signal: stopping.signal, onProgress: () => stopping.abort() }));
  const done = await reconcileStatements(settings({ statement }));
  expect(asked).toEqual([undefined, '99']);
  expect(done).toMatchObject({ report: { lines: 120, matched: 119 } });
});

it('recognises its own progress where the response of a write was lost', async () => {
  const { settings, store } = await manyCharges(120);
  const lossy: typeof store = {
    ...store,
    async writeNote(write) {
      await store.writeNote(write);
      return store.writeNote(write);
    },
    async write(write) {
      await store.write(write);
      return store.write(write);
    },
  };
  const done = await reconcileStatements(settings({ store: lossy }));
  expect(done).toMatchObject({ outcome: 'done', report: { lines: 120, matched: 119 } });
});

it('refuses a store that keeps no notes, before anything is read', async () => {
  const { settings } = charges();
  const { read, write } = memoryStore();
  await expect(reconcileStatements(settings({ store: { read, write } }))).rejects.toThrow('keeps notes');
});
