import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

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
  let read = 0;
  let write = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity: consumed = [] } = answer.output as {
          ConsumedCapacity?: Consumed | readonly Consumed[];
        };
        // DynamoDB Local says nothing of statements. DynamoDB bills each as the write that it is: a unit for an item of up to 1 KB.
        if ('Statements' in args.input) write += partsOf(args.input);
        const isRead = /^(Batch)?Get/.test(commandName);
        for (const { CapacityUnits = 0 } of [consumed].flat()) {
          if (isRead) read += CapacityUnits;
          else write += CapacityUnits;
        }
        return answer;
      },
    { step: 'initialize', name: 'countUnits' },
  );
  return () => ({ read, write });
}

function partsOf(input: object): number {
  if ('Statements' in input && Array.isArray(input.Statements)) return input.Statements.length;
  if (!('RequestItems' in input)) return 1;
  const tables = Object.values(input.RequestItems as Record<string, { readonly Keys?: readonly unknown[] }>);
  return tables.reduce((sum, { Keys = [] }) => sum + Keys.length, 0);
}

/** An agent that knows the sockets it has opened. */
export class CountingAgent extends Agent {
  readonly #sockets: Socket[] = [];

  override createConnection(...args: Parameters<Agent['createConnection']>) {
    const socket = super.createConnection(...args);
    this.#sockets.push(socket as Socket);
    return socket;
  }

  bytes() {
    const sum = (of: (socket: Socket) => number) => this.#sockets.reduce((bytes, socket) => bytes + of(socket), 0);
    return { bytesSent: sum((socket) => socket.bytesWritten), bytesReceived: sum((socket) => socket.bytesRead) };
  }
}
