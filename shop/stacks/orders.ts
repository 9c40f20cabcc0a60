import { fileURLToPath } from 'node:url';
import { ClaimsDashboard, ClaimsTable, Consumer, OpenClaimsSweep } from '@pawl/cdk';
import { CfnOutput, type Duration, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What `cdk deploy -c name=value` may set. */
export interface OrderSettings {
  readonly senderAddress: string;
  readonly giftCardApiUrl: string;
  readonly functionTimeout: Duration;
}

/** One table of claims, and two consumers whose effects must not happen twice: an email and a gift card. */
export class Orders extends Stack {
  constructor(scope: Construct, id: string, settings: OrderSettings) {
    super(scope, id, { description: 'Emails and gift cards that go out once, however often their messages arrive.' });
    const claims = new ClaimsTable(this, 'Claims');
    // The first wait after a failure; each further one is three times as long.
    const backoffSeconds = String(Math.ceil(settings.functionTimeout.toSeconds() / 3));
    const common = {
      claimsTable: claims.table,
      timeout: settings.functionTimeout,
      depsLockFilePath: fromRoot('package-lock.json'),
    };

    const sendEmail = new Consumer(this, 'SendEmail', {
      ...common,
      entry: fromRoot('lambda/send-email.ts'),
      operation: 'send-email',
      batchSize: 5,
      // As in the handler. A mail may take a whole invocation, so the fifth of a batch may have its turn in the fifth invocation: more receives follow.
      concurrency: 1,
      environment: { SENDER_ADDRESS: settings.senderAddress, BACKOFF_SECONDS: backoffSeconds },
    });
    sendEmail.function.addToRolePolicy(
      new PolicyStatement({ actions: ['ses:SendEmail'], resources: this.#senderIdentities(settings.senderAddress) }),
    );

    const issueGiftCard = new Consumer(this, 'IssueGiftCard', {
      ...common,
      entry: fromRoot('lambda/issue-gift-card.ts'),
      operation: 'issue-gift-card',
      batchSize: 10,
      environment: { GIFT_CARD_API_URL: settings.giftCardApiUrl, BACKOFF_SECONDS: backoffSeconds },
    });

    // The account decides who may assume it.
    const assumedBy = new AccountRootPrincipal();
    const operator = new Role(this, 'Operator', { assumedBy, description: 'Sees and settles what is open.' });
    for (const part of [claims, sendEmail, issueGiftCard]) part.grantOperate(operator);

    // What no message comes for any more, because it is in a dead-letter queue or too old for one.
    new OpenClaimsSweep(this, 'SettleClaims', {
      claimsTable: claims.table,
      entry: fromRoot('lambda/settle-claims.ts'),
      depsLockFilePath: common.depsLockFilePath,
      environment: { GIFT_CARD_API_URL: settings.giftCardApiUrl },
    });

    new ClaimsDashboard(this, 'Dashboard', { claimsTable: claims, consumers: [sendEmail, issueGiftCard] });

    new CfnOutput(this, 'SendEmailQueueUrl', { value: sendEmail.queue.queueUrl });
    new CfnOutput(this, 'IssueGiftCardQueueUrl', { value: issueGiftCard.queue.queueUrl });
    new CfnOutput(this, 'ClaimsTableName', { value: claims.table.tableName });
  }

  /** SES checks the address's own identity when it has been verified, and its domain's otherwise: permit just these two. */
  #senderIdentities(address: string): string[] {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    return [address, domain].map((resourceName) =>
      this.formatArn({ service: 'ses', resource: 'identity', resourceName }),
    );
  }
}
