import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { OPEN_INDEX } from '../../stores/dynamodb/open-index.ts';
import {
  BACKFILL_ACTIONS,
  CLAIM_ACTIONS,
  LOCK_ACTIONS,
  OPERATE_ACTIONS,
  OPERATE_INDEX_ACTIONS,
  RESTORE_ACTIONS,
  STATEMENT_ACTIONS,
  STATEMENT_INDEX_ACTIONS,
} from '../needs.ts';
import { CLAIMS_TABLE, type KeyAttribute, type TableIndex } from '../table-definition.ts';
import { actOn, alarmAt } from './alarms.ts';
import { makeLocking } from './known-consumers.ts';
import { expectProps } from './known-props.ts';
import { seenArn } from './seen.ts';

/** What a caller of an encrypted table needs of its key: what `Table.grantReadWriteData` gives, without its wildcards. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
] as const;

const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

const attribute = ({ name, type }: KeyAttribute) => ({ name, type: TYPES[type] });

const indexProps = ({ name, partitionKey, sortKey, projection }: TableIndex) => ({
  indexName: name,
  partitionKey: attribute(partitionKey),
  ...(sortKey === undefined ? {} : { sortKey: attribute(sortKey) }),
  ...(typeof projection === 'string'
    ? { projectionType: ProjectionType[projection] }
    : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projection] }),
});

/**
 * The options of a {@link ClaimsTable}.
 *
 * @example
 * import { Key } from 'aws-cdk-lib/aws-kms';
 *
 * const props: ClaimsTableProps = { encryptionKey: new Key(stack, 'ClaimsKey'), throttleThreshold: 50 };
 * new ClaimsTable(stack, 'Claims', props);
 */
export interface ClaimsTableProps {
  /**
   * Whether DynamoDB refuses to delete the table, even when its stack is deleted by hand.
   *
   * @default true
   */
  readonly deletionProtection?: boolean;

  /**
   * The customer-managed key that encrypts the table. Every grant of this construct then grants its use as well.
   *
   * @default - encrypted with a key that DynamoDB owns, at no charge
   */
  readonly encryptionKey?: IKey;

  /**
   * How many reads or writes that DynamoDB throttles within 5 minutes set off the alarms.
   *
   * @default 10
   */
  readonly throttleThreshold?: number;
}

const known = {
  deletionProtection: true,
  encryptionKey: true,
  throttleThreshold: true,
} as const satisfies NamesOf<ClaimsTableProps>;

/** The alarms of a {@link ClaimsTable}. */
export interface ClaimsTableAlarms {
  readonly writeThrottles: Alarm;
  readonly readThrottles: Alarm;
}

/**
 * Permits `grantee` to claim, complete, release, reject, park and renew in `table`, and to use the table's customer-managed key, if it has
 * one. These permissions allow no delete, scan or query.
 *
 * `ClaimsTable.grantClaims` and `Consumer` call this. Call it yourself for a table that was made elsewhere.
 *
 * @example
 * import { Table } from 'aws-cdk-lib/aws-dynamodb';
 *
 * grantClaims(Table.fromTableName(stack, 'Claims', 'claims'), existingFunction);
 */
export function grantClaims(table: ITable, grantee: IGrantable): Grant {
  // Not `grantReadWriteData`: it lacks the PartiQL actions, and grants `DeleteItem`, `Scan` and `Query`. A consumer that can delete a claim can
  // repeat an effect.
  return grantOn(table, grantee, CLAIM_ACTIONS);
}

/**
 * Permits `grantee` to lock resources in `table`, to check its locks in transactions of its own, and to keep the progress of
 * `forEachItem` there: all of `pawl/locks`, and nothing that deletes, scans or queries.
 *
 * A consumer's own claims need `grantClaims`, which `Consumer` calls; it does not call this.
 *
 * @example
 * grantLocks(claims.table, existingFunction);
 */
export function grantLocks(table: ITable, grantee: IGrantable): Grant {
  // A consumer that locks needs more receives. That is checked when the app is complete.
  makeLocking(grantee.grantPrincipal, seenArn(table, table.tableArn));
  return grantOn(table, grantee, LOCK_ACTIONS);
}

/**
 * Permits `grantee` to list the open claims of `table`, to read a claim, and to resolve it. These permissions allow no claim to be made or deleted,
 * and no scan. A consumer needs none of this.
 *
 * For dead letters, permit the queues' actions as well: see docs/reference/security.md.
 *
 * @example
 * import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
 *
 * const onCall = new Role(stack, 'OnCall', { assumedBy: new AccountPrincipal('123456789012') });
 * grantOperate(claims.table, onCall);
 */
export function grantOperate(table: ITable, grantee: IGrantable): Grant {
  const index = `${table.tableArn}/index/${OPEN_INDEX.name}`;
  const list = Grant.addToPrincipal({ grantee, actions: [...OPERATE_INDEX_ACTIONS], resourceArns: [index] });
  return grantOn(table, grantee, OPERATE_ACTIONS).combine(list);
}

/**
 * Permits `grantee` to compare a provider's statement with the claims of `table`: to list the completed claims that no statement has confirmed, to read
 * claims, to mark and complete them, and to keep findings beside them. These permissions allow no delete and no scan.
 *
 * `StatementCheck` calls this. A consumer needs none of this.
 *
 * @example
 * grantStatements(claims.table, existingFunction);
 */
export function grantStatements(table: ITable, grantee: IGrantable): Grant {
  const index = `${table.tableArn}/index/${OPEN_INDEX.name}`;
  const list = Grant.addToPrincipal({ grantee, actions: [...STATEMENT_INDEX_ACTIONS], resourceArns: [index] });
  return grantOn(table, grantee, STATEMENT_ACTIONS).combine(list);
}

/**
 * Permits `grantee` to run `pawl claims --backfill` on `table`. It reads every item, with the results that are kept there: that is why it is no part of
 * `grantOperate`. It is needed once, and can be taken away again.
 *
 * @example
 * import { Role } from 'aws-cdk-lib/aws-iam';
 *
 * grantBackfill(claims.table, Role.fromRoleName(stack, 'Deployment', 'deployment'));
 */
export function grantBackfill(table: ITable, grantee: IGrantable): Grant {
  return grantOn(table, grantee, BACKFILL_ACTIONS);
}

/**
 * Permits `grantee` to mark `table` as restored from a point in time, and to lift the mark: `npx pawl restored`.
 *
 * @example
 * import { Table } from 'aws-cdk-lib/aws-dynamodb';
 * import { Role } from 'aws-cdk-lib/aws-iam';
 *
 * const restored = Table.fromTableName(stack, 'Restored', 'claims-restored');
 * grantRestore(restored, Role.fromRoleName(stack, 'OnCall', 'on-call'));
 */
export function grantRestore(table: ITable, grantee: IGrantable): Grant {
  return grantOn(table, grantee, RESTORE_ACTIONS);
}

function grantOn(table: ITable, grantee: IGrantable, actions: readonly string[]): Grant {
  const onTable = Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [table.tableArn] });
  const key = table.encryptionKey;
  return key === undefined ? onTable : onTable.combine(key.grant(grantee, ...KEY_ACTIONS));
}

/**
 * The DynamoDB table that holds the claims: on-demand, with TTL, point-in-time recovery and deletion protection. It is kept when its stack is
 * deleted: without its records, every effect whose message returns would happen again.
 *
 * One table serves any number of consumers: keys carry their operation's name.
 *
 * @example
 * const claims = new ClaimsTable(stack, 'Claims');
 * claims.grantClaims(existingFunction);
 * existingFunction.addEnvironment('CLAIMS_TABLE', claims.table.tableName);
 */
export class ClaimsTable extends Construct {
  /** The table itself. */
  readonly table: ITable;
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: ClaimsTableAlarms;

  constructor(scope: Construct, id: string, props: ClaimsTableProps = {}) {
    super(scope, id);
    expectProps(this, props, { door: 'ClaimsTable', known, docs: 'docs/guides/adopt.md' });
    // `Table`, not `TableV2`: the latter is a global table by type, one `addReplica` away from two regions that each grant
    // the same claim, because a condition sees its own region only. A `Table` has no such method.
    const table = new Table(this, 'Table', {
      partitionKey: attribute(CLAIMS_TABLE.key),
      timeToLiveAttribute: CLAIMS_TABLE.timeToLiveAttribute,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
      deletionProtection: props.deletionProtection ?? true,
      ...(props.encryptionKey === undefined
        ? { encryption: TableEncryption.DEFAULT }
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey }),
    });
    for (const index of CLAIMS_TABLE.indexes) table.addGlobalSecondaryIndex(indexProps(index));
    // CDK's class does not satisfy its own interface under `exactOptionalPropertyTypes`; callers need not know.
    this.table = table as ITable;
    this.alarms = this.#createAlarms(props.throttleThreshold ?? 10);
  }

  /** Adds these actions to every alarm of the table, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
  }

  /** Permits `grantee` to use the claims in this table, as a store does. See {@link grantClaims}. */
  grantClaims(grantee: IGrantable): Grant {
    return grantClaims(this.table, grantee);
  }

  /** Permits `grantee` to use `pawl/locks` in this table. See {@link grantLocks}. */
  grantLocks(grantee: IGrantable): Grant {
    return grantLocks(this.table, grantee);
  }

  /** Permits `grantee` to list, read and resolve the open claims of this table. See {@link grantOperate}. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(this.table, grantee);
  }

  /** Permits `grantee` to compare a provider's statement with the claims of this table. See {@link grantStatements}. */
  grantStatements(grantee: IGrantable): Grant {
    return grantStatements(this.table, grantee);
  }

  /** Permits `grantee` to bring claims of earlier versions into the list, once. See {@link grantBackfill}. */
  grantBackfill(grantee: IGrantable): Grant {
    return grantBackfill(this.table, grantee);
  }

  /** Permits `grantee` to mark this table as restored from a point in time, and to lift the mark. See {@link grantRestore}. */
  grantRestore(grantee: IGrantable): Grant {
    return grantRestore(this.table, grantee);
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

  #createAlarms(threshold: number): ClaimsTableAlarms {
    const cause =
      'On demand, a table that grows to more than twice its earlier peak within 30 minutes is throttled, and so is a single ' +
      'partition above 1,000 writes a second. What to do: look at the consumed capacity. A burst passes by itself. Where it ' +
      'stays, lower maxConcurrency of the consumers, raise the table’s maximum throughput if one is set, or pre-warm the table.';
    const period = { period: Duration.minutes(5) };
    return {
      writeThrottles: alarmAt(this, 'WriteThrottleAlarm', this.metricWriteThrottleEvents(period), {
        threshold,
        description:
          `${this.node.path}: DynamoDB throttles writes of claims. What cannot be claimed does not run and stays on its queue; what ` +
          `cannot be completed may be left in doubt. No effect is doubled, but consumers slow down. ${cause}`,
      }),
      readThrottles: alarmAt(this, 'ReadThrottleAlarm', this.metricReadThrottleEvents(period), {
        threshold,
        description:
          `${this.node.path}: DynamoDB throttles reads of claims. Duplicates cannot be told apart and stay on their queue. No ` +
          `effect is doubled, but consumers slow down. ${cause}`,
      }),
    };
  }

  #sum(metricName: string, props: MetricOptions | undefined): Metric {
    return this.table.metric(metricName, { statistic: 'Sum', ...props });
  }
}
