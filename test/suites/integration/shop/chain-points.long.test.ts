import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createMachine } from '../../../../lib/rehearsal/engine/machine.ts';
import { chainClaimId } from '../../../../shop/app/claim-id.ts';
import { chainEffects, messageKey, type PlannedChain, planChain } from '../../../../shop/plan/chain-plan.ts';
import { type PlannedPayment, planPayments } from '../../../../shop/plan/plan.ts';
import { runTraffic } from '../../../../shop/traffic/traffic.ts';
import { isGood, jsonLine, type TrafficResult } from '../../../../shop/traffic/traffic-result.ts';

/*
 * The table of docs/explanation/crash-points.md: the shop with a payment that costs a process its life at every point of the chain, and what became of
 * these payments in the end.
 */

/** The points of the chain, in the order of a payment's way through it. */
const points = {
  'callback claim-written': "the callback's function, after its claim is written, before it knows",
  'callback claim-answered': "the callback's function, after it knows, before the payment is on its queue",
  'callback completion-sent':
    "the callback's function, after the payment is on its queue, before the completion is written",
  'callback completion-written': "the callback's function, after the completion is written, before its response",
  'posting completion-sent': 'the worker, before the commit of entries and messages',
  'posting completion-written': 'the worker, after the commit, before it knows',
  'worker unsent': 'the worker, before a message is sent',
  'worker sent': 'the worker, after a message is sent, before it knows',
  'worker kept': 'the worker, before a message is removed from the outbox',
  'worker removed': 'the worker, after a message is removed, before it knows',
  'relay unread': 'the relay, before it reads a message',
  'relay unsent': 'the relay, before a message is sent',
  'relay sent': 'the relay, after a message is sent, before it knows',
  'relay kept': 'the relay, before a message is removed from the outbox',
  'relay removed': 'the relay, after a message is removed, before it knows',
  'consumer claim-written': 'the consumer of a message, after its claim is written, before it knows',
  'consumer claim-answered': 'the consumer of a message, after it knows, before it calls the provider',
  'consumer before-effect': 'the consumer of a message, during the call, before the provider applied it',
  'consumer effect-applied': 'the consumer of a message, after the provider applied it, before its response',
  'consumer effect-answered': 'the consumer of a message, after the response, before it acts on it',
  'consumer completion-sent': 'the consumer of a message, before the completion is written',
  'consumer completion-written': 'the consumer of a message, after the completion is written, before it knows',
} as const;

/** A process that dies: for which payment, where, and what it is called where it has not died. */
interface Death {
  readonly paymentId: string;
  readonly point: string;
  /** The message that is under way; nothing where both are. */
  readonly effect: string | undefined;
  readonly spared: string;
}

function deathsOf({ payment: { paymentId }, kill }: PlannedPayment, chain: PlannedChain | undefined): readonly Death[] {
  const deaths: Death[] = [];
  const dies = (point: string, spared: string, effect?: string) => deaths.push({ paymentId, point, effect, spared });
  const posting = `post-payment#${paymentId}`;
  const sending = chain?.sending;
  const diesCommitted = sending?.point === 'committed';
  if (diesCommitted) dies('posting completion-written', posting);
  else if (sending) dies(`${sending.by} ${sending.point}`, messageKey(sending.effect, paymentId), sending.effect);
  if (kill?.operation === 'payment-callback') dies(`callback ${kill.point}`, `payment-callback#${paymentId}`);
  // A claim dies once.
  else if (kill && !diesCommitted) dies(`posting ${kill.point}`, posting);
  for (const effect of chainEffects) {
    const trouble = chain?.troubles[effect];
    if (trouble?.kind === 'kill') dies(`consumer ${trouble.point}`, chainClaimId(effect, paymentId), effect);
  }
  return deaths;
}

/** What became of an effect of some payments: each has it once, or these have not. */
function fateOf({ rehearsed }: TrafficResult, name: string, payments: readonly string[]): string {
  const found = rehearsed.effects.find(({ effect }) => effect === name);
  if (found === undefined) return 'not counted';
  const { effect: _, intents: _of, done: _done, absent: _absent, ...wrong } = found;
  const fates = Object.entries(wrong).filter(([, intents]) => payments.some((one) => intents.includes(one)));
  return fates.length === 0 ? 'once' : fates.map(([fate]) => fate).join(', ');
}

const options = { killShare: 0.08, seed: 5 } as const;

test('a payment has its entries, one receipt and one booking of points, at whatever point of the chain a process dies', async () => {
  const payments = planPayments({ orders: 200, ...options });
  const chain = planChain(payments, options);
  const quiet = { say: () => undefined, update: () => undefined, end: () => undefined };
  const result = await runTraffic({
    ...options,
    orders: 1,
    payments: payments.length,
    repayments: 0,
    protection: 'as-written',
    progress: quiet,
    // It is judged by what the shop does: a neighbour may have the machine for a while.
    machine: createMachine({ aWhileMs: 180_000 }),
  });
  expect(JSON.parse(jsonLine(result))).toMatchObject({
    payments: 200,
    ledgerEntries: 400,
    drift: 0,
    receipts: 200,
    receiptsDoubled: 0,
    points: 200,
    pointsDoubled: 0,
    outboxLeft: 0,
    // All that are planned: what the relay is to die at, its worker cannot send.
    relaysKilled: chain.filter(({ sending }) => sending?.by === 'relay').length,
  });
  expect(isGood(result)).toBe(true);

  const deaths = payments
    .flatMap((payment, index) => deathsOf(payment, chain[index]))
    .filter(({ spared }) => !result.spared.includes(spared));
  const rows = Object.entries(points).map(([point, says]) => {
    const here = deaths.filter((death) => death.point === point);
    const under = new Set(here.flatMap(({ effect }) => effect ?? chainEffects));
    // On the way of the receipt's message, and on that of the event.
    expect([...under].toSorted(), says).toEqual([...chainEffects].toSorted());
    const ids = here.map(({ paymentId }) => paymentId);
    return `| ${[says, ...['entry', ...chainEffects].map((effect) => fateOf(result, effect, ids))].join(' | ')} |`;
  });
  expect(new Set(deaths.map(({ point }) => point))).toEqual(new Set(Object.keys(points)));

  const page = await readFile(new URL('../../../../docs/explanation/crash-points.md', import.meta.url), 'utf8');
  const table = page.split('<!-- chain-points -->')[1]?.split('<!-- /chain-points -->')[0];
  expect(table?.split('\n').filter((line) => /^\| the (?!process that dies)/.test(line))).toEqual(rows);
});
