import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { required } from './environment.ts';
import { driftOf, type Entry, type Statement } from './ledger.ts';

const TableName = required('LEDGER_TABLE');
const statementsUrl = new URL('/statements', required('PROCESSOR_API_URL'));
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** Compares the ledger with the processor's statements, and prints every payment that differs. */
export async function handler() {
  const response = await fetch(statementsUrl);
  if (!response.ok) throw new Error(`the processor answered ${response.status} when it was asked for its statements`);
  const statements = (await response.json()) as readonly Statement[];
  const entries: Entry[] = [];
  // The statements first: a payment that comes meanwhile is then in the ledger only, and is compared tomorrow.
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    entries.push(...(Items as Entry[]));
  }
  const known = new Set(statements.map(({ paymentId }) => paymentId));
  const drift = driftOf(entries, statements);
  for (const { paymentId, problem } of drift) console.warn(JSON.stringify({ drift: paymentId, problem }));
  return { payments: known.size, ledgerEntries: entries.length, drift };
}
