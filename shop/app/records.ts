import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { ClaimStore } from 'pawl';
import { dynamoStore, sdk } from 'pawl/dynamodb';
import { readClaims } from '../../lib/rehearsal/pawl/claims-table.ts';

/** What the functions of the shop have stored, past all faults. */
export interface ShopRecords {
  /** The claims of the orders. */
  readonly claims: ClaimStore;
  /** The ids of the claims of orders that wait for an operator. */
  parked(): Promise<ReadonlySet<string>>;
  /** How many messages lie in the outbox. */
  outboxLeft(): Promise<number>;
  /** How often each debt was repaid. */
  timesRepaid(): Promise<ReadonlyMap<string, number>>;
  /** The records of the locks over debts. */
  locks(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Where the records are in DynamoDB. */
interface Tables {
  readonly claims: string;
  readonly outbox: string;
  readonly debts: string;
  /** The claims of the repayments, with their locks. */
  readonly locks: string;
}

/** The records in the tables of the app. */
export function dynamoRecords(dynamo: DynamoDBClient, tables: Tables): ShopRecords {
  const all = (TableName: string) => itemsOf(dynamo, TableName);
  return {
    claims: dynamoStore({ tableName: tables.claims, aws: sdk({ dynamodb: dynamo }) }),
    parked: async () => (await readClaims(dynamo, tables.claims)).parked,
    outboxLeft: () => messagesInOutbox(dynamo, tables.outbox),
    timesRepaid: async () => timesRepaidIn(await all(tables.debts)),
    locks: () => all(tables.locks),
  };
}

/** How many messages lie in an outbox. Place 0 of a lane is a counter. */
export async function messagesInOutbox(dynamo: DynamoDBClient, table: string): Promise<number> {
  return (await itemsOf(dynamo, table)).filter(({ n }) => Number(n) > 0).length;
}

/** Reads all items of a table. */
export async function itemsOf(dynamo: DynamoDBClient, TableName: string): Promise<readonly Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  const client = DynamoDBDocumentClient.from(dynamo);
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

/** How often each debt was repaid, by the items of its table. */
export function timesRepaidIn(debts: readonly Readonly<Record<string, unknown>>[]): ReadonlyMap<string, number> {
  return new Map(debts.map(({ debtId, repaid }) => [String(debtId), Number(repaid ?? 0)]));
}
