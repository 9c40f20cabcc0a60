import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type SqsLocal, startSqsLocal } from '../../../lib/rehearsal/sqs-local.ts';
import { type Row, rows } from '../../support/ended/rows.ts';
import { expectEndedWell, faults, runEnded } from '../../support/ended/run-ended.ts';
import { makeWorld } from '../../support/ended/world.ts';

/* Every command, ended in every way at each of its requests. `PAWL_ENDED=redrive` runs one of them, and `PAWL_ENDED=redrive,SIGINT` one way of it. */

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

const [only, way] = process.env['PAWL_ENDED']?.split(',') ?? [];
const here = Object.entries(rows).filter(
  (entry): entry is [string, Row] => !('elsewhere' in entry[1]) && (only === undefined || entry[0] === only),
);

describe.each(here)('pawl %s', (_, row) => {
  it.each(faults.filter((fault) => way === undefined || fault === way))(
    'loses nothing, says what it did, and can be run again: %s at each request',
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
      for (let at = 0; at < requests.length; at++) {
        const world = await makeWorld(dynamo, sqs);
        await expectEndedWell(row, world, endpoints, { kind, at }).catch((error: unknown) => {
          throw new Error(`${kind} at request ${at}, ${requests[at]}`, { cause: error });
        });
        world.stop();
      }
    },
  );
});
