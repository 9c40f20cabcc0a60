import type { Comparison } from './compare.ts';
import { type Name, titles } from './contender.ts';

interface Group {
  readonly label: string;
  readonly bars: readonly { readonly name: Name; readonly value: number }[];
}

const colours: Partial<Record<Name, string>> = { pawl: '#0b7285', sqsOnce: '#66b2c0', powertools: '#e8890c' };
const shown = ['pawl', 'sqsOnce', 'powertools'] as const;
const bar = 15;
const gap = 14;
const left = 130;
const width = 620;
const topMargin = 74;

/** A bar chart of client CPU as a multiple of the floor, which is a line at 1. */
export function chartOf(comparisons: readonly Comparison[]): string {
  const first = comparisons.filter(({ scenario }) => scenario === 'first');
  const tens = comparisons.filter(({ scenario, size }) => scenario !== 'first' && size === 10);
  const title = { duplicate: '10 duplicates', redelivered: '10 redelivered', failing: '10, two fail', first: '' };
  const groups = [
    ...groupsOf(first, ({ size }) => `batch of ${size.toLocaleString('en-US')}`),
    ...groupsOf(tens, ({ scenario }) => title[scenario]),
  ];
  const scale = width / Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const groupHeight = shown.length * bar + gap;
  const bottom = topMargin + groups.length * groupHeight;
  const floorX = left + scale;

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${bottom + 24}" font-family="sans-serif" font-size="12">`,
    '<title>Client CPU of a batch, as a multiple of the floor</title>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    text(12, 22, 'Client CPU of a batch, as a multiple of the floor (raw batch statements). Less is better.', 'bold'),
    ...shown.map((name, i) => legend(12 + i * 210, 44, name)),
    ...groups.flatMap((group, i) => drawGroup(group, topMargin + i * groupHeight, scale)),
    `<line x1="${at(floorX)}" y1="${topMargin - 6}" x2="${at(floorX)}" y2="${bottom}" stroke="#343a40" stroke-dasharray="4 3"/>`,
    text(floorX - 12, bottom + 14, 'floor'),
    '</svg>',
    '',
  ].join('\n');
}

function groupsOf(comparisons: readonly Comparison[], labelOf: (one: Comparison) => string): readonly Group[] {
  return [...Map.groupBy(comparisons, labelOf)].map(([label, some]) => ({
    label,
    bars: shown.map((name) => ({ name, value: some.find((one) => one.name === name)?.cpuToFloor ?? 0 })),
  }));
}

function drawGroup({ label, bars }: Group, y: number, scale: number): readonly string[] {
  return [
    text(12, y + bar * 2 - 3, label),
    ...bars.flatMap(({ name, value }, i) => [
      `<rect x="${left}" y="${y + i * bar}" width="${at(value * scale)}" height="${bar - 2}" fill="${colours[name]}"/>`,
      text(left + value * scale + 6, y + (i + 1) * bar - 4, value.toFixed(2)),
    ]),
  ];
}

function legend(x: number, y: number, name: Name): string {
  return `<rect x="${x}" y="${y - 10}" width="12" height="12" fill="${colours[name]}"/>${text(x + 18, y, titles[name])}`;
}

function text(x: number, y: number, content: string, weight = 'normal'): string {
  return `<text x="${at(x)}" y="${y}" fill="#212529" font-weight="${weight}">${content}</text>`;
}

function at(position: number): string {
  return position.toFixed(1);
}
