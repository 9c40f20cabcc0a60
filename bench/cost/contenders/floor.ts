import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandInput,
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchStatementRequest,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';

/**
 * The least that the SDK can be asked to do: the same statements over the same attributes as pawl's, in as few requests, with
 * nothing decided and nothing retried. The requests are ready before the clock starts.
 */
export function floor({ client, tableName, effect }: Omit<World, 'lean'>) {
  return ({ scenario, event: { Records } }: Delivery) => {
    const ids = Records.map(({ body }) => `issue-gift-card#${JSON.parse(body).orderId}`);
    const reads = chunksOf(100, ids).map((some) => readRequest(tableName, some));
    if (scenario === 'redelivered') return () => sendAll(reads, (read) => readAll(client, read));

    const claims = ids.map(claimOf);
    const inserts = chunksOf(25, claims).map((some) => ({ Statements: some.map((claim) => insert(tableName, claim)) }));
    if (scenario === 'duplicate') {
      return async () => {
        await sendAll(inserts, (request) => execute(client, request, 'DuplicateItem'));
        await sendAll(reads, (read) => readAll(client, read));
      };
    }

    const fails = ({ messageId }: { messageId: string }) => messageId.endsWith('-fails');
    const updates = chunksOf(
      25,
      Records.map((record, i) => (fails(record) ? release : complete)(tableName, claims[i] as Claim)),
    ).map((Statements) => ({ Statements }));
    return async () => {
      await sendAll(inserts, (request) => execute(client, request));
      const batchItemFailures: { itemIdentifier: string }[] = [];
      const underWay: Promise<void>[] = [];
      for (const { messageId } of Records) {
        try {
          const done = effect(messageId);
          if (done !== undefined) underWay.push(done);
        } catch {
          batchItemFailures.push({ itemIdentifier: messageId });
        }
      }
      if (underWay.length > 0) await Promise.all(underWay);
      await sendAll(updates, (request) => execute(client, request));
      return { batchItemFailures };
    };
  };
}

type Claim = Readonly<Record<'id' | 'claimId' | 'rev' | 'status' | 'leaseUntil', AttributeValue>>;

const fingerprint = '1:44136fa355b3678a1146ad16f7e8649e';
const rest = Object.entries({ fence: 1, firstSeenAt: 1_795_253_400_000, attempts: 1, abandoned: 0, v: 1 });

function claimOf(id: string, index: number): Claim {
  return {
    id: { S: id },
    claimId: { S: `0b2f1c9e-4d1c-4f0e-9a51-${String(index).padStart(12, '0')}` },
    rev: { N: '1' },
    status: { S: 'in-flight' },
    leaseUntil: { N: '1795254300000' },
  };
}

function insert(table: string, claim: Claim): BatchStatementRequest {
  const item: Record<string, AttributeValue> = {
    ...claim,
    ...Object.fromEntries(rest.map(([name, value]) => [name, { N: String(value) }])),
    fingerprint: { S: fingerprint },
    expiresAt: { N: '1797845400' },
  };
  const fields = Object.keys(item).map((name) => `'${name}':?`);
  return { Statement: `INSERT INTO "${table}" VALUE {${fields}}`, Parameters: Object.values(item) };
}

const where = 'WHERE "id"=? AND "claimId"=? AND "rev"=?';
const next: AttributeValue = { N: '2' };

function complete(table: string, { id, claimId, rev }: Claim): BatchStatementRequest {
  const Statement = `UPDATE "${table}" SET "status"=? SET "rev"=? ${where}`;
  return { Statement, Parameters: [{ S: 'completed' }, next, id, claimId, rev] };
}

function release(table: string, { id, claimId, rev }: Claim): BatchStatementRequest {
  const Statement = `UPDATE "${table}" SET "status"=? SET "rev"=? SET "error"=? SET "unknownAt"=? ${where}`;
  const error = { M: { name: { S: 'Error' }, message: { S: 'the gift card provider is unavailable' } } };
  return {
    Statement,
    Parameters: [{ S: 'released' }, next, error, { N: '1795253400000' }, id, claimId, rev],
  };
}

function readRequest(table: string, ids: readonly string[]): BatchGetItemCommandInput {
  return { RequestItems: { [table]: { Keys: ids.map((id) => ({ id: { S: id } })), ConsistentRead: true } } };
}

/** @throws Error when a statement was answered with anything but what was expected of all of them */
async function execute(client: DynamoDBClient, request: BatchExecuteStatementCommandInput, expected?: string) {
  const { Responses = [] } = await client.send(new BatchExecuteStatementCommand(request));
  for (const { Error: error } of Responses) {
    if (error?.Code !== expected) throw new Error(`expected ${expected ?? 'no error'}, and got ${error?.Code}`);
  }
}

async function readAll(client: DynamoDBClient, request: BatchGetItemCommandInput) {
  const { UnprocessedKeys } = await client.send(new BatchGetItemCommand(request));
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Error('DynamoDB Local left keys unread');
}

/** Eight at once cost the client less than one after the other: a process that waits less is woken less often. */
async function sendAll<T>(requests: readonly T[], send: (request: T) => Promise<void>): Promise<void> {
  const left = requests.values();
  const sendOnes = async () => {
    for (const request of left) await send(request);
  };
  await Promise.all(Array.from({ length: 8 }, sendOnes));
}

function chunksOf<T>(size: number, all: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
