import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { costOf } from '../../bench/cost/money/cost.ts';
import { moneyDocument } from '../../bench/cost/money/document.ts';
import { estimatesOf } from '../../bench/cost/money/estimate.ts';
import { prices } from '../../bench/cost/money/prices.ts';
import { type Measured, measuredIn } from '../../bench/cost/money/written.ts';
import { resultsOf } from './fixtures.ts';

const page = readFileSync(new URL('../../docs/evidence/cost.md', import.meta.url), 'utf8');
const measured = measuredIn(page);
const million = { messages: 1_000_000, size: 10, handlerMs: 20, memoryMb: 512 };

describe('the calculator', () => {
  it('has every measurement of the page', () => {
    const contenders = new Set(measured.map(({ name }) => name));
    expect([...contenders]).toEqual(expect.arrayContaining(['middy', 'pawl', 'powertools']));
    expect(measured).toHaveLength(contenders.size * 3 * 3 * 3);
    expect(measured.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });

  it.each(measured.filter(({ handlerMs }) => handlerMs > 0))(
    'says of a measured point what the table says: $name, batches of $size, $handlerMs ms, $memoryMb MB',
    ({ name, title, size, handlerMs, memoryMb }) => {
      const [estimate] = estimatesOf({ messages: 1_000_000, size, handlerMs, memoryMb }, ofName(name), prices);
      const [, table = ''] = page.split(`a million messages; the handler takes ${handlerMs} ms\n`);
      const row = cells(table).find(([first, batch]) => first === title && batch === String(size)) ?? [];
      const head = cells(table)[0] ?? [];
      const total = Number(row[head.indexOf(`Lambda, ${memoryMb.toLocaleString('en-US')} MB`) + 1]);
      // The page rounds the totals to a cent. Its durations are rounded up, so that Lambda's whole milliseconds are the same.
      expect(Math.abs((estimate?.cost.total ?? 0) - total)).toBeLessThan(0.006);
    },
  );

  it('bills the milliseconds that were begun, as the table does: a page says no duration shorter than it was', () => {
    const { money, cold, environment } = resultsOf([1, 10, 100]);
    const cells = money.cells.map((cell) => ({ ...cell, durationMs: 212.03 }));
    const written = measuredIn(moneyDocument({ ...money, cells }, cold, environment));
    expect(written.map(({ durationMs }) => Math.ceil(durationMs))).toEqual(cells.map(() => 213));
    const [one] = written as [Measured];
    expect(costOf(one, prices).lambda).toBe(costOf({ ...one, durationMs: 212.03 }, prices).lambda);
  });

  it('grows with the messages', () => {
    const [one] = estimatesOf(million, ofName('pawl'), prices);
    const [ten] = estimatesOf({ ...million, messages: 10_000_000 }, ofName('pawl'), prices);
    expect(ten?.cost.total).toBeCloseTo(10 * (one?.cost.total ?? 0), 6);
  });

  const line: readonly Measured[] = [0, 20, 200].flatMap((handlerMs) =>
    [1, 10].map((size) => ({
      name: 'pawl' as const,
      title: 'pawl',
      size,
      handlerMs,
      memoryMb: 512,
      durationMs: 40 + handlerMs + size,
      units: { write: 2, read: 0, storedBytes: 300 },
    })),
  );
  const durationAt = (size: number, handlerMs: number) =>
    estimatesOf({ ...million, size, handlerMs }, line, prices)[0]?.durationMs;

  it('draws a line between two measured points', () => {
    expect(durationAt(1, 110)).toBeCloseTo(151, 6);
    expect(durationAt(4, 20)).toBeCloseTo(64, 6);
  });

  it('adds a longer handler, and keeps the last batch that was measured', () => {
    expect(durationAt(10, 1_000)).toBeCloseTo(1_050, 6);
    expect(durationAt(100, 20)).toBeCloseTo(70, 6);
  });
});

function ofName(wanted: string): readonly Measured[] {
  return measured.filter(({ name }) => name === wanted);
}

function cells(table: string): readonly (readonly string[])[] {
  return (table.split('\n#')[0]?.match(/^\|.+\|$/gm) ?? []).map((row) => row.slice(2, -2).split(' | '));
}
