import { expect } from 'vitest';
import { mailing, type startIncident } from '../../../support/incident.ts';

type Incident = Awaited<ReturnType<typeof startIncident>>;

/** Runs a command of `pawl`, in this process or in its own. */
export type Pawl = (args: readonly string[]) => Promise<{
  readonly code: number | null;
  readonly out: string;
  readonly lines: () => readonly Record<string, unknown>[];
}>;

/** What an operator types: the mails in the outbox have reached their readers, the others have not. */
export async function settleByCommands(incident: Incident, outbox: readonly string[], run: Pawl): Promise<void> {
  const { tableName, mails, orders } = incident;
  const acted = ['--by', 'maria', '--note', 'asked the mail service'];
  const pawl = (...args: readonly string[]) => run([...args, '--table', tableName]);

  const open = await pawl('claims', '--json', '--operation', mailing, '--status', 'parked');
  expect([open.code, open.lines().length]).toEqual([1, 41]);

  const ids = outbox.map((key) => `${mailing}#${key}`);
  const applied = await pawl('resolve', ...ids, 'applied', '--yes', '--json', ...acted);
  expect([applied.code, applied.lines().at(-1)]).toEqual([0, { kind: 'summary', resolved: 30, stay: 0 }]);
  const rest = await pawl('resolve', 'not-applied', '--operation', mailing, '--yes', ...acted);
  expect([rest.code, rest.out]).toEqual([0, expect.stringContaining('10 claims resolved as not-applied, 0 not.')]);

  const [dead, queue] = [mails.deadLetters.url, mails.queue.url];
  const redriven = await pawl('redrive', '--queue', dead, '--to', queue, '--by', 'maria', '--yes');
  expect([redriven.code, redriven.out]).toEqual([0, expect.stringContaining('40 messages redriven, 0 not.')]);
  const ofOrders = ['--queue', orders.deadLetters.url, '--to', orders.queue.url];
  const refused = await pawl('redrive', ...ofOrders, '--yes', '--json');
  expect([refused.code, refused.lines().at(-1)]).toEqual([1, { kind: 'summary', planned: 0, stay: 10 }]);
}

/** What has to be true in the end, however it was done. */
export async function expectSettled(incident: Incident, outbox: readonly string[]): Promise<void> {
  await incident.deliverMails();
  const { sent, mailKeys, store, sqs } = incident;
  expect([...sent].sort()).toEqual(mailKeys.filter((key) => !outbox.includes(key)).sort());
  for (const key of mailKeys) {
    expect(await store.read(`${mailing}#${key}`)).toMatchObject({ status: 'completed', resolution: { by: 'maria' } });
  }
  expect(await sqs.depth('mails-dlq')).toEqual({ ready: 0, delayed: 0, inFlight: 0 });
  expect(await sqs.depth('orders-dlq')).toEqual({ ready: 10, delayed: 0, inFlight: 0 });
}
