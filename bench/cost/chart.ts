import type { Comparison } from './compare.ts';
import { type Name, TITLES } from './contender.ts';

interface Group {
  readonly label: string;
  readonly bars: readonly { readonly name: Name; readonly value: number }[];
}

const COLOURS: Partial<Record<Name, string>> = { pawl: '#0b7285', sqsOnce: '#66b2c0', powertools: '#e8890c' };
const SHOWN = ['pawl', 'sqsOnce', 'powertools'] as const;
const BAR = 15;
const GAP = 14;
const LEFT = 130;
const WIDTH = 620;
const TOP = 74;

/** A bar chart of client CPU as a multiple of the floor, which is a line at 1. */
export function chartOf(comparisons: readonly Comparison[]): string {
  const first = comparisons.filter(({ scenario }) => scenario === 'first');
  const tens = comparisons.filter(({ scenario, size }) => scenario !== 'first' && size === 10);
  const title = { duplicate: '10 duplicates', redelivered: '10 redelivered', failing: '10, two fail', first: '' };
  const groups = [
    ...groupsOf(first, ({ size }) => `batch of ${size.toLocaleString('en-US')}`),
    ...groupsOf(tens, ({ scenario }) => title[scenario]),
  ];
  const scale = WIDTH / Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const groupHeight = SHOWN.length * BAR + GAP;
  const bottom = TOP + groups.length * groupHeight;
  const floorX = LEFT + scale;

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 60} ${bottom + 24}" font-family="sans-serif" font-size="12">`,
    '<title>Client CPU of a batch, as a multiple of the floor</title>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    text(12, 22, 'Client CPU of a batch, as a multiple of the floor (raw batch statements). Less is better.', 'bold'),
    ...SHOWN.map((name, i) => legend(12 + i * 210, 44, name)),
    ...groups.flatMap((group, i) => drawGroup(group, TOP + i * groupHeight, scale)),
    `<line x1="${at(floorX)}" y1="${TOP - 6}" x2="${at(floorX)}" y2="${bottom}" stroke="#343a40" stroke-dasharray="4 3"/>`,
    text(floorX - 12, bottom + 14, 'floor'),
    '</svg>',
    '',
  ].join('\n');
}

function groupsOf(comparisons: readonly Comparison[], labelOf: (one: Comparison) => string): readonly Group[] {
  return [...Map.groupBy(comparisons, labelOf)].map(([label, some]) => ({
    label,
    bars: SHOWN.map((name) => ({ name, value: some.find((one) => one.name === name)?.cpuToFloor ?? 0 })),
  }));
}

function drawGroup({ label, bars }: Group, y: number, scale: number): readonly string[] {
  return [
    text(12, y + BAR * 2 - 3, label),
    ...bars.flatMap(({ name, value }, i) => [
      `<rect x="${LEFT}" y="${y + i * BAR}" width="${at(value * scale)}" height="${BAR - 2}" fill="${COLOURS[name]}"/>`,
      text(LEFT + value * scale + 6, y + (i + 1) * BAR - 4, value.toFixed(2)),
    ]),
  ];
}

function legend(x: number, y: number, name: Name): string {
  return `<rect x="${x}" y="${y - 10}" width="12" height="12" fill="${COLOURS[name]}"/>${text(x + 18, y, TITLES[name])}`;
}

function text(x: number, y: number, content: string, weight = 'normal'): string {
  return `<text x="${at(x)}" y="${y}" fill="#212529" font-weight="${weight}">${content}</text>`;
}

function at(position: number): string {
  return position.toFixed(1);
}
