import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { commands } from '../../../../lib/cli/commands.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { rows } from '../../../support/ended/rows.ts';
import { expectEndedWell, type Fault } from '../../../support/ended/run-ended.ts';
import { makeWorld } from '../../../support/ended/world.ts';
import { firstOf } from '../../../support/whole.ts';

/* Every command, ended at one of its requests. Here a sample; each request and each end in ended.long.test.ts. */

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

it('has a row for every command of pawl', () => {
  expect([...new Set(Object.keys(rows).map((name) => name.split(' ')[0]))].toSorted()).toEqual(
    commands.map(({ name }) => name).toSorted(),
  );
  for (const row of Object.values(rows))
    if ('elsewhere' in row) expect(existsSync(row.elsewhere), row.elsewhere).toBe(true);
});

describe('a command that ends before its end loses nothing, says what it did, and can be run again', () => {
  const ends = [
    ['claims', 'closed', 1],
    ['redrive', 'SIGTERM', 9],
    ['redrive', 'killed after', 11],
    ['resolve', 'SIGHUP', 3],
    ['dlq', 'starved', 3],
    ['findings accept', 'SIGINT', 4],
    ['redrive', 'SIGINT twice', 11],
    ['redrive', 'closed', 6],
    ['redrive', 'SIGINT', 8],
    ['dlq', 'SIGINT', 3],
    ['resolve', 'closed', 4],
    ['restored', 'SIGTERM', 1],
    ['outbox retry', 'SIGINT', 4],
    ['outbox discard', 'killed after', 4],
  ] as const satisfies readonly (readonly [string, Fault, number])[];
  it.each(ends.slice(0, firstOf(ends.length, { first: 4 })))('pawl %s, %s at request %i', async (name, kind, at) => {
    const row = rows[name];
    if (row === undefined || 'elsewhere' in row) throw new Error(`no row for ${name}`);
    const dynamo = inject('dynamoEndpoint');
    const world = await makeWorld(dynamo, sqs);
    await expectEndedWell(row, world, { dynamo, sqs: sqs.endpoint }, { kind, at });
    world.stop();
  });
});
