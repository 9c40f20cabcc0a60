import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createMachine } from '../../../../lib/rehearsal/engine/machine.ts';
import { readClaims } from '../../../../lib/rehearsal/pawl/claims-table.ts';
import { project } from '../../../../shop/app/project.ts';
import { itemsOf } from '../../../../shop/app/records.ts';
import type { Shop } from '../../../../shop/app/shop.ts';
import { postgresPrograms } from '../../../../shop/postgres/server.ts';
import { report } from '../../../../shop/traffic/report.ts';
import { runTraffic } from '../../../../shop/traffic/traffic.ts';
import { isGood, jsonLine } from '../../../../shop/traffic/traffic-result.ts';

const quiet = { say: () => undefined, update: () => undefined, end: () => undefined };
const run = {
  orders: 6,
  payments: 5,
  repayments: 3,
  killShare: 0.2,
  seed: 7,
  progress: quiet,
  store: 'postgres',
  // These tests are judged by what the shop does: a neighbour may have the machine for a while.
  get machine() {
    return createMachine({ aWhileMs: 180_000 });
  },
} as const;

describe.skipIf(postgresPrograms() === undefined)('the shop over PostgreSQL', () => {
  test('does everything once, with kills in every link, and keeps nothing in DynamoDB', async () => {
    const up: { shop?: Shop; inDynamo?: readonly number[] } = {};
    const result = await runTraffic({
      ...run,
      protection: 'as-written',
      onUp: (shop) => {
        up.shop = shop;
      },
      async onResult() {
        if (up.shop === undefined) return;
        const { dynamo, claimsTable, payments } = up.shop;
        const claims = [claimsTable, payments.claimsTable].map((table) => readClaims(dynamo, table));
        const entries = await itemsOf(dynamo, payments.ledgerTable);
        up.inDynamo = [...(await Promise.all(claims)).map(({ total }) => total), entries.length];
      },
    });
    expect(JSON.parse(jsonLine(result))).toMatchObject({
      lost: 0,
      doubled: 0,
      unfinished: 0,
      neverRun: 0,
      giftCards: 6,
      payments: 5,
      ledgerEntries: 10,
      drift: 0,
      receipts: 5,
      receiptsDoubled: 0,
      points: 5,
      pointsDoubled: 0,
      outboxLeft: 0,
      // All that are planned: what the relay is to die at, its worker cannot send.
      relaysKilled: 2,
      repayments: 166,
      repaidTwice: 0,
      locksLeft: 0,
      left: 0,
    });
    expect(isGood(result)).toBe(true);
    expect(up.inDynamo).toEqual([0, 0, 0]);
    expect(result.sandboxes.killed).toBeGreaterThan(3);
    expect(report(result, false)).toMatch(/store faults +[1-9]\d* .*responses lost/);
  });

  test('without pawl, effects happen twice and the ledger drifts', async () => {
    const result = await runTraffic({ ...run, protection: 'none' });
    expect(isGood(result)).toBe(false);
    expect([...result.emails.doubled, ...result.giftCards.doubled].length).toBeGreaterThan(0);
    expect(result.payments.drift.length).toBeGreaterThan(0);
    expect(report(result, false)).toContain('--store postgres --unprotected');
  });

  test('with the messages of a payment behind its commit, what follows is lost with the worker that dies between the two', async () => {
    const result = await runTraffic({ ...run, orders: 1, payments: 20, repayments: 0, protection: 'split' });
    expect(isGood(result)).toBe(false);
    expect(result.payments).toMatchObject({ ledgerEntries: 40, drift: [] });
    const lost = result.rehearsed.harmed.filter(({ problem }) => problem === 'lost');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost[0]?.story.join('\n')).toMatch(/IS KILLED when PostgreSQL had carried out its COMMIT/);
  });
});

test('where no PostgreSQL is installed, npm start says so and ends with 2', async () => {
  const elsewhere = `data:text/javascript,Object.defineProperty(process, 'arch', { value: 'none' })`;
  const npmStart = spawn(process.execPath, ['--import', elsewhere, 'bin/local.ts', '--store', 'postgres'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  npmStart.stderr.on('data', (text) => {
    said += text;
  });
  const [code] = await once(npmStart, 'close');
  expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining('no PostgreSQL is installed for') });
});
