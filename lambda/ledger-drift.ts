import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { required } from './environment.ts';
import { driftOf, type Entry, type Statement } from './ledger.ts';
import { providerUrl } from './provider-url.ts';

const TableName = required('LEDGER_TABLE');
const statementsUrl = providerUrl(required('PROCESSOR_API_URL'), '/statements');
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

async function fetchStatements(): Promise<readonly Statement[]> {
  const response = await fetch(statementsUrl);
  if (!response.ok) throw new Error(`the processor answered ${response.status} when it was asked for its statements`);
  return (await response.json()) as readonly Statement[];
}

/** Compares the ledger with the processor's statements, and prints every payment that differs. */
export async function handler() {
  // Before and after the ledger is read, because payments go on meanwhile: what was stated before should be in it, and what is in it
  // should be stated after. The second list is asked for only if the ledger has what the first has not.
  const statements = await fetchStatements();
  const entries: Entry[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    entries.push(...(Items as Entry[]));
  }
  const stated = new Set(statements.map(({ paymentId }) => paymentId));
  const isPostedMeanwhile = entries.some(({ paymentId }) => !stated.has(paymentId));
  const drift = driftOf(entries, statements, isPostedMeanwhile ? await fetchStatements() : statements);
  for (const { paymentId, problem } of drift) console.warn(JSON.stringify({ drift: paymentId, problem }));
  return { payments: stated.size, ledgerEntries: entries.length, drift };
}
