import { fileURLToPath } from 'node:url';
import { App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { ClaimsDashboard, ClaimsTable, Consumer } from '../lib/deployment/constructs/index.ts';
import { type AccountSettings, Accounts } from '../shop/stacks/accounts.ts';
import { type PaymentSettings, Payments } from '../shop/stacks/payments.ts';
import { Repayments } from '../shop/stacks/repayments.ts';

const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What `cdk deploy -c name=value` may set. */
interface Settings extends PaymentSettings, AccountSettings {
  readonly senderAddress: string;
  readonly giftCardApiUrl: string;
}

/** One table of claims, and two consumers whose effects must not happen twice: an email and a gift card. */
class Orders extends Stack {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { description: 'Emails and gift cards that go out once, however often their messages arrive.' });
    const claims = new ClaimsTable(this, 'Claims');
    // The first wait of what failed; each further one is three times as long.
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
      // As in the handler. A mail may take a whole invocation, so one of five may have its turn in the fifth: more receives follow.
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

function readSettings(app: App): Settings {
  const read = (name: string, otherwise: string) => String(app.node.tryGetContext(name) ?? otherwise);

  const senderAddress = read('senderAddress', 'orders@example.com');
  if (!/^[^@\s<>]+@[^@\s<>]+$/.test(senderAddress)) {
    throw new Error(
      `Context senderAddress must be a bare email address, such as orders@example.com; got '${senderAddress}'.`,
    );
  }

  function readUrl(name: string, otherwise: string): string {
    const url = read(name, otherwise);
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
    throw new Error(`Context ${name} must be an http or https URL; got '${url}'.`);
  }

  // `-c` on the command line makes every value a string; a number comes from cdk.json or CDK_CONTEXT_JSON.
  const seconds = read('functionTimeoutSeconds', '30');
  if (!/^[1-9]\d*$/.test(seconds) || Number(seconds) > 900) {
    throw new Error(
      `Context functionTimeoutSeconds must be a whole number from 1 to 900, Lambda's limit; got '${seconds}'.`,
    );
  }

  return {
    senderAddress,
    giftCardApiUrl: readUrl('giftCardApiUrl', 'https://gift-cards.example.com'),
    accountsApiUrl: readUrl('accountsApiUrl', 'https://accounts.example.com'),
    processorApiUrl: readUrl('processorApiUrl', 'https://processor.example.com'),
    // Nothing is signed with this one: until the processor's is set, every callback is answered 401.
    processorPublicKey: read('processorPublicKey', 'not set'),
    functionTimeout: Duration.seconds(Number(seconds)),
  };
}

const app = new App();
// No account and no region here: the app synthesizes without credentials, and deploys to wherever the CLI points.
const settings = readSettings(app);
new Orders(app, 'PawlOrders', settings);
new Payments(app, 'PawlPayments', settings);
new Repayments(app, 'PawlRepayments', settings);
new Accounts(app, 'PawlAccounts', settings);
