import { openIndex } from '../stores/dynamodb/open-index.ts';

/*
 * The table that holds the claims, defined once: `ClaimsTable` makes it, and `pawl template` prints it. What makes a deployed table unfit is in
 * `wiring-table.ts`. This file imports no CDK.
 */

/** The type of a key attribute, as DynamoDB writes it: a string or a number. */
type AttributeType = 'S' | 'N';

export interface KeyAttribute {
  readonly name: string;
  readonly type: AttributeType;
}

/** A global secondary index. */
export interface TableIndex {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly projection: 'ALL' | 'KEYS_ONLY' | readonly string[];
}

export interface TableDefinition {
  readonly key: KeyAttribute;
  readonly timeToLiveAttribute: string;
  readonly indexes: readonly TableIndex[];
}

/** The index of open claims. */
export const openClaims = {
  name: openIndex.name,
  partitionKey: { name: openIndex.partitionKey, type: 'S' },
  sortKey: { name: openIndex.sortKey, type: 'N' },
  projected: openIndex.projected,
} as const;

export const claimsTableDefinition: TableDefinition = {
  key: { name: 'id', type: 'S' },
  timeToLiveAttribute: 'expiresAt',
  indexes: [{ ...openClaims, projection: openClaims.projected }],
};

/** The table of an outbox, which `OutboxTable` makes. Its stream carries keys: the relay reads what is still there. */
export const outboxTableDefinition = {
  key: { name: 'id', type: 'S' },
  sortKey: { name: 'n', type: 'N' },
  timeToLiveAttribute: 'expiresAt',
  /** New messages. Place 0 of a lane is its counter. */
  newMessages: { eventName: ['INSERT'], dynamodb: { Keys: { n: { N: [{ 'anything-but': ['0'] }] } } } },
} as const;

/** The attributes that the keys of the table and its indexes are made of, each once. */
export function keyAttributes({ key, indexes }: TableDefinition): readonly KeyAttribute[] {
  const all = [key, ...indexes.flatMap(({ partitionKey, sortKey }) => [partitionKey, ...(sortKey ? [sortKey] : [])])];
  return [...new Map(all.map((attribute) => [attribute.name, attribute])).values()];
}
