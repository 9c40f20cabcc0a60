import type { Prices } from './prices.ts';

/** What a message needs of DynamoDB, on average over a batch. */
export interface Units {
  readonly write: number;
  readonly read: number;
  /** Of what is kept of it, as DynamoDB bills them. */
  readonly storedBytes: number;
}

/** One way to handle messages, as far as it costs money. */
export interface Usage {
  /** Messages of one invocation. */
  readonly size: number;
  readonly memoryMb: number;
  /** How long one invocation takes, in milliseconds. */
  readonly durationMs: number;
  readonly units: Units;
}

/** US dollars for a million messages. */
export interface Cost {
  readonly lambda: number;
  readonly dynamoDb: number;
  readonly storage: number;
  readonly sqs: number;
  readonly total: number;
}

/** SQS hands out and deletes at most this many messages with one request. */
const mostPerSqsRequest = 10;
/** As long as pawl remembers an outcome by default. */
const keptDays = 30;
const daysOfMonth = 30;

/** What a million messages cost, each delivered once. */
export function costOf({ size, memoryMb, durationMs, units }: Usage, prices: Prices): Cost {
  const million = 1_000_000;
  const invocations = million / size;
  // Lambda bills whole milliseconds.
  const gbSeconds = invocations * (Math.ceil(durationMs) / 1000) * (memoryMb / 1024);
  const lambda = gbSeconds * prices.lambda.gbSecond + (invocations / million) * prices.lambda.millionRequests;
  const dynamoDb = units.write * prices.dynamoDb.millionWriteUnits + units.read * prices.dynamoDb.millionReadUnits;
  const storage = ((units.storedBytes * million) / 1024 ** 3) * (keptDays / daysOfMonth) * prices.dynamoDb.gbMonth;
  // What receives them and what deletes them. A poll of an empty queue is not counted, nor is the producer's request.
  const sqsRequests = invocations * Math.ceil(size / mostPerSqsRequest) * 2;
  const sqs = (sqsRequests / million) * prices.sqs.millionRequests;
  return { lambda, dynamoDb, storage, sqs, total: lambda + dynamoDb + storage + sqs };
}

/** The share of one CPU that Lambda gives a function: one whole CPU at 1,769 MB. */
export function cpuShareOf(memoryMb: number): number {
  return Math.min(1, memoryMb / 1769);
}

/** How long it would take with a share of a CPU: the time that is spent waiting stays as it is. All in milliseconds. */
export function atShare(share: number, { wallMs, cpuMs }: { readonly wallMs: number; readonly cpuMs: number }): number {
  return Math.max(0, wallMs - cpuMs) + cpuMs / share;
}

/** The size of an item as DynamoDB bills its storage, in bytes: names and values, and 100 bytes of its own. */
export function storedBytes(item: Readonly<Record<string, AttributeLike>>): number {
  return 100 + mapBytes(item);
}

interface AttributeLike {
  readonly S?: string | undefined;
  readonly N?: string | undefined;
  readonly M?: Readonly<Record<string, AttributeLike>> | undefined;
}

function mapBytes(fields: Readonly<Record<string, AttributeLike>>): number {
  let bytes = 0;
  for (const [name, { S, N, M }] of Object.entries(fields)) {
    bytes += Buffer.byteLength(name);
    if (S !== undefined) bytes += Buffer.byteLength(S);
    // About a byte for two digits, and one more.
    else if (N !== undefined) bytes += Math.ceil(N.length / 2) + 1;
    else if (M !== undefined) bytes += 3 + mapBytes(M);
    else bytes += 1;
  }
  return bytes;
}
