import { connect, createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { statementsOf as outboxStatements } from '../../lib/pawl/outbox/postgres/statements.ts';
import { parametersOf } from '../../lib/pawl/stores/postgres/row.ts';
import { statementsOf } from '../../lib/pawl/stores/postgres/statements.ts';
import { portOf } from '../../lib/rehearsal/engine/http.ts';
import { createClaimKills } from '../../shop/faults/claim-kills.ts';
import { postgresReads } from '../../shop/postgres/reads.ts';
import { startPostgresTap } from '../../shop/postgres/tap.ts';

/** A parameter as `pg` sends it. */
const listed = (values: readonly unknown[]) =>
  `{${values.map((one) => (one === null ? 'NULL' : JSON.stringify(String(one)))).join(',')}}`;

const record = (id: string, status: string) => ({ id, status, record: 'a "quoted" {text}, \n with lines' });
const writes = [record('send-email#order-1', 'in-flight'), record('send-email#order-2', 'completed')];
const write = {
  text: statementsOf('"pawl_claims"').write,
  values: parametersOf(writes.map((next) => ({ next, state: { claimId: 'c', rev: 1 }, seen: undefined }))).map((list) =>
    listed(list as readonly unknown[]),
  ),
};
const { write: put, lane, remove } = outboxStatements('"pawl_outbox"');
const calls = (...statements: readonly object[]) => ({
  sandbox: 'SANDBOX0001',
  operation: 'COMMIT',
  body: JSON.stringify(statements),
});
const answered = (...rows: readonly (readonly string[])[]) => ({ status: 200, body: JSON.stringify(rows) });

test('the writes of claims are read from the statements that pawl sends, and with the response those that were applied', () => {
  const call = calls({ text: 'INSERT INTO entries …', values: ['x'] }, write);
  expect(postgresReads.writesIn(call)).toEqual([
    { id: 'send-email#order-1', status: 'in-flight' },
    { id: 'send-email#order-2', status: 'completed' },
  ]);
  expect(postgresReads.writesIn(call, answered([], ['send-email#order-2']))).toEqual([
    { id: 'send-email#order-2', status: 'completed' },
  ]);
  expect(postgresReads.writesIn(call, { status: 500, body: '[]' })).toEqual([]);
});

test('a worker is killed at the commit of its completion, and not where another one had won', () => {
  const kills = createClaimKills(new Map([['send-email#order-2', 'completion-written']]), postgresReads.writesIn);
  expect(kills.onResponse?.(calls(write), answered(['send-email#order-1']))).toBe('pass');
  expect(kills.onResponse?.(calls(write), answered(['send-email#order-2']))).toBe('kill');
  expect(kills.onResponse?.(calls(write), answered(['send-email#order-2']))).toBe('pass');
});

test('the messages of an outbox are read from the statements that pawl sends', () => {
  const messages = {
    text: put,
    values: [listed(['lane-1']), '{"1"}', '{"u"}', listed(['{"key":"receipt/payment-7"}'])],
  };
  expect(postgresReads.messagesPut(calls(write, messages))).toEqual([['lane-1', 'receipt/payment-7']]);
  expect(postgresReads.lanesRead(calls({ text: lane, values: ['lane-1', '0', '50'] }))).toEqual(['lane-1']);
  expect(postgresReads.lanesRemoved(calls({ text: remove, values: ['lane-1', '1', 'u'] }))).toEqual(['lane-1']);
  expect(postgresReads.lanesRead(calls(write, messages))).toEqual([]);
});

test('a connection that goes through the tap arrives in pieces of any size, and ends at both ends', async () => {
  const heard: string[] = [];
  const ended = Promise.withResolvers<void>();
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined).once('close', () => ended.resolve());
    socket.on('data', (data) => {
      heard.push(data.toString('latin1'));
      // ReadyForQuery: what a server says when it waits.
      socket.write(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tap = await startPostgresTap(portOf(server));
  const client = connect(tap.port, '127.0.0.1');
  let bytes = 0;
  const answersArrived = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => (bytes >= 6 * count ? resolve() : void setTimeout(look, 1));
      look();
    });
  client.on('data', (data) => {
    bytes += data.length;
  });
  const begin = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]);
  const query = Buffer.from('Q\0\0\0\x0dSELECT 1\0', 'latin1');
  for (const byte of begin) client.write(Buffer.from([byte]));
  await answersArrived(1);
  for (const byte of query) client.write(Buffer.from([byte]));
  await answersArrived(2);
  expect(heard.join('')).toBe(Buffer.concat([begin, query]).toString('latin1'));
  client.end();
  await ended.promise;
  await tap.stop();
  server.close();
});
