import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { propertyOf } from '../../lib/pawl/kernel/unknown.ts';

/** What one payment asks for. */
export interface Asked {
  /** Requests to the database: of PostgreSQL, those that a connection has waited for. */
  readonly database: number;
  readonly queue: number;
  /** Of items of at most 1 KB, by the price list. */
  readonly writeUnits: number;
}

interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
}

/**
 * Counts what is asked of the services, and puts them as far away as they are: a server on the same machine answers at once, so that requests one after the
 * other would cost nothing.
 *
 * @param farMs how long each request is on its way, in milliseconds
 * @returns what there was since it was last called
 */
export function farServices({ dynamodb, sqs }: Clients, farMs: number): () => Asked {
  let asked = { database: 0, queue: 0, writeUnits: 0 };
  const counting = (client: DynamoDBClient, what: 'database' | 'queue') =>
    client.middlewareStack.add(
      (next) => async (args) => {
        asked[what] += 1;
        if (what === 'database') asked.writeUnits += writeUnitsOf(args.input);
        await sleep(farMs);
        return next(args);
      },
      { step: 'finalizeRequest', name: 'far' },
    );
  counting(dynamodb, 'database');
  counting(sqs as unknown as DynamoDBClient, 'queue');
  return () => {
    const counted = asked;
    asked = { database: 0, queue: 0, writeUnits: 0 };
    return counted;
  };
}

/** Two for each action of a transaction, one for each other write. */
function writeUnitsOf(input: object): number {
  const partsOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
  const batched = Object.values(Object(propertyOf(input, 'RequestItems') ?? {})).map(partsOf);
  const alone = partsOf(propertyOf(input, 'Statements')) + ('Item' in input ? 1 : 0);
  return 2 * partsOf(propertyOf(input, 'TransactItems')) + alone + batched.reduce((sum, count) => sum + count, 0);
}
