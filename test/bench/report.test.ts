import { describe, expect, it } from 'vitest';
import { chartOf } from '../../bench/cost/chart.ts';
import { readCommandLine } from '../../bench/cost/command-line.ts';
import { compare } from '../../bench/cost/compare.ts';
import { documentOf } from '../../bench/cost/document.ts';
import { full } from '../../bench/cost/plan.ts';
import { summaryOf } from '../../bench/cost/summary.ts';
import { asMarkdown, asText } from '../../bench/cost/table.ts';
import { tablesOf } from '../../bench/cost/tables.ts';
import { resultsOf } from './fixtures.ts';

const results = resultsOf([1, 10, 100]);

describe('the summary', () => {
  it('has the requests of a batch and the ratios of CPU, by scenario and batch size', () => {
    expect(summaryOf(results)).toMatchObject({
      batch10: {
        requests: { pawl: 2, pawlLean: 2, sqsOnce: 2, powertools: 20, floor: 2 },
        cpuRatioToFloor: 1.25,
        cpuRatioToPowertools: 0.25,
        cpuRatioLeanToFloor: 0.5,
        cpuRatioLeanToPowertools: 0.1,
        sqsOnce: { cpuRatioToFloor: 1.5, cpuRatioToPowertools: 0.3 },
      },
      batch10000: {
        cpuPerMessageRatioToBatch100: 1.1,
        cpuRatioToFloor: 1,
        peakMb: 300,
        peakMbLean: 300,
        peakMbOfFloor: 300,
      },
      cold: { bytes: { pawl: { own: 20_000 } }, importRatioToPowertools: 0.9 },
      coldStart: { importRatioLeanToPowertools: 0.5 },
    });
    expect(Object.keys(summaryOf(results))).toEqual(
      expect.arrayContaining(['batch1', 'batch100', 'duplicates10', 'redelivered10', 'failures10']),
    );
  });

  it('is one line of JSON', () => {
    expect(JSON.stringify(summaryOf(results))).not.toMatch(/\n|null/);
  });

  it('does without the batches that a quick run leaves out', () => {
    expect(summaryOf({ ...results, large: [] })).not.toHaveProperty('batch10000');
  });
});

it('leaves out a percentile that so few batches cannot tell', () => {
  const [first] = compare(results);
  expect(first?.wallToFloor).toEqual({ p50: 1, p95: 1, p99: undefined });
});

it('refuses to compare with what was not measured', () => {
  const { cells, peaks } = results;
  expect(() => compare({ peaks, cells: cells.filter(({ name }) => name !== 'floor') })).toThrow(
    /floor was not measured/,
  );
});

describe('the document', () => {
  const text = documentOf(results, full);

  it('has every table, the chart, and what is not measured', () => {
    for (const table of tablesOf(results)) expect(text).toContain(asMarkdown(table));
    expect(text).toContain('](cost.svg)');
    expect(text).toContain('## What is not measured');
    expect(text).not.toMatch(/NaN|undefined/);
  });

  it('shows in a terminal what it shows in writing', () => {
    for (const table of tablesOf(results)) {
      expect(asText(table).split('\n').length).toBe(table.rows.length + 3);
      for (const row of table.rows) expect(row).toHaveLength(table.head.length);
    }
  });
});

it('draws a bar for every contender, as long as its ratio is large', () => {
  const chart = chartOf(compare(results));
  const widths = [...chart.matchAll(/<rect x="130" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));
  // Three batch sizes and the three other scenarios, of three contenders each.
  expect(widths).toHaveLength(6 * 3);
  const [pawl = 0, , powertools = 0] = widths;
  expect(powertools / pawl).toBeCloseTo(4, 1);
  expect(chart).not.toMatch(/NaN|undefined/);
});

describe('the command line', () => {
  it('is a full run unless told otherwise', () => {
    expect(readCommandLine([])).toEqual({ quick: false, json: false, write: false, costs: false });
    expect(readCommandLine(['--help'])).toBe('help');
  });

  it('writes down no quick run, and knows no other options', () => {
    expect(() => readCommandLine(['--quick', '--write'])).toThrow(/--quick/);
    expect(() => readCommandLine(['--fast'])).toThrow(/--fast/);
  });
});
