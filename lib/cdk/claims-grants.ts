import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import {
  actsActions,
  type ClaimRights,
  claimPermissions,
  claimRightsProblems,
  lockPermissions,
  openClaims,
  operateActions,
  operateIndexActions,
  type PermittedOnKeys,
  restoreActions,
  statementActions,
  statementIndexActions,
  WiringError,
} from 'pawl/deployment';
import { makeLocking } from './known-consumers.ts';
import { seenArn } from './seen.ts';

/** What may be granted on a table of claims, also on one that `ClaimsTable` has not made. Which actions a role needs: `needs.ts`. */

/** What a caller of an encrypted table needs of its key: what `Table.grantReadWriteData` gives, without its wildcards. */
const keyActions = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
] as const;

/**
 * Permits `grantee` to claim, complete, release, reject, park and renew in `table`, and to use the table's customer-managed key, if it has
 * one. These permissions allow no delete, scan or query.
 *
 * `ClaimsTable.grantClaims` and `Consumer` call this. Call it yourself for a table that was made elsewhere.
 *
 * @param rights limits the grant to the claims of these operations. Grants of one role add up: beside a grant without rights, they limit nothing
 * @throws {WiringError} when the rights name no operation, or something that is none
 * @example
 * import { Table } from 'aws-cdk-lib/aws-dynamodb';
 *
 * const shared = Table.fromTableName(stack, 'Claims', 'claims');
 * grantClaims(shared, existingFunction, { operations: ['send-email'] });
 */
export function grantClaims(table: ITable, grantee: IGrantable, rights?: ClaimRights): Grant {
  expectRights(table, 'grantClaims', rights);
  // Not `grantReadWriteData`: it lacks the PartiQL actions, and grants `DeleteItem`, `Scan` and `Query`. A consumer that can delete a claim can
  // repeat an effect.
  return grantOn(table, grantee, claimPermissions(rights));
}

/**
 * Permits `grantee` to lock resources in `table`, to check its locks in transactions of its own, and to keep the progress of
 * `forEachItem` there: all of `pawl/locks`, and nothing that deletes, scans or queries.
 *
 * A consumer's own claims need `grantClaims`, which `Consumer` calls; it does not call this.
 *
 * @param rights limits the grant to locks, and to checks of the claims of these operations: give what `grantClaims` has. Locks themselves belong to no
 *   operation, so every role that may lock in the table may change every lock in it
 * @throws {WiringError} when the rights name no operation, or something that is none
 * @example
 * grantLocks(claims.table, existingFunction);
 */
export function grantLocks(table: ITable, grantee: IGrantable, rights?: ClaimRights): Grant {
  expectRights(table, 'grantLocks', rights);
  // A consumer that locks needs more receives. That is checked when the app is complete.
  makeLocking(grantee.grantPrincipal, seenArn(table, table.tableArn));
  return grantOn(table, grantee, lockPermissions(rights));
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
  const list = grantOnIndex(table, grantee, operateIndexActions);
  return grantOn(table, grantee, [{ actions: operateActions }]).combine(list);
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
  const list = grantOnIndex(table, grantee, statementIndexActions);
  return grantOn(table, grantee, [{ actions: statementActions }]).combine(list);
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
  return grantOn(table, grantee, [{ actions: restoreActions }]);
}

/**
 * Permits `grantee` to export what operators have done: `npx pawl acts`. It may read every item of `table`, and write none: grant it to who audits, and to no
 * operator.
 *
 * @example
 * import { Role } from 'aws-cdk-lib/aws-iam';
 *
 * grantActs(claims.table, Role.fromRoleName(stack, 'Audit', 'audit'));
 */
export function grantActs(table: ITable, grantee: IGrantable): Grant {
  return grantOn(table, grantee, [{ actions: actsActions }]);
}

export function grantOn(table: ITable, grantee: IGrantable, permitted: readonly PermittedOnKeys[]): Grant {
  const onTable = permitted
    .map(({ actions, ...conditional }) =>
      Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [table.tableArn], ...conditional }),
    )
    .reduce((all, one) => all.combine(one));
  const key = table.encryptionKey;
  return key === undefined ? onTable : onTable.combine(key.grant(grantee, ...keyActions));
}

function expectRights({ node }: ITable, grant: string, rights: unknown): void {
  const problems = rights === undefined ? [] : claimRightsProblems(rights);
  if (problems.length > 0)
    throw new WiringError(
      node.path,
      problems.map((problem) => `${grant}: ${problem}.`),
    );
}

function grantOnIndex(table: ITable, grantee: IGrantable, actions: readonly string[]): Grant {
  const index = `${table.tableArn}/index/${openClaims.name}`;
  return Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [index] });
}
