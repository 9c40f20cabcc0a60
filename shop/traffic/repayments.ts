import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ShopRecords } from '../app/records.ts';
import type { PlannedRepayment } from '../plan/plan.ts';

/** What became of the debts that requests named. */
export interface RepaymentsVerdict {
  readonly requests: number;
  /** Debts that were named by at least one request. */
  readonly wanted: number;
  readonly repaid: number;
  readonly repaidTwice: readonly string[];
  /** Resources whose lock has not ended. */
  readonly locksLeft: number;
}

/** Where the debts are, and where the requests go. */
export interface RepaymentsStack {
  readonly dynamo: DynamoDBClient;
  readonly sqs: { readonly client: SQSClient };
  readonly repayments: {
    readonly debtsTable: string;
    readonly consumer: { readonly queue: { readonly url: string } };
  };
}

/** Creates the debts, and sends the requests, each of them twice. */
export async function sendRepayments(stack: RepaymentsStack, plan: readonly PlannedRepayment[]): Promise<void> {
  await createDebts(stack, plan);
  await sendRequests(stack, [...plan, ...plan]);
}

async function createDebts({ dynamo, repayments }: RepaymentsStack, plan: readonly PlannedRepayment[]): Promise<void> {
  const documents = DynamoDBDocumentClient.from(dynamo);
  const debts = debtsOf(plan);
  for (let from = 0; from < debts.length; from += 25) {
    const puts = debts.slice(from, from + 25).map((debtId) => ({ PutRequest: { Item: { debtId, amountCents: 100 } } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [repayments.debtsTable]: puts } }));
  }
}

/** Sends the requests, without a look at their debts. */
export async function sendRequests(
  { sqs, repayments }: RepaymentsStack,
  plan: readonly PlannedRepayment[],
): Promise<void> {
  const { url: QueueUrl } = repayments.consumer.queue;
  for (const { request } of plan) {
    await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(request) }));
  }
}

/** Reads the debts and the locks, and says what is wrong with them. */
export async function judgeRepayments(
  stored: Pick<ShopRecords, 'timesRepaid' | 'locks'>,
  plan: readonly PlannedRepayment[],
): Promise<RepaymentsVerdict> {
  const times = await stored.timesRepaid();
  const wanted = debtsOf(plan);
  const records = await stored.locks();
  const locks = new Map(records.map((record) => [record['id'], record['status']]));
  const isLocked = ({ kind, lockId }: Readonly<Record<string, unknown>>) =>
    kind === 'resource' && locks.has(lockId) && locks.get(lockId) !== 'ended';
  return {
    requests: plan.length,
    wanted: wanted.length,
    repaid: wanted.filter((debt) => (times.get(debt) ?? 0) > 0).length,
    repaidTwice: wanted.filter((debt) => (times.get(debt) ?? 0) > 1),
    locksLeft: records.filter(isLocked).length,
  };
}

/** Whether every debt was repaid once, and can be locked again. */
export function isRepaid({ wanted, repaid, repaidTwice, locksLeft }: RepaymentsVerdict): boolean {
  return repaid === wanted && repaidTwice.length === 0 && locksLeft === 0;
}

/** The debts that at least one request names. */
export function debtsOf(plan: readonly PlannedRepayment[]): readonly string[] {
  return [...new Set(plan.flatMap(({ request }) => request.debts))];
}
