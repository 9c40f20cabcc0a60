import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { type Row, rows } from '../../../support/ended/rows.ts';
import { expectEndedWell, type Fault, faults, runEnded } from '../../../support/ended/run-ended.ts';
import { makeWorld } from '../../../support/ended/world.ts';
import { isWhole } from '../../../support/whole.ts';

/*
 * Every command that changes something, ended in every way at its first, its middle or its last request, another one for each way. One that only reads is
 * ended in three of the nine ways, and each way meets three of them. `PAWL_SWEEPS=all` ends each in every way at each of its requests (half an hour); `PAWL_ENDED=redrive` likewise for one command, and `PAWL_ENDED=redrive,SIGINT` for one way of it.
 */

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

const [only, way] = process.env['PAWL_ENDED']?.split(',') ?? [];
const here = Object.entries(rows).filter(
  (entry): entry is [string, Row] => !('elsewhere' in entry[1]) && (only === undefined || entry[0] === only),
);

/** Whether a command is ended in this way. What only reads has less to lose. */
function isTried(name: string, { acts }: Row, kind: Fault): boolean {
  if (way !== undefined) return kind === way;
  return isWhole || only !== undefined || acts > 0 || (placeOf(name) + faults.indexOf(kind)) % 3 === 0;
}

const placeOf = (name: string) => here.findIndex(([row]) => row === name);

/** At which of so many requests the fault happens. */
function places(requests: number, [row, kind]: readonly [string, Fault]): readonly number[] {
  if (isWhole || only !== undefined) return [...Array.from({ length: requests }).keys()];
  const nth = faults.indexOf(kind);
  const turn = (placeOf(row) + nth + Math.floor(nth / 3)) % 3;
  return [[0, Math.floor(requests / 2), requests - 1][turn] ?? 0];
}

describe.each(here)('pawl %s', (name, row) => {
  let requests: readonly string[];
  beforeAll(async () => {
    const dynamo = inject('dynamoEndpoint');
    const world = await makeWorld(dynamo, sqs);
    await row.prepare(world);
    const whole = await runEnded(row.args(world), { dynamo, sqs: sqs.endpoint });
    expect([whole.code, whole.error]).toEqual([row.code, expect.not.stringContaining('    at ')]);
    expect(await row.done(world)).toBe(row.acts);
    world.stop();
    ({ requests } = whole);
  });

  it.each(faults.filter((fault) => isTried(name, row, fault)))(
    'loses nothing, says what it did, and can be run again: %s at its requests',
    {
      timeout: 900_000,
    },
    async (kind) => {
      const dynamo = inject('dynamoEndpoint');
      const endpoints = { dynamo, sqs: sqs.endpoint };
      for (const at of places(requests.length, [name, kind])) {
        const world = await makeWorld(dynamo, sqs);
        await expectEndedWell(row, world, endpoints, { kind, at }).catch((error: unknown) => {
          throw new Error(`${kind} at request ${at}, ${requests[at]}`, { cause: error });
        });
        world.stop();
      }
    },
  );
});
