import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A debt as the table has it. `repaid` counts, so that what was repaid twice can be seen. */
export interface Debt {
  readonly debtId: string;
  readonly amountCents: number;
  readonly repaid: number;
}

function debtOf(item: Readonly<Record<string, unknown>>): Debt {
  return {
    debtId: String(item['debtId']),
    amountCents: Number(item['amountCents']),
    repaid: Number(item['repaid'] ?? 0),
  };
}

/** The debts in a table, as far as repaying them goes. */
export function debts(documents: DynamoDBDocumentClient, TableName: string) {
  /** DynamoDB may leave keys unread, and says so. */
  async function read(debtIds: readonly string[]): Promise<readonly Debt[]> {
    const found: Debt[] = [];
    let unread: readonly Record<string, unknown>[] = debtIds.map((debtId) => ({ debtId }));
    while (unread.length > 0) {
      const { Responses, UnprocessedKeys } = await documents.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [...unread], ConsistentRead: true } } }),
      );
      found.push(...(Responses?.[TableName] ?? []).map(debtOf));
      unread = UnprocessedKeys?.[TableName]?.Keys ?? [];
    }
    return found;
  }

  /** The writes that repay what is still open among these. They have no condition of their own, as a call to a bank would have none. */
  async function repaymentsOf(debtIds: readonly string[], request: string) {
    const open = (await read(debtIds)).filter(({ repaid }) => repaid === 0);
    return open.map(({ debtId }) => ({
      Update: {
        TableName,
        Key: { debtId },
        UpdateExpression: 'ADD repaid :one SET repaidBy = :request',
        ExpressionAttributeValues: { ':one': 1, ':request': request },
      },
    }));
  }

  return { repaymentsOf };
}
