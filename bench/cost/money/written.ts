import { titles } from '../contender.ts';
import type { Units } from './cost.ts';
import { memoriesMb, type Paid, paid } from './money.ts';

/** What one contender was measured with: how long an invocation took, and what a message needs of DynamoDB. */
export interface Measured {
  readonly name: Paid;
  /** As tables call it. */
  readonly title: string;
  readonly size: number;
  readonly handlerMs: number;
  readonly memoryMb: number;
  readonly durationMs: number;
  readonly units: Units;
}

const heading = '### Units of a message, and how long an invocation takes\n';

/**
 * The measurements that `docs/evidence/cost.md` shows (`inputTable` in `document.ts`), as numbers: the calculator has no other list than the page.
 *
 * @throws Error if the page has no such table, or a contender of another name
 */
export function measuredIn(page: string): readonly Measured[] {
  const [, table = ''] = page.split(heading);
  const rows = table.split('\n## ')[0]?.match(/^\| (?!contender|---).+\|$/gm) ?? [];
  if (rows.length === 0) throw new Error(`The page has no table under ${JSON.stringify(heading)}.`);
  return rows.flatMap((row) => {
    const [title = '', size, handlerMs, write, read, storedBytes, ...durations] = row.slice(2, -2).split(' | ');
    const name = paid.find((one) => titles[one] === title);
    if (name === undefined) throw new Error(`The page measures ${title}, which is no contender.`);
    const units = { write: Number(write), read: Number(read), storedBytes: Number(storedBytes) };
    return memoriesMb.map((memoryMb, index) => ({
      name,
      title,
      size: Number(size),
      handlerMs: Number(handlerMs),
      memoryMb,
      durationMs: Number(durations[index]),
      units,
    }));
  });
}
