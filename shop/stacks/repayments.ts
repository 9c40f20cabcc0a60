import { fileURLToPath } from 'node:url';
import { ClaimsDashboard, ClaimsTable, Consumer } from '@pawl/cdk';
import { CfnOutput, type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Requests that repay debts, over sets that overlap, each debt once. */
export class Repayments extends Stack {
  constructor(scope: Construct, id: string, { functionTimeout: timeout }: { readonly functionTimeout: Duration }) {
    super(scope, id, { description: 'Debts that are repaid once, however many requests name them.' });
    const claims = new ClaimsTable(this, 'Claims');
    const debts = new Table(this, 'Debts', {
      partitionKey: { name: 'debtId', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const seconds = timeout.toSeconds();
    const repayDebts = new Consumer(this, 'RepayDebts', {
      claimsTable: claims.table,
      entry: fromRoot('lambda/repay-debts.ts'),
      operation: 'repay-debts',
      batchSize: 1,
      // Each turn that a request does not get costs a receive, and lasts until the lock in its way can have ended: maxReceiveCount follows.
      lockLease: timeout,
      lockAttempts: 8,
      maxAttempts: 40,
      timeout,
      depsLockFilePath: fromRoot('package-lock.json'),
      environment: {
        DEBTS_TABLE: debts.tableName,
        LOCK_LEASE_SECONDS: String(seconds),
        // A message is invisible for 6 timeouts at most, and comes again within 8.
        LOCK_KEEP_SECONDS: String(8 * seconds),
        BACKOFF_SECONDS: String(Math.ceil(seconds / 3)),
      },
    });
    claims.grantLocks(repayDebts.function);
    debts.grant(repayDebts.function, 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem');

    new ClaimsDashboard(this, 'Dashboard', { claimsTable: claims, consumers: [repayDebts] });
    new CfnOutput(this, 'RepayDebtsQueueUrl', { value: repayDebts.queue.queueUrl });
    new CfnOutput(this, 'DebtsTableName', { value: debts.tableName });
  }
}
