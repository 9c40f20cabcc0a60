import { AttributeType, type ITable, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { type NamesOf, outboxActions, outboxRelayActions, outboxTableDefinition } from 'pawl/deployment';
import { grantOn } from './claims-grants.ts';
import { keptTable } from './kept-table.ts';
import { expectProps } from './known-props.ts';

/**
 * The options of an {@link OutboxTable}.
 *
 * @example
 * import { Key } from 'aws-cdk-lib/aws-kms';
 *
 * const props: OutboxTableProps = { encryptionKey: new Key(stack, 'OutboxKey') };
 * new OutboxTable(stack, 'Outbox', props);
 */
export interface OutboxTableProps {
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
}

const known = { deletionProtection: true, encryptionKey: true } as const satisfies NamesOf<OutboxTableProps>;

/**
 * The DynamoDB table of an outbox: on-demand, with TTL for its counters, a stream of keys for its relay, and deletion protection. It is kept when its stack is
 * deleted: what lies in it has not been sent. An outbox in PostgreSQL has the table of its migration instead.
 *
 * @example
 * const outbox = new OutboxTable(stack, 'Outbox');
 * outbox.grantOutbox(existingFunction);
 * existingFunction.addEnvironment('OUTBOX_TABLE', outbox.table.tableName);
 */
export class OutboxTable extends Construct {
  /** The table itself. */
  readonly table: ITable;

  constructor(scope: Construct, id: string, props: OutboxTableProps = {}) {
    super(scope, id);
    expectProps(this, props, { door: 'OutboxTable', known, docs: 'docs/guides/outbox.md' });
    const { key, sortKey, timeToLiveAttribute } = outboxTableDefinition;
    const keys = {
      partitionKey: { name: key.name, type: AttributeType.STRING },
      sortKey: { name: sortKey.name, type: AttributeType.NUMBER },
    };
    this.table = keptTable(this, { ...keys, timeToLiveAttribute, stream: StreamViewType.KEYS_ONLY }, props) as ITable;
  }

  /** Permits `grantee` to commit messages, and to remove those that it has sent. What it sends to, it needs besides: `queue.grantSendMessages(grantee)`. */
  grantOutbox(grantee: IGrantable): Grant {
    return grantOn(this.table, grantee, [{ actions: outboxActions }]);
  }

  /** Permits `grantee` to list the messages of the table, to remove and to park them: what a sweep needs, and `pawl outbox`. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOn(this.table, grantee, [{ actions: outboxRelayActions }]);
  }
}
