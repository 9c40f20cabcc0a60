import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Aws } from '../../lib/pawl/aws/aws.ts';

/** What was asked of DynamoDB, and what that took on the wire. */
export interface Counts extends Requests {
  /** HTTP as it is on the socket, both ways. No TLS. */
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

export interface Requests {
  /** HTTP requests, the SDK's own retries among them. */
  readonly requests: number;
  /** What they carried: statements, keys to read, or the one item of a single request. */
  readonly statements: number;
}

/** Counts the requests of a client from now on. Answers what there were since it was last asked. */
export function countRequests(client: DynamoDBClient): () => Requests {
  let requests = 0;
  let statements = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      requests++;
      statements += partsOf(args.input);
      return next(args);
    },
    // Below the SDK's retry, so that what it sends again counts again.
    { step: 'deserialize', priority: 'high', name: 'countRequests' },
  );
  return () => {
    const counted = { requests, statements };
    requests = 0;
    statements = 0;
    return counted;
  };
}

/** What DynamoDB bills for requests, in units of reads and writes. */
export interface ConsumedUnits {
  readonly read: number;
  readonly write: number;
}

interface Consumed {
  readonly CapacityUnits?: number;
}

/** Lets DynamoDB say what each request of a client costs. It makes requests and responses longer, so their bytes are counted without it. */
export function countUnits(client: DynamoDBClient): () => ConsumedUnits {
  const units = { read: 0, write: 0 };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        addUnits(units, commandName, args.input, answer.output);
        return answer;
      },
    { step: 'initialize', name: 'countUnits' },
  );
  return () => units;
}

function addUnits(units: { read: number; write: number }, operation: string, input: object, answer: object): void {
  const { ConsumedCapacity: consumed = [] } = answer as { ConsumedCapacity?: Consumed | readonly Consumed[] };
  // DynamoDB Local says nothing of statements. DynamoDB bills each as the write that it is: a unit for an item of up to 1 KB.
  if ('Statements' in input) units.write += partsOf(input);
  const isRead = /^(Batch)?Get/.test(operation);
  for (const { CapacityUnits = 0 } of [consumed].flat()) {
    if (isRead) units.read += CapacityUnits;
    else units.write += CapacityUnits;
  }
}

function partsOf(input: object): number {
  if ('Statements' in input && Array.isArray(input.Statements)) return input.Statements.length;
  if (!('RequestItems' in input)) return 1;
  const tables = Object.values(input.RequestItems as Record<string, { readonly Keys?: readonly unknown[] }>);
  return tables.reduce((sum, { Keys = [] }) => sum + Keys.length, 0);
}

/** Counts the requests to DynamoDB of a way without the SDK, its repetitions not among them. */
export function countCalls(way: Aws): { readonly lean: Aws; counted(): Requests } {
  let requests = 0;
  let statements = 0;
  return {
    lean: {
      ...way,
      dynamodb: {
        ...way.dynamodb,
        call(operation, input) {
          requests++;
          statements += partsOf(input);
          return way.dynamodb.call(operation, input);
        },
      },
    },
    counted: () => ({ requests, statements }),
  };
}

/** The same as `countUnits`, of a way without the SDK. */
export function countCallUnits(way: Aws): {
  readonly lean: Aws;
  consumed(): ConsumedUnits;
} {
  const units = { read: 0, write: 0 };
  return {
    lean: {
      ...way,
      dynamodb: {
        ...way.dynamodb,
        async call(operation, input) {
          const answer = await way.dynamodb.call(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' });
          addUnits(units, operation, input, answer);
          return answer;
        },
      },
    },
    consumed: () => units,
  };
}

/** Knows the sockets that this process opens from now on, whoever opens them. */
export function countBytes(): () => Pick<Counts, 'bytesSent' | 'bytesReceived'> {
  const sockets: Socket[] = [];
  subscribe('net.client.socket', (message) => sockets.push((message as { readonly socket: Socket }).socket));
  const sum = (of: (socket: Socket) => number) => sockets.reduce((bytes, socket) => bytes + of(socket), 0);
  return () => ({ bytesSent: sum((one) => one.bytesWritten), bytesReceived: sum((one) => one.bytesRead) });
}
