import type { DynamoTransport } from '../../aws/aws.ts';
import { call } from './calls.ts';

/** Which table a name stands for: a table that was restored, or made anew under an old name, is another one. */
export interface PhysicalTable {
  /** DynamoDB's id of the table. DynamoDB Local has none: there it is the time at which the table was made. */
  readonly id: string;
  /** The point in time that DynamoDB restored it to, in epoch milliseconds, if it says so. */
  readonly restoredTo: number | undefined;
}

/** @throws DynamoDB's error */
export async function describeTable(transport: DynamoTransport, TableName: string): Promise<PhysicalTable> {
  const { Table } = await call(transport, 'DescribeTable', { TableName });
  const id = Table?.TableId ?? millisecondsOf(Table?.CreationDateTime);
  if (id === undefined) throw new Error(`DescribeTable has said neither the id of '${TableName}' nor its age`);
  return { id: String(id), restoredTo: millisecondsOf(Table?.RestoreSummary?.RestoreDateTime) };
}

/** The SDK makes a date of the seconds that DynamoDB sends; the lean transport leaves them as they are. */
function millisecondsOf(time: unknown): number | undefined {
  if (time instanceof Date) return time.getTime();
  return typeof time === 'number' ? Math.round(time * 1000) : undefined;
}
