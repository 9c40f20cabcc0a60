import { RemovalPolicy } from 'aws-cdk-lib';
import { BillingMode, type CfnTable, Table, TableEncryption, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** What the author says of the table of a construct. */
interface Kept {
  readonly deletionProtection?: boolean;
  readonly encryptionKey?: IKey;
}

/**
 * A table that is kept when its stack is deleted: on-demand, with point-in-time recovery and deletion protection.
 *
 * `Table`, not `TableV2`: the latter is a global table by type, one `addReplica` away from two regions that each grant the same claim, because a condition sees
 * its own region only. A `Table` has no such method.
 */
export function keptTable(
  scope: Construct,
  own: TableProps,
  { deletionProtection = true, encryptionKey }: Kept,
): Table {
  const table = new Table(scope, 'Table', {
    ...own,
    billingMode: BillingMode.PAY_PER_REQUEST,
    removalPolicy: RemovalPolicy.RETAIN,
    deletionProtection,
    ...(encryptionKey === undefined
      ? { encryption: TableEncryption.DEFAULT }
      : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  });
  // The option of `Table` has one name up to CDK 2.180, and another one after that, and an unknown one is ignored. CloudFormation's has one.
  (table.node.defaultChild as CfnTable).pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: true };
  return table;
}
