import { type Comparison, compare } from './compare.ts';
import { titles } from './contender.ts';
import { moneyTables } from './money/document.ts';
import type { Results } from './results.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { median, pairedRatio } from './statistics.ts';
import { coldRatio } from './summary.ts';
import type { Table } from './table.ts';

const title: Readonly<Record<Scenario, string>> = {
  first: 'First deliveries',
  duplicate: 'Duplicates of completed messages, received for the first time',
  redelivered: 'Completed messages, delivered again (receive count 2)',
  failing: 'First deliveries; the handler fails at every fifth',
};

/** All measurements, as tables of text. */
export function tablesOf(results: Results): readonly Table[] {
  const comparisons = compare(results);
  const batches = scenarios.map((scenario) => ({
    title: title[scenario],
    head: [
      'batch',
      'contender',
      'requests',
      'statements',
      'sent, B/msg',
      'received, B/msg',
      'CPU, ms/msg',
      'CPU, × floor',
      'CPU, × Powertools',
      'wall p50, × floor',
      'p95',
      'p99',
      'peak, MB',
    ],
    rows: comparisons.filter((one) => one.scenario === scenario).map(batchRow),
  }));
  return [...batches, ...largeTable(results), coldTable(results), ...moneyTables(results.money)];
}

function batchRow({ name, size, counts, cpuMs, cpuToFloor, cpuToPowertools, wallToFloor, peakMb }: Comparison) {
  return [
    size.toLocaleString('en-US'),
    titles[name],
    String(counts.requests),
    String(counts.statements),
    (counts.bytesSent / size).toFixed(0),
    (counts.bytesReceived / size).toFixed(0),
    (cpuMs / size).toFixed(3),
    cpuToFloor.toFixed(2),
    cpuToPowertools.toFixed(2),
    wallToFloor.p50?.toFixed(2) ?? '–',
    wallToFloor.p95?.toFixed(2) ?? '–',
    wallToFloor.p99?.toFixed(2) ?? '–',
    peakMb.toFixed(0),
  ];
}

function largeTable({ large }: Results): readonly Table[] {
  if (large.length === 0) return [];
  const head = ['contender', 'CPU, ms/msg', '× batches of 100', 'peak, MB', 'peak of batches of 100, MB'];
  const rows = large.map(({ name, cpuMs, peakMb, peakMbOfHundreds }) => [
    titles[name],
    median(cpuMs.tenThousand).toFixed(3),
    pairedRatio(cpuMs.tenThousand, cpuMs.hundred).toFixed(2),
    peakMb.toFixed(0),
    peakMbOfHundreds.toFixed(0),
  ]);
  return [{ title: 'First deliveries in one batch of 10,000', head, rows }];
}

function coldTable({ cold }: Results): Table {
  const floor = cold.find(({ name }) => name === 'floor');
  const rows = cold.map((one) => {
    const over = (what: 'importMs' | 'importCpuMs' | 'firstMs' | 'firstCpuMs') =>
      floor === undefined ? '–' : coldRatio(one, floor, what).toFixed(2);
    return [
      titles[one.name],
      one.bytes.total.toLocaleString('en-US'),
      one.bytes.own.toLocaleString('en-US'),
      median(one.starts.map(({ importMs }) => importMs)).toFixed(0),
      over('importMs'),
      over('importCpuMs'),
      median(one.starts.map(({ firstMs }) => firstMs)).toFixed(0),
      over('firstMs'),
      over('firstCpuMs'),
    ];
  });
  return {
    title: 'Cold start: the bundle, its import, and a first batch of 10',
    head: [
      'contender',
      'bundle, B',
      'without SDK, B',
      'import, ms',
      '× floor',
      'its CPU, × floor',
      'first batch, ms',
      '× floor',
      'its CPU, × floor',
    ],
    rows,
  };
}
