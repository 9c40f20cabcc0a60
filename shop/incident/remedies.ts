import type { Finding, SettleFindingsOptions } from 'pawl/statements';
import { operations } from './consumers.ts';

/** Refunds the line of a finding. */
async function refund(
  { line }: Finding,
  { effectKey, signal }: { readonly effectKey: string; readonly signal: AbortSignal },
) {
  const response = await fetch(new URL('/refunds', process.env['BANK_URL']), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': effectKey },
    body: JSON.stringify({ of: line?.id, amountCents: line?.facts?.['amountCents'] }),
    signal,
  });
  if (!response.ok) throw new Error(`the bank answered ${response.status}`);
  return response.json();
}

const refunding = {
  operation: 'refund',
  // The bank books a key once.
  onAbandoned: 'retry',
  amountOf: ({ line }: Finding) => Number(line?.facts?.['amountCents']),
  run: refund,
} as const;

/** What answers the findings of the incident: `pawl findings settle --remedies shop/incident/remedies.ts`. */
export default {
  operation: operations.charge,
  remedies: {
    twice: refunding,
    // No claim says what it was for: a second person looks.
    'missing-here': { ...refunding, approval: 'required' },
  },
  limits: { perRun: { count: 10, amount: 20_000 }, perDay: { count: 20, amount: 50_000 } },
} satisfies Omit<SettleFindingsOptions, 'store'>;
