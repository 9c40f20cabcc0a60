import type {
  BatchGetItemCommandInput,
  DynamoDBClient,
  ServiceInputTypes,
  TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';

/**
 * What was asked of DynamoDB, and what that costs there by its price list: a write unit for an item of up to 1 KB, two in a
 * transaction, also for a look; a read unit for a strongly consistent look at one of up to 4 KB, or at none. (DynamoDB Local
 * answers two for a whole transaction.)
 */
export interface Units {
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

const nothing = () => ({ requests: 0, writeUnits: 0, readUnits: 0 });

/** Counts the requests of a client from now on, and their units. Answers what there were since it was last asked. */
export function countUnits(client: DynamoDBClient): () => Units {
  let counted = nothing();
  client.middlewareStack.add(
    (next) => (args) => {
      counted.requests++;
      counted.writeUnits += writeUnitsOf(args.input);
      counted.readUnits += readUnitsOf(args.input);
      return next(args);
    },
    // Below the SDK's retry, so that what it sends again counts again.
    { step: 'deserialize', priority: 'high', name: 'countUnits' },
  );
  return () => {
    const now = counted;
    counted = nothing();
    return now;
  };
}

function writeUnitsOf(input: ServiceInputTypes): number {
  if ('TransactItems' in input) return 2 * ((input as TransactWriteItemsCommandInput).TransactItems ?? []).length;
  return 'Item' in input ? 1 : 0;
}

function readUnitsOf(input: ServiceInputTypes): number {
  if (!('RequestItems' in input)) return 0;
  const tables = Object.values((input as BatchGetItemCommandInput).RequestItems ?? {});
  return tables.reduce((sum, { Keys = [] }) => sum + Keys.length, 0);
}
