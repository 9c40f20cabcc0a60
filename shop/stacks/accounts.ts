import { fileURLToPath } from 'node:url';
import { ClaimsDashboard, ClaimsTable, Consumer } from '@pawl/cdk';
import { CfnOutput, type Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What `cdk deploy -c name=value` may set. */
export interface AccountSettings {
  readonly accountsApiUrl: string;
  readonly functionTimeout: Duration;
}

/** Changes of customers' accounts: those of one account in order, each once. */
export class Accounts extends Stack {
  constructor(scope: Construct, id: string, { accountsApiUrl, functionTimeout: timeout }: AccountSettings) {
    super(scope, id, { description: 'Changes of accounts that are booked once, and in order.' });
    const claims = new ClaimsTable(this, 'Claims');
    const seconds = timeout.toSeconds();
    const changeAccount = new Consumer(this, 'ChangeAccount', {
      claimsTable: claims.table,
      entry: fromRoot('lambda/change-account.ts'),
      operation: 'change-account',
      fifo: true,
      batchSize: 10,
      timeout,
      depsLockFilePath: fromRoot('package-lock.json'),
      environment: {
        ACCOUNTS_API_URL: accountsApiUrl,
        CHANGE_TIMEOUT_MS: String(500 * seconds),
        BACKOFF_SECONDS: String(Math.ceil(seconds / 3)),
      },
    });

    new ClaimsDashboard(this, 'Dashboard', { claimsTable: claims, consumers: [changeAccount] });
    new CfnOutput(this, 'ChangeAccountQueueUrl', { value: changeAccount.queue.queueUrl });
  }
}
