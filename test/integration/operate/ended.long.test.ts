import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type SqsLocal, startSqsLocal } from '../../../lib/rehearsal/sqs-local.ts';
import { type Row, rows } from '../../support/ended/rows.ts';
import { expectEndedWell, faults, runEnded } from '../../support/ended/run-ended.ts';
import { makeWorld } from '../../support/ended/world.ts';

/*
 * Every command, ended in every way at its first, a middle and its last request. `PAWL_ENDED=all` does so at each of its requests (half an hour);
 * `PAWL_ENDED=redrive` likewise for one command, and `PAWL_ENDED=redrive,SIGINT` for one way of it.
 */

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

const [only, way] = process.env['PAWL_ENDED']?.split(',') ?? [];
const here = Object.entries(rows).filter(
  (entry): entry is [string, Row] =>
    !('elsewhere' in entry[1]) && (only === undefined || only === 'all' || entry[0] === only),
);

/** At which of so many requests the fault happens. */
function places(requests: number): ReadonlySet<number> {
  if (only !== undefined) return new Set(Array.from({ length: requests }).keys());
  return new Set([0, Math.floor(requests / 2), requests - 1]);
}

describe.each(here)('pawl %s', (_, row) => {
  it.each(faults.filter((fault) => way === undefined || fault === way))(
    'loses nothing, says what it did, and can be run again: %s at its requests',
    {
      timeout: 900_000,
    },
    async (kind) => {
      const dynamo = inject('dynamoEndpoint');
      const endpoints = { dynamo, sqs: sqs.endpoint };
      const whole = await makeWorld(dynamo, sqs);
      await row.prepare(whole);
      const { code, requests, error } = await runEnded(row.args(whole), endpoints);
      expect([code, error]).toEqual([row.code, expect.not.stringContaining('    at ')]);
      expect(await row.done(whole)).toBe(row.acts);
      whole.stop();
      for (const at of places(requests.length)) {
        const world = await makeWorld(dynamo, sqs);
        await expectEndedWell(row, world, endpoints, { kind, at }).catch((error: unknown) => {
          throw new Error(`${kind} at request ${at}, ${requests[at]}`, { cause: error });
        });
        world.stop();
      }
    },
  );
});
