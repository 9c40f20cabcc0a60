import { fileURLToPath } from 'node:url';
import { ClaimsDashboard, ClaimsTable, Consumer, OutboxRelay, OutboxTable, StatementCheck } from '@pawl/cdk';
import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundling } from '../../lib/cdk/bundling.ts';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What `cdk deploy -c name=value` may set. */
export interface PaymentSettings {
  /** Ed25519, in PEM: what the processor's callbacks are verified with. It is no secret. */
  readonly processorPublicKey: string;
  readonly processorApiUrl: string;
  /** Where the service is that mails receipts. */
  readonly mailsApiUrl: string;
  /** Where the service is that keeps the customers' points. */
  readonly accountsApiUrl: string;
  readonly functionTimeout: Duration;
}

/**
 * A processor's callbacks behind an HTTP API, a ledger with one debit and one credit for each payment, and what follows from a posting: a receipt, and
 * points, by messages that are committed with the entries.
 */
export class Payments extends Stack {
  constructor(scope: Construct, id: string, settings: PaymentSettings) {
    super(scope, id, { description: 'Payments that are posted once, however often the processor reports them.' });
    const claims = new ClaimsTable(this, 'Claims');
    const ledger = new Table(this, 'Ledger', {
      partitionKey: { name: 'paymentId', type: AttributeType.STRING },
      sortKey: { name: 'entryId', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const depsLockFilePath = fromRoot('package-lock.json');

    const common = { claimsTable: claims.table, timeout: settings.functionTimeout, depsLockFilePath };
    const BACKOFF_SECONDS = String(Math.ceil(settings.functionTimeout.toSeconds() / 3));
    const outbox = new OutboxTable(this, 'Outbox');
    const bus = new EventBus(this, 'Events', { description: 'What becomes of payments.' });

    const mailReceipt = new Consumer(this, 'MailReceipt', {
      ...common,
      entry: fromRoot('lambda/mail-receipt.ts'),
      operation: 'mail-receipt',
      batchSize: 5,
      environment: { MAILS_API_URL: settings.mailsApiUrl, BACKOFF_SECONDS },
    });
    const bookPoints = new Consumer(this, 'BookPoints', {
      ...common,
      entry: fromRoot('lambda/book-points.ts'),
      operation: 'book-points',
      batchSize: 5,
      environment: { ACCOUNTS_API_URL: settings.accountsApiUrl, BACKOFF_SECONDS },
    });
    new Rule(this, 'PointsRule', {
      description: 'Points are booked for each payment.',
      eventBus: bus,
      eventPattern: { source: ['shop'], detailType: ['PaymentPosted'] },
      targets: [new SqsQueue(bookPoints.queue)],
    });

    const postPayment = new Consumer(this, 'PostPayment', {
      ...common,
      entry: fromRoot('lambda/post-payment.ts'),
      operation: 'post-payment',
      batchSize: 10,
      environment: {
        LEDGER_TABLE: ledger.tableName,
        OUTBOX_TABLE: outbox.table.tableName,
        RECEIPTS_QUEUE_URL: mailReceipt.queue.queueUrl,
        EVENT_BUS_ARN: bus.eventBusArn,
        BACKOFF_SECONDS,
      },
    });
    ledger.grant(postPayment.function, 'dynamodb:PutItem');

    const relay = new OutboxRelay(this, 'OutboxRelay', {
      entry: fromRoot('lambda/relay-outbox.ts'),
      outboxTable: outbox.table,
      // The interface of the CDK has what may be absent without `undefined`, and its class has it with.
      destinations: [mailReceipt.queue, bus as IEventBus],
      depsLockFilePath,
      // A message that is as old has no worker that would still send it.
      environment: { SWEEP_OLDER_THAN_SECONDS: String(2 * settings.functionTimeout.toSeconds()) },
    });
    outbox.grantOutbox(postPayment.function);
    relay.grantSend(postPayment.function);

    const callback = new PlainFunction(this, 'PaymentCallback', {
      entry: fromRoot('lambda/payment-callback.ts'),
      timeout: settings.functionTimeout,
      depsLockFilePath,
      environment: {
        CLAIMS_TABLE: claims.table.tableName,
        PAYMENTS_QUEUE_URL: postPayment.queue.queueUrl,
        PROCESSOR_PUBLIC_KEY: settings.processorPublicKey,
      },
    }).function;
    claims.grantClaims(callback);
    Grant.addToPrincipal({
      grantee: callback,
      actions: ['sqs:SendMessage'],
      resourceArns: [postPayment.queue.queueArn],
    });
    const api = new HttpApi(this, 'Api', {
      description: 'What the payment processor calls.',
      createDefaultStage: false,
    });
    api.addStage('Stage', {
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: 200, burstLimit: 400 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLogs', { retention: RetentionDays.ONE_MONTH }),
        ),
      },
    });
    // No authorizer: the function verifies the processor's signature, which is over the body.
    const integration = new HttpLambdaIntegration('Callback', callback);
    api.addRoutes({ path: '/payments/callback', methods: [HttpMethod.POST], integration });

    const drift = new PlainFunction(this, 'LedgerDrift', {
      entry: fromRoot('lambda/ledger-drift.ts'),
      timeout: Duration.minutes(5),
      depsLockFilePath,
      environment: { LEDGER_TABLE: ledger.tableName, PROCESSOR_API_URL: settings.processorApiUrl },
    }).function;
    ledger.grant(drift, 'dynamodb:Scan');
    new StatementCheck(this, 'Statements', { claimsTable: claims.table, function: drift, operation: 'post-payment' });

    new ClaimsDashboard(this, 'Dashboard', { claimsTable: claims, consumers: [postPayment, mailReceipt, bookPoints] });
    new CfnOutput(this, 'CallbackUrl', { value: `${api.apiEndpoint}/payments/callback` });
    new CfnOutput(this, 'OutboxTableName', { value: outbox.table.tableName });
    new CfnOutput(this, 'LedgerTableName', { value: ledger.tableName });
    new CfnOutput(this, 'LedgerDriftFunction', { value: drift.functionName });
  }
}

interface PlainFunctionProps {
  readonly entry: string;
  readonly timeout: Duration;
  readonly depsLockFilePath: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A function that is no consumer of a queue, with logs that end and a role that may write only those. */
class PlainFunction extends Construct {
  readonly function: NodejsFunction;

  constructor(scope: Construct, id: string, { environment, ...props }: PlainFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', { retention: RetentionDays.ONE_MONTH });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.function = new NodejsFunction(this, 'Function', {
      ...props,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      logGroup,
      role,
      bundling,
      environment: { NODE_OPTIONS: '--enable-source-maps', ...environment },
    });
  }
}
