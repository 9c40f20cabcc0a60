import { type Name, TITLES } from '../contender.ts';
import { type Money, PAID } from './money.ts';

const COLOURS: Partial<Record<Name, string>> = {
  middy: '#adb5bd',
  pawl: '#0b7285',
  pawlLean: '#66b2c0',
  powertools: '#e8890c',
};
const BAR = 15;
const GAP = 14;
const LEFT = 190;
const WIDTH = 560;
const TOP = 74;
/** The handler and the memory that are shown. */
const SHOWN = { handlerMs: 20, memoryMb: 512 } as const;

/** A bar for each contender and batch size: what a million messages cost in all. */
export function moneyChart({ cells }: Money): string {
  const shown = cells.filter((one) => one.handlerMs === SHOWN.handlerMs && one.memoryMb === SHOWN.memoryMb);
  const groups = [...Map.groupBy(shown, ({ size }) => size)];
  const scale = WIDTH / Math.max(1, ...shown.map(({ cost }) => cost.total));
  const groupHeight = PAID.length * BAR + GAP;
  const bars = groups.flatMap(([size, some], group) => {
    const y = TOP + group * groupHeight;
    return [
      text(12, y + BAR * 2 - 3, `batches of ${size}`),
      ...PAID.flatMap((name, row) => {
        const total = some.find((one) => one.name === name)?.cost.total ?? 0;
        const top = y + row * BAR;
        return [
          `<rect x="${LEFT}" y="${top}" width="${(total * scale).toFixed(1)}" height="${BAR - 2}" fill="${COLOURS[name]}"/>`,
          text(LEFT + total * scale + 6, top + BAR - 4, `$${total.toFixed(2)}`),
        ];
      }),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 70} ${TOP + groups.length * groupHeight + 10}" font-family="sans-serif" font-size="12">`,
    '<title>US dollars for a million messages</title>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    text(
      12,
      22,
      `US dollars for a million messages: a handler of ${SHOWN.handlerMs} ms, ${SHOWN.memoryMb} MB. Less is better.`,
    ),
    ...PAID.map(
      (name, place) =>
        `<rect x="${12 + place * 210}" y="34" width="12" height="12" fill="${COLOURS[name]}"/>${text(30 + place * 210, 44, TITLES[name])}`,
    ),
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y}" fill="#212529">${content}</text>`;
}
