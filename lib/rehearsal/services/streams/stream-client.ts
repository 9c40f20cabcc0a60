import { list, record, rehearsedRegion } from '../../engine/app/template.ts';

/** A record of a stream as Lambda hands it to a function: DynamoDB's own JSON, with nothing unpacked. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly dynamodb: Readonly<Record<string, unknown>> & { readonly SequenceNumber: string };
}

/** The streams API of DynamoDB Local, as far as an event source needs it. */
export interface StreamClient {
  shards(streamArn: string): Promise<readonly string[]>;
  /** Where to begin: at the oldest record, behind the newest, or behind a record. */
  iterator(streamArn: string, shard: string, from: IteratorStart): Promise<string>;
  /**
   * Some records, and where to go on; `undefined` if the shard is closed and read.
   *
   * @throws TrimmedError if the iterator is of a shard that had no record, and has its first one now: DynamoDB Local then takes it for too old
   */
  read(
    iterator: string,
    most: number,
  ): Promise<{ readonly records: readonly StreamRecord[]; readonly next: string | undefined }>;
}

/** The server says that an iterator is behind the oldest record. Nothing is ever trimmed here. */
export class TrimmedError extends Error {
  override readonly name = 'TrimmedError';
}

export type IteratorStart =
  | { readonly kind: 'oldest' }
  | { readonly kind: 'newest' }
  | { readonly kind: 'after'; readonly sequenceNumber: string };

const types = { oldest: 'TRIM_HORIZON', newest: 'LATEST', after: 'AFTER_SEQUENCE_NUMBER' } as const;

/** Without a client of the SDK: that would unpack every value, and Lambda hands them over as they are. */
export function streamClient(endpoint: string): StreamClient {
  return {
    async shards(StreamArn) {
      const { StreamDescription } = await call(endpoint, 'DescribeStream', { StreamArn });
      return list(record(StreamDescription)['Shards']).map((shard) => String(record(shard)['ShardId']));
    },
    async iterator(StreamArn, ShardId, from) {
      const SequenceNumber = from.kind === 'after' ? from.sequenceNumber : undefined;
      const ShardIteratorType = types[from.kind];
      const asked = { StreamArn, ShardId, ShardIteratorType, SequenceNumber };
      return String((await call(endpoint, 'GetShardIterator', asked))['ShardIterator']);
    },
    async read(ShardIterator, Limit) {
      const { Records, NextShardIterator } = await call(endpoint, 'GetRecords', { ShardIterator, Limit });
      return {
        records: list(Records).map(streamRecord),
        next: typeof NextShardIterator === 'string' ? NextShardIterator : undefined,
      };
    },
  };
}

async function call(
  endpoint: string,
  operation: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
      // DynamoDB Local reads the signature, and does not check it.
      authorization: `AWS4-HMAC-SHA256 Credential=LOCALSTACK/20260101/${rehearsedRegion}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (response.ok) return record(JSON.parse(text));
  const Refused = text.includes('TrimmedDataAccessException') ? TrimmedError : Error;
  throw new Refused(`DynamoDB Local refused ${operation}: ${text}`);
}

function streamRecord(value: unknown): StreamRecord {
  const { eventID, eventName, dynamodb, userIdentity } = record(value);
  const { SequenceNumber, ...inner } = record(dynamodb);
  return {
    eventID: String(eventID),
    eventName: String(eventName),
    ...(userIdentity === undefined ? {} : { userIdentity }),
    dynamodb: { ...inner, SequenceNumber: String(SequenceNumber) },
  };
}
