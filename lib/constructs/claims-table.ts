import { RemovalPolicy } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/**
 * What the DynamoDB store calls, and nothing else. `grantReadWriteData` would both lack the PartiQL actions (a batch of
 * claims is one `BatchExecuteStatement` of inserts) and hand out `DeleteItem`, `Scan` and `Query`: a consumer that can
 * delete a claim can repeat an effect.
 */
const CLAIM_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
] as const;

/** What a caller of an encrypted table needs of its key; the same list `Table.grantReadWriteData` uses. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey*',
  'kms:ReEncrypt*',
] as const;

/** The options of a {@link ClaimsTable}. */
export interface ClaimsTableProps {
  /**
   * Whether DynamoDB refuses to delete the table, even when its stack is deleted by hand.
   *
   * @default true
   */
  readonly deletionProtection?: boolean;

  /**
   * The customer-managed key that encrypts the table. `grantClaims` then grants its use as well.
   *
   * @default - encrypted with a key that DynamoDB owns, at no charge
   */
  readonly encryptionKey?: IKey;
}

/**
 * Permits `grantee` to claim, complete, release, reject, park and renew in `table`, and to use the table's
 * customer-managed key when it has one. Nothing can be deleted, scanned or queried with these permissions.
 *
 * `ClaimsTable.grantClaims` and `Consumer` call this; call it yourself for a table that was made elsewhere.
 *
 * @example
 * grantClaims(Table.fromTableName(this, 'Claims', 'claims'), existingFunction);
 */
export function grantClaims(table: ITable, grantee: IGrantable): Grant {
  const onTable = Grant.addToPrincipal({ grantee, actions: [...CLAIM_ACTIONS], resourceArns: [table.tableArn] });
  const key = table.encryptionKey;
  return key === undefined ? onTable : onTable.combine(key.grant(grantee, ...KEY_ACTIONS));
}

/**
 * The DynamoDB table that holds the claims: on-demand, with TTL, point-in-time recovery and deletion protection, and
 * kept when its stack goes. Losing it would forget every effect that happened, and so repeat those whose messages return.
 *
 * One table serves any number of consumers: keys carry their operation's name.
 *
 * @example
 * const claims = new ClaimsTable(this, 'Claims');
 * claims.grantClaims(existingFunction);
 * existingFunction.addEnvironment('CLAIMS_TABLE', claims.table.tableName);
 */
export class ClaimsTable extends Construct {
  /** The table itself. */
  readonly table: ITable;

  constructor(scope: Construct, id: string, props: ClaimsTableProps = {}) {
    super(scope, id);
    // `Table`, not `TableV2`: the latter is a global table by type, one `addReplica` away from two regions that each grant
    // the same claim, because a condition sees its own region only. A `Table` has no such method.
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiresAt',
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
      deletionProtection: props.deletionProtection ?? true,
      ...(props.encryptionKey === undefined
        ? { encryption: TableEncryption.DEFAULT }
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey }),
    });
    // CDK's class does not satisfy its own interface under `exactOptionalPropertyTypes`; callers need not know.
    this.table = table as ITable;
  }

  /** Permits `grantee` to do with claims what the store does, on this table only. See {@link grantClaims}. */
  grantClaims(grantee: IGrantable): Grant {
    return grantClaims(this.table, grantee);
  }

  /**
   * Writes that DynamoDB throttled: claims that could not be taken or completed at the first try.
   *
   * Events, not `ThrottledRequests`: a batch request counts there only when every item in it was throttled.
   */
  metricWriteThrottleEvents(props?: MetricOptions): Metric {
    return this.#sum('WriteThrottleEvents', props);
  }

  /** Reads that DynamoDB throttled: duplicates that could not be decided at the first try. */
  metricReadThrottleEvents(props?: MetricOptions): Metric {
    return this.#sum('ReadThrottleEvents', props);
  }

  /** Conditions that failed: duplicates and races that the table refused. Normal, and worth a look when it jumps. */
  metricConditionalCheckFailedRequests(props?: MetricOptions): Metric {
    return this.#sum('ConditionalCheckFailedRequests', props);
  }

  #sum(metricName: string, props: MetricOptions | undefined): Metric {
    return this.table.metric(metricName, { statistic: 'Sum', ...props });
  }
}
