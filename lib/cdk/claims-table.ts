import { Duration } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, type ITable, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import {
  type ClaimRights,
  claimsTableDefinition,
  type KeyAttribute,
  type NamesOf,
  type TableIndex,
} from 'pawl/deployment';
import { actOn, alarmAt } from './alarms.ts';
import { grantActs, grantClaims, grantLocks, grantOperate, grantRestore, grantStatements } from './claims-grants.ts';
import { keptTable } from './kept-table.ts';
import { expectProps } from './known-props.ts';

const types = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

const attribute = ({ name, type }: KeyAttribute) => ({ name, type: types[type] });

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
    const { key, timeToLiveAttribute, indexes } = claimsTableDefinition;
    const table = keptTable(this, { partitionKey: attribute(key), timeToLiveAttribute }, props);
    for (const index of indexes) table.addGlobalSecondaryIndex(indexProps(index));
    // CDK's class does not satisfy its own interface under `exactOptionalPropertyTypes`; callers need not know.
    this.table = table as ITable;
    this.alarms = this.#createAlarms(props.throttleThreshold ?? 10);
  }

  /** Adds these actions to every alarm of the table, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
  }

  /** Permits `grantee` to use the claims in this table, as a store does. See {@link grantClaims}. */
  grantClaims(grantee: IGrantable, rights?: ClaimRights): Grant {
    return grantClaims(this.table, grantee, rights);
  }

  /** Permits `grantee` to use `pawl/locks` in this table. See {@link grantLocks}. */
  grantLocks(grantee: IGrantable, rights?: ClaimRights): Grant {
    return grantLocks(this.table, grantee, rights);
  }

  /** Permits `grantee` to list, read and resolve the open claims of this table. See {@link grantOperate}. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(this.table, grantee);
  }

  /** Permits `grantee` to compare a provider's statement with the claims of this table. See {@link grantStatements}. */
  grantStatements(grantee: IGrantable): Grant {
    return grantStatements(this.table, grantee);
  }

  /** Permits `grantee` to export what operators have done. See {@link grantActs}. */
  grantActs(grantee: IGrantable): Grant {
    return grantActs(this.table, grantee);
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
