import { fileURLToPath } from 'node:url';
import { type FleetResult, runFleet, withoutEffect } from '../fleet/fleet.ts';
import { type Doubled, doublesIn, type Library } from './oracle.ts';

/**
 * A fleet that moves from Powertools to pawl and half of it back: all of Powertools, half of each, all of pawl, half of each again.
 */

export interface Migration {
  readonly endpoint: string;
  readonly records: string;
  readonly claims: string;
  /** How many workers are killed, at points of chance. */
  readonly kills: number;
  readonly seed: number;
  /** In place of pawl. @default 'pawl' */
  readonly library?: Library;
}

export interface Migrated extends FleetResult<Library> {
  readonly doubles: readonly Doubled[];
  /** The keys whose effect never happened. */
  readonly lost: readonly string[];
}

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url));

export async function migrate({
  endpoint,
  records,
  claims,
  kills,
  seed,
  library = 'pawl',
}: Migration): Promise<Migrated> {
  const halves: readonly Library[] = ['peer', 'peer', library, library];
  const result = await runFleet<Library>({
    worker: (kind) => [workerFile, kind, endpoint, records, claims],
    stages: [
      { until: 0.2, kinds: ['peer', 'peer', 'peer', 'peer'] },
      { until: 0.5, kinds: halves },
      { until: 0.7, kinds: [library, library, library, library] },
      { until: 1, kinds: halves },
    ],
    kills,
    seed,
    secondCopyAfter: 1,
  });
  return { ...result, doubles: doublesIn(result.runs), lost: withoutEffect(result) };
}
