import { list, record } from '../../engine/app/template.ts';
import type { Outcome } from '../../engine/lambda/sandbox.ts';
import type { StreamRecord } from './stream-client.ts';

/**
 * How many records of a batch Lambda takes for done, given how the invocation ended: those before the lowest sequence number of the
 * response. If Lambda does not understand the response, none is.
 */
export function recordsDone(
  outcome: Outcome,
  records: readonly StreamRecord[],
  reportsBatchItemFailures: boolean,
): number {
  if (outcome.kind !== 'response') return 0;
  if (!reportsBatchItemFailures) return records.length;
  const { value } = outcome;
  if (value === null || value === undefined || value === '') return records.length;
  if (typeof value !== 'object' || Array.isArray(value)) return 0;
  const failures = record(value)['batchItemFailures'] ?? [];
  if (!Array.isArray(failures)) return 0;
  const numbers = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  const places = list(failures).map((failure) => numbers.indexOf(String(record(failure)['itemIdentifier'])));
  return places.includes(-1) ? 0 : Math.min(records.length, ...places);
}

/** What a destination for failures gets: where the records are, and not the records. */
export function failureMessage(
  given: { readonly streamArn: string; readonly functionArn: string; readonly shard: string },
  records: readonly StreamRecord[],
  {
    condition,
    attempts,
    outcome,
  }: { readonly condition: string; readonly attempts: number; readonly outcome: Outcome | undefined },
): Readonly<Record<string, unknown>> {
  const sequence = (at: number) => records.at(at)?.dynamodb.SequenceNumber;
  const arrival = (at: number) => {
    const seconds = Number(records.at(at)?.dynamodb['ApproximateCreationDateTime'] ?? 0);
    return new Date(seconds * 1_000).toISOString();
  };
  return {
    requestContext: {
      requestId: records[0]?.eventID,
      functionArn: given.functionArn,
      condition,
      approximateInvokeCount: attempts,
    },
    ...(outcome === undefined
      ? {}
      : { responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' } }),
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId: given.shard,
      startSequenceNumber: sequence(0),
      endSequenceNumber: sequence(-1),
      approximateArrivalOfFirstRecord: arrival(0),
      approximateArrivalOfLastRecord: arrival(-1),
      batchSize: records.length,
      streamArn: given.streamArn,
    },
  };
}
