import { type Name, titles } from '../contender.ts';
import { type Money, paid } from './money.ts';

const colours: Partial<Record<Name, string>> = {
  middy: '#adb5bd',
  pawl: '#0b7285',
  pawlLean: '#66b2c0',
  powertools: '#e8890c',
};
const bar = 15;
const gap = 14;
const left = 190;
const width = 560;
const topMargin = 74;
/** The handler and the memory that are shown. */
const shownSizes = { handlerMs: 20, memoryMb: 512 } as const;

/** A bar for each contender and batch size: what a million messages cost in all. */
export function moneyChart({ cells }: Money): string {
  const shown = cells.filter((one) => one.handlerMs === shownSizes.handlerMs && one.memoryMb === shownSizes.memoryMb);
  const groups = [...Map.groupBy(shown, ({ size }) => size)];
  const scale = width / Math.max(1, ...shown.map(({ cost }) => cost.total));
  const groupHeight = paid.length * bar + gap;
  const bars = groups.flatMap(([size, some], group) => {
    const y = topMargin + group * groupHeight;
    return [
      text(12, y + bar * 2 - 3, `batches of ${size}`),
      ...paid.flatMap((name, row) => {
        const total = some.find((one) => one.name === name)?.cost.total ?? 0;
        const top = y + row * bar;
        return [
          `<rect x="${left}" y="${top}" width="${(total * scale).toFixed(1)}" height="${bar - 2}" fill="${colours[name]}"/>`,
          text(left + total * scale + 6, top + bar - 4, `$${total.toFixed(2)}`),
        ];
      }),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 70} ${topMargin + groups.length * groupHeight + 10}" font-family="sans-serif" font-size="12">`,
    '<title>US dollars for a million messages</title>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    text(
      12,
      22,
      `US dollars for a million messages: a handler of ${shownSizes.handlerMs} ms, ${shownSizes.memoryMb} MB. Less is better.`,
    ),
    ...paid.map(
      (name, place) =>
        `<rect x="${12 + place * 210}" y="34" width="12" height="12" fill="${colours[name]}"/>${text(30 + place * 210, 44, titles[name])}`,
    ),
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y}" fill="#212529">${content}</text>`;
}
