import { rm } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDbLocal } from '../lib/rehearsal/dynamodb-local.ts';
import {
  type DeliveryFaults,
  type EventSource,
  type EventSourceStats,
  startEventSource,
} from '../lib/rehearsal/event-source.ts';
import type { HttpServer } from '../lib/rehearsal/http.ts';
import { startHttpApi } from '../lib/rehearsal/http-api.ts';
import { requireJava } from '../lib/rehearsal/java.ts';
import { createLambda, type LambdaStats } from '../lib/rehearsal/lambda.ts';
import {
  type Provisioned,
  type ProvisionedEventSource,
  type ProvisionedFunction,
  type ProvisionedQueue,
  provision,
} from '../lib/rehearsal/provision.ts';
import type { Outcome } from '../lib/rehearsal/sandbox.ts';
import { type SqsLocal, startSqsLocal } from '../lib/rehearsal/sqs-local.ts';
import { type Assembly, type Synthesized, synthesize } from '../lib/rehearsal/synthesize.ts';
import { startTap, type TapHooks } from '../lib/rehearsal/tap.ts';
import { REGION } from '../lib/rehearsal/template.ts';
import { type Accounts, startAccounts } from './accounts.ts';
import { type GiftCardOptions, startGiftCards } from './gift-cards.ts';
import { createLedger, type EffectKind, type Ledger } from './ledger.ts';
import { type Processor, startProcessor } from './processor.ts';
import type { ProviderFault } from './provider.ts';
import { startSes } from './ses.ts';

export interface StackOptions {
  /** What the functions of the app get as their timeout. @default 3 */
  readonly functionTimeoutSeconds?: number;
  /** How many sandboxes each function may have at once. @default 3 */
  readonly sandboxesPerFunction?: number;
  /** Every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
  /** Hears of each thing that is being started. */
  readonly onStarting?: (what: string) => void;
  readonly faults?: StackFaults;
  /** How the gift card provider is. @default it honours idempotency keys, and its look-up lags by 300 ms */
  readonly giftCards?: Pick<GiftCardOptions, 'lookupLagMs' | 'honoursKeys'>;
  /** Another bundle for the function of a consumer. @default the one that would be deployed */
  readonly bundleFor?: (source: AppFunction) => Promise<string>;
  /** Environment variables of all functions, in place of the app's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Another version of the functions, which runs beside this one. */
  readonly other?: OtherVersion;
}

/** A version of the app's functions that is being deployed, or replaced: it gets some of the invocations, in sandboxes of its own. */
export interface OtherVersion {
  /** Its bundle; nothing where it has no such function. */
  readonly bundleFor: (source: AppFunction) => Promise<string | undefined>;
  /** Whether the next invocation is for it. */
  readonly takesNext: () => boolean;
}

/** What goes wrong, and where. Nothing does by default. */
export interface StackFaults {
  readonly tap?: TapHooks;
  /** Of what functions send to SQS by its endpoint; what goes to the URL of a queue does not come by. */
  readonly queue?: TapHooks;
  readonly provider?: (effect: EffectKind, orderId: string) => ProviderFault | undefined;
  readonly delivery?: (effect: EffectKind) => DeliveryFaults;
  readonly accounts?: (changeId: string, accountId: string) => ProviderFault | undefined;
}

/** A function of the app, by the file that it is made of. */
export type AppFunction =
  | 'send-email'
  | 'issue-gift-card'
  | 'post-payment'
  | 'payment-callback'
  | 'repay-debts'
  | 'change-account';

/** One consumer of the app: its queue, its dead-letter queue, and what came through. */
export interface StackConsumer {
  readonly queue: ProvisionedQueue;
  readonly deadLetterQueue: ProvisionedQueue | undefined;
  readonly stats: EventSourceStats;
}

/** The payments of the app: the API that their processor calls, the consumer that posts them, and the report on the ledger. */
export interface StackPayments {
  readonly processor: Processor;
  readonly callbackUrl: string;
  readonly consumer: StackConsumer;
  readonly claimsTable: string;
  readonly ledgerTable: string;
  /** Runs the function that compares the ledger with the processor's statements. */
  findDrift(): Promise<Outcome>;
}

/** The repayments of the app: their consumer, and the tables that they work on. */
export interface StackRepayments {
  readonly consumer: StackConsumer;
  readonly claimsTable: string;
  readonly debtsTable: string;
}

/** The accounts of the app: their consumer, whose queue is FIFO, and the service that keeps them. */
export interface StackAccounts {
  readonly service: Accounts;
  readonly consumer: StackConsumer;
  readonly claimsTable: string;
}

/** The app, running: its tables, its queues, its functions in sandboxes, and the providers that they call. */
export interface LocalStack extends AsyncDisposable {
  readonly claimsTable: string;
  readonly consumers: Readonly<Record<EffectKind, StackConsumer>>;
  readonly payments: StackPayments;
  readonly repayments: StackRepayments;
  readonly accounts: StackAccounts;
  readonly dynamo: DynamoDBClient;
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  /** Kills a sandbox, as a host that dies would. */
  kill(sandbox: string): boolean;
  /** What the providers really did. */
  readonly ledger: Ledger;
  /** Ends all of it. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** How to tell whose consumer a function of the app is: the CDK builds a logical id from the names of the constructs. */
const CONSTRUCT_OF = {
  'send-email': 'SendEmail',
  'issue-gift-card': 'IssueGiftCard',
  'post-payment': 'PostPayment',
  'payment-callback': 'PaymentCallback',
  'repay-debts': 'RepayDebts',
  'change-account': 'ChangeAccount',
} as const satisfies Readonly<Record<AppFunction, string>>;

/**
 * Synthesizes the app and runs it on local servers.
 *
 * @throws MissingJavaError when DynamoDB Local cannot run here. Whatever was started by then is stopped again.
 */
export async function startStack(options: StackOptions = {}): Promise<LocalStack> {
  const { onStarting = () => undefined, faults = {} } = options;
  await requireJava();
  await using starting = new AsyncDisposableStack();
  const stopped = <Part extends { stop(): unknown }>(part: Part): Part =>
    starting.adopt(part, async () => void (await part.stop()));

  const ledger = createLedger();
  const kill = (sandbox: string) => lambda.kill(sandbox);
  const provider = { kill, ...(faults.provider ? { nextFault: faults.provider } : {}) };
  const [ses, giftCards, accounts, processor, sqs] = await allOrNothing([
    startSes(ledger, provider).then(stopped),
    startGiftCards(ledger, { lookupLagMs: 300, ...options.giftCards, ...provider }).then(stopped),
    startAccounts({ kill, ...(faults.accounts ? { nextFault: faults.accounts } : {}) }).then(stopped),
    startProcessor().then(stopped),
    startSqsLocal().then(stopped),
  ]);
  onStarting('synthesizing the CDK app and starting DynamoDB Local');
  const [app, dynamoLocal] = await allOrNothing([
    synthesize({
      functionTimeoutSeconds: options.functionTimeoutSeconds ?? 3,
      giftCardApiUrl: giftCards.endpoint,
      accountsApiUrl: accounts.endpoint,
      processorApiUrl: processor.endpoint,
      processorPublicKey: processor.publicKey,
    }),
    startDynamoDbLocal().then(stopped),
  ]);
  starting.defer(() => rm(app.folder, { recursive: true, force: true }));
  const dynamo = new DynamoDBClient({
    endpoint: dynamoLocal.endpoint,
    region: REGION,
    credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' },
  });
  starting.defer(() => dynamo.destroy());
  onStarting('creating tables and queues');
  const [orders, payments, repayments, changes] = await allOrNothing([
    provision(stackOf(app, 'PawlOrders'), dynamo, sqs),
    provision(stackOf(app, 'PawlPayments'), dynamo, sqs),
    provision(stackOf(app, 'PawlRepayments'), dynamo, sqs),
    provision(stackOf(app, 'PawlAccounts'), dynamo, sqs),
  ]);

  const tap = stopped(
    await startTap({ target: dynamoLocal.endpoint, kill, ...(faults.tap ? { hooks: faults.tap } : {}) }),
  );
  const queueTap = stopped(
    await startTap({ target: sqs.endpoint, kill, ...(faults.queue ? { hooks: faults.queue } : {}) }),
  );
  const lambda = createLambda({
    ...(options.onLog ? { onLog: options.onLog } : {}),
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: tap.endpoint,
      AWS_ENDPOINT_URL_SQS: queueTap.endpoint,
      AWS_ENDPOINT_URL_SESV2: ses.endpoint,
    },
  });

  const sources: EventSource[] = [];
  // All at once: an event source waits for its invocations, and one that is not stopping would try again without a function.
  starting.defer(async () => {
    lambda.stop();
    await Promise.all(sources.map((source) => source.stop()));
  });

  async function createAppFunction(source: AppFunction, provisioned: ProvisionedFunction, maxSandboxes: number) {
    const definition = { ...provisioned, environment: { ...provisioned.environment, ...options.environment } };
    const bundle = options.bundleFor && { folder: await options.bundleFor(source) };
    const fn = lambda.createFunction({ ...definition, ...bundle, maxSandboxes });
    const { other } = options;
    const folder = await other?.bundleFor(source);
    if (other === undefined || folder === undefined) return fn;
    const beside = lambda.createFunction({ ...definition, folder, maxSandboxes });
    const invoke = (event: unknown) => (other.takesNext() ? beside : fn).invoke(event);
    return { ...fn, invoke };
  }

  async function startConsumer(
    { eventSources, queues }: Provisioned,
    source: AppFunction,
    effect?: EffectKind,
  ): Promise<StackConsumer> {
    const mapping = findMapping(eventSources, source);
    const sandboxes = Math.min(mapping.maximumConcurrency ?? 1_000, options.sandboxesPerFunction ?? 3);
    const fn = await createAppFunction(source, mapping.function, sandboxes);
    const eventSource = startEventSource({
      ...mapping,
      client: sqs.client,
      invoke: fn.invoke,
      concurrency: sandboxes,
      ...(faults.delivery && effect ? { faults: faults.delivery(effect) } : {}),
    });
    sources.push(eventSource);
    return {
      queue: mapping.queue,
      deadLetterQueue: queues.find(({ arn }) => arn === mapping.queue.deadLetterArn),
      stats: eventSource.stats,
    };
  }

  async function startPayments(): Promise<StackPayments> {
    const callback = await createAppFunction(
      'payment-callback',
      payments.functionOf(CONSTRUCT_OF['payment-callback']),
      options.sandboxesPerFunction ?? 3,
    );
    const drift = lambda.createFunction({ ...payments.functionOf('LedgerDrift'), maxSandboxes: 1 });
    const api: HttpServer = stopped(await startHttpApi(callback.invoke));
    return {
      processor,
      callbackUrl: `${api.endpoint}/payments/callback`,
      consumer: await startConsumer(payments, 'post-payment'),
      claimsTable: tableOf(payments, 'Claims'),
      ledgerTable: tableOf(payments, 'Ledger'),
      findDrift: () => drift.invoke({}),
    };
  }

  const consumers = {
    email: await startConsumer(orders, 'send-email', 'email'),
    'gift-card': await startConsumer(orders, 'issue-gift-card', 'gift-card'),
  };
  const repaymentsRunning = {
    consumer: await startConsumer(repayments, 'repay-debts'),
    claimsTable: tableOf(repayments, 'Claims'),
    debtsTable: tableOf(repayments, 'Debts'),
  };
  const accountsRunning = {
    service: accounts,
    consumer: await startConsumer(changes, 'change-account'),
    claimsTable: tableOf(changes, 'Claims'),
  };
  const paymentsRunning = await startPayments();
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return {
    claimsTable: tableOf(orders, 'Claims'),
    consumers,
    payments: paymentsRunning,
    repayments: repaymentsRunning,
    accounts: accountsRunning,
    dynamo,
    sqs,
    sandboxes: lambda.stats,
    kill,
    ledger,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Waits for all of them, also when one fails. `Promise.all` would give up at the first failure, and whatever started a
 * moment later would never be stopped.
 */
async function allOrNothing<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

function stackOf({ stacks }: Assembly, name: string): Synthesized {
  const found = stacks.find(({ stackName }) => stackName === name);
  if (found === undefined) throw new Error(`The app has no stack ${name}.`);
  return found;
}

function tableOf({ tables }: Provisioned, construct: string): string {
  const found = tables.find(({ logicalId }) => logicalId.startsWith(construct));
  if (found === undefined) throw new Error(`The stack has no table ${construct}.`);
  return found.name;
}

function findMapping(mappings: readonly ProvisionedEventSource[], source: AppFunction): ProvisionedEventSource {
  const found = mappings.find((mapping) => mapping.function.logicalId.includes(CONSTRUCT_OF[source]));
  if (found === undefined) throw new Error(`The app has no consumer called ${CONSTRUCT_OF[source]}.`);
  return found;
}
