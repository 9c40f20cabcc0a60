import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { findingOf, storeFinding } from '../../../lib/pawl/statements/finding.ts';
import { findings } from '../../../lib/pawl/statements/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { createRandom } from '../../../lib/rehearsal/engine/random.ts';
import { startWorker } from '../../fixtures/locks/children.ts';
import type { Ended, RemedyWorker } from '../../fixtures/remedies/messages.ts';
import { collect } from '../../support/collect.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
const folder = mkdtempSync(join(tmpdir(), 'remedies-'));
afterAll(() => {
  client.destroy();
  rmSync(folder, { recursive: true });
});

/** `npm run campaign -- remedies` has a thousand. */
const planted = Number(process.env['PAWL_FINDINGS'] ?? 250);
const firstLimit = planted * 0.6;
/** Of each of the two halves. */
const killed = Math.ceil(planted * 0.018);

it('makes one refund of each finding, in three runs side by side that are killed, and stops at the limit of the day', async () => {
  const tableName = await claimsTable(client);
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const desk = findings({ store });
  for (let from = 0; from < planted; from += 50) {
    const some = Array.from({ length: 50 }, (_, index) => {
      const [claimId, line] = [`charge#order-${from + index}`, { at: Date.now(), id: `txn_${from + index}` }];
      const what = { kind: 'twice', operation: 'charge', foundAt: from + index, claimId } as const;
      return findingOf({ ...what, line: { ...line, facts: { cents: 500 } } }, [claimId, 'id', line.id], nodeHost);
    });
    await Promise.all(some.map((one) => storeFinding(withListing(store), one)));
  }
  const ledger = join(folder, 'refunds.txt');
  writeFileSync(ledger, '');
  const refunds = () => readFileSync(ledger, 'utf8').split('\n').slice(0, -1);
  const random = createRandom(34);
  let kills = 0;
  // No midnight comes while this runs: the limit is of one day.
  const offset = Date.UTC(2026, 10, 27, 9) - Date.now();

  /** One run. @returns what it came to; nothing, if it was killed */
  async function run(perDay: number, diesAt?: RemedyWorker['diesAt']): Promise<Ended | undefined> {
    const worker: RemedyWorker = { endpoint: inject('dynamoEndpoint'), tableName, ledger, perDay, offset, diesAt };
    const child = startWorker('../remedies/worker.ts', { WORKER: JSON.stringify(worker) });
    let ended: Ended | undefined;
    child.on('message', (message) => {
      ended = message as Ended;
    });
    const [code, signal] = await once(child, 'exit');
    if (signal === 'SIGKILL') kills++;
    else if (ended === undefined) throw new Error(`a worker has ended with ${code}`);
    return ended;
  }

  /** Runs three side by side, and kills them, until there is nothing left that they may do. */
  async function runAll(perDay: number): Promise<void> {
    const until = kills + killed;
    const most = Math.min(perDay, planted);
    async function lane(): Promise<void> {
      while (kills < until && refunds().length < most) {
        const when = random.pick(['before', 'after', 'in-effect'] as const);
        // What lies before is the plan: a read of each finding that is open. A finding takes about ten requests.
        await run(perDay, { when, request: planted - refunds().length + random.below(firstLimit / 2) });
      }
    }
    await Promise.all([lane(), lane(), lane()]);
    for (;;) {
      // The leases of those that were killed.
      await sleep(4000);
      await Promise.all([run(perDay), run(perDay), run(perDay)]);
      const left = await desk.settleReservations('charge');
      if (left.length === 0 && refunds().length >= most) return;
    }
  }

  await runAll(firstLimit);
  expect(refunds()).toHaveLength(firstLimit);
  await run(firstLimit);
  expect(refunds()).toHaveLength(firstLimit);
  await runAll(100_000);
  console.log(`${planted} findings, ${kills} kills`);
  expect(kills).toBeGreaterThanOrEqual(planted * 0.03);
  expect(refunds()).toHaveLength(planted);
  expect(new Set(refunds()).size).toBe(planted);
  expect(await collect(desk.list({ operation: 'charge' }))).toEqual([]);
});
