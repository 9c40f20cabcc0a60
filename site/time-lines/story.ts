import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.ts';

/** What happened to one message in the run that made the guarantee table: `test/suites/integration/crash-points.long.test.ts` notes it. */
export interface Happening {
  /** Milliseconds since the first. */
  readonly at: number;
  readonly worker: number;
  readonly act: string;
}

export type Story = readonly Happening[];

/** The story of each cell of the table, by column and point: `park-wrote-claim`. */
export function readStories(): ReadonlyMap<string, Story> {
  const written: Readonly<Record<string, readonly string[]>> = JSON.parse(
    readFileSync(join(root, 'docs/evidence/crash-points.json'), 'utf8'),
  );
  return new Map(Object.entries(written).map(([cell, lines]) => [cell, lines.map(happening)]));
}

function happening(line: string): Happening {
  const { at, worker, act } = /^(?<at>\d+) (?<worker>\d+) (?<act>.+)$/.exec(line)?.groups ?? {};
  if (act === undefined) throw new Error(`A happening is not understood: ${line}`);
  return { at: Number(at), worker: Number(worker), act };
}
