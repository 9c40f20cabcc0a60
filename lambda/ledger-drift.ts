import { logEvents } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { type Finding, reconcileStatements, type StatementLine } from 'pawl/statements';
import { claims } from './claims.ts';
import { readEntries } from './entries.ts';
import { required } from './environment.ts';
import { driftOf, type Statement } from './ledger.ts';
import { providerUrl } from './provider-url.ts';

const statementsUrl = providerUrl(required('PROCESSOR_API_URL'), '/statements');

async function fetchStatements(): Promise<readonly Statement[]> {
  const response = await fetch(statementsUrl);
  if (!response.ok) throw new Error(`the processor answered ${response.status} when it was asked for its statements`);
  return (await response.json()) as readonly Statement[];
}

/**
 * Compares the processor's statements with the claims of the payments, and with the ledger. It prints every payment that differs.
 *
 * The claims say which payments there are. The ledger must have one debit and one credit of each.
 */
export async function handler() {
  const findings = await findStatementProblems();
  // Before and after the ledger is read, because payments go on meanwhile: what was stated before should be in it, and what is in it
  // should be stated after. The second list is asked for only if the ledger has what the first has not.
  const statements = await fetchStatements();
  const entries = await readEntries();
  const stated = new Set(statements.map(({ paymentId }) => paymentId));
  const isPostedMeanwhile = entries.some(({ paymentId }) => !stated.has(paymentId));
  const all = driftOf(entries, statements, isPostedMeanwhile ? await fetchStatements() : statements);
  // What the statement says of the payment itself is found already, and is stored for an operator.
  const found = new Set(findings?.map(paymentOf));
  const drift = all.filter(({ paymentId }) => !found.has(paymentId));
  for (const { paymentId, problem } of drift) console.warn(JSON.stringify({ drift: paymentId, problem }));
  const statementFindings = findings?.map((finding) => `${finding.kind} ${paymentOf(finding)}`);
  return { payments: stated.size, ledgerEntries: entries.length, drift, statementFindings };
}

/** What does not agree between the claims and the processor's statements; `undefined` where another call compares them. */
async function findStatementProblems(): Promise<readonly Finding[] | undefined> {
  const compared = await reconcileStatements({
    operation: 'post-payment',
    store: claims,
    // This processor has one list of all payments. Another one would be asked for the days since the last run.
    from: 0,
    // It states a payment before it calls.
    settleMs: 1000,
    retentionSeconds: 'forever',
    statement: stated,
    onEvent: allOf(logEvents, metricEvents()),
  });
  return compared.outcome === 'done' ? compared.findings : undefined;
}

async function* stated(): AsyncGenerator<StatementLine> {
  for (const { paymentId, at, amountCents, currency } of await fetchStatements()) {
    yield { key: paymentId, at, id: paymentId, facts: { amountCents, currency } };
  }
}

function paymentOf({ line, claimId = '' }: Finding): string {
  return String(line?.key ?? claimId.slice('post-payment#'.length));
}
