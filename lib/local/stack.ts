import { rm } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDbLocal } from './dynamodb-local.ts';
import { type DeliveryFaults, type EventSource, type EventSourceStats, startEventSource } from './event-source.ts';
import { type GiftCardOptions, startGiftCards } from './gift-cards.ts';
import { requireJava } from './java.ts';
import { createLambda, type LambdaStats } from './lambda.ts';
import { createLedger, type EffectKind, type Ledger } from './ledger.ts';
import type { ProviderFault } from './provider.ts';
import { type ProvisionedEventSource, type ProvisionedQueue, provision } from './provision.ts';
import { startSes } from './ses.ts';
import { type SqsLocal, startSqsLocal } from './sqs-local.ts';
import { synthesize } from './synthesize.ts';
import { startTap, type TapHooks } from './tap.ts';
import { REGION } from './template.ts';

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
  readonly bundleFor?: (effect: EffectKind) => Promise<string>;
}

/** What goes wrong, and where. Nothing does by default. */
export interface StackFaults {
  readonly tap?: TapHooks;
  readonly provider?: (effect: EffectKind, orderId: string) => ProviderFault | undefined;
  readonly delivery?: (effect: EffectKind) => DeliveryFaults;
}

/** One consumer of the app: its queue, its dead-letter queue, and what came through. */
export interface StackConsumer {
  readonly queue: ProvisionedQueue;
  readonly deadLetterQueue: ProvisionedQueue | undefined;
  readonly stats: EventSourceStats;
}

/** The app, running: its tables, its queues, its functions in sandboxes, and the providers that they call. */
export interface LocalStack extends AsyncDisposable {
  readonly claimsTable: string;
  readonly consumers: Readonly<Record<EffectKind, StackConsumer>>;
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
const CONSTRUCT_OF: Readonly<Record<EffectKind, string>> = { email: 'SendEmail', 'gift-card': 'IssueGiftCard' };

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
  const [ses, giftCards, sqs] = await allOrNothing([
    startSes(ledger, provider).then(stopped),
    startGiftCards(ledger, { lookupLagMs: 300, ...options.giftCards, ...provider }).then(stopped),
    startSqsLocal().then(stopped),
  ]);
  onStarting('synthesizing the CDK app and starting DynamoDB Local');
  const [app, dynamoLocal] = await allOrNothing([
    synthesize({
      functionTimeoutSeconds: options.functionTimeoutSeconds ?? 3,
      giftCardApiUrl: giftCards.endpoint,
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
  const { tables, queues, eventSources } = await provision(app, dynamo, sqs);
  const [claims] = tables;
  if (claims === undefined) throw new Error('The app has no table of claims.');

  const tap = stopped(
    await startTap({ target: dynamoLocal.endpoint, kill, ...(faults.tap ? { hooks: faults.tap } : {}) }),
  );
  const lambda = createLambda({
    ...(options.onLog ? { onLog: options.onLog } : {}),
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: tap.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      AWS_ENDPOINT_URL_SESV2: ses.endpoint,
    },
  });

  const sources: EventSource[] = [];
  // All at once: an event source waits for its invocations, and one that is not stopping would try again without a function.
  starting.defer(async () => {
    lambda.stop();
    await Promise.all(sources.map((source) => source.stop()));
  });

  async function startConsumer(effect: EffectKind): Promise<StackConsumer> {
    const mapping = findMapping(eventSources, effect);
    const sandboxes = Math.min(mapping.maximumConcurrency ?? 1_000, options.sandboxesPerFunction ?? 3);
    const fn = lambda.createFunction({
      ...mapping.function,
      ...(options.bundleFor ? { folder: await options.bundleFor(effect) } : {}),
      maxSandboxes: sandboxes,
    });
    const source = startEventSource({
      ...mapping,
      client: sqs.client,
      invoke: fn.invoke,
      concurrency: sandboxes,
      ...(faults.delivery ? { faults: faults.delivery(effect) } : {}),
    });
    sources.push(source);
    return {
      queue: mapping.queue,
      deadLetterQueue: queues.find(({ arn }) => arn === mapping.queue.deadLetterArn),
      stats: source.stats,
    };
  }

  const consumers = { email: await startConsumer('email'), 'gift-card': await startConsumer('gift-card') };
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return {
    claimsTable: claims.name,
    consumers,
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

function findMapping(mappings: readonly ProvisionedEventSource[], effect: EffectKind): ProvisionedEventSource {
  const found = mappings.find((mapping) => mapping.function.logicalId.includes(CONSTRUCT_OF[effect]));
  if (found === undefined) throw new Error(`The app has no consumer called ${CONSTRUCT_OF[effect]}.`);
  return found;
}
