import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DeliveryFaults } from '../../lib/rehearsal/event-source.ts';
import type { FunctionPlace, FunctionsOptions } from '../../lib/rehearsal/functions.ts';
import type { LambdaStats } from '../../lib/rehearsal/lambda.ts';
import { type Consumer, type Rehearsal, type RehearsedStack, startRehearsal } from '../../lib/rehearsal/rehearsal.ts';
import type { Outcome } from '../../lib/rehearsal/sandbox.ts';
import type { SqsLocal } from '../../lib/rehearsal/sqs-local.ts';
import type { TapHooks } from '../../lib/rehearsal/tap.ts';
import type { Accounts } from '../providers/accounts.ts';
import type { EffectKind, Ledger } from '../providers/ledger.ts';
import type { Processor } from '../providers/processor.ts';
import { type Providers, type ProvidersFaults, type ProvidersOptions, startProviders } from '../providers/start.ts';
import { type AppFunction, CONSTRUCT_OF, effectAt, functionAt, OPERATION_OF } from './app-functions.ts';
import { APP } from './project.ts';

export interface ShopOptions extends Pick<ProvidersOptions, 'giftCards'> {
  /** The timeout of the app's functions. @default 3 */
  readonly functionTimeoutSeconds?: number;
  /** How many sandboxes each function may have at once. @default 3 */
  readonly sandboxesPerFunction?: number;
  /** Gets every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
  /** Gets a few words about each thing that is being started. */
  readonly onStarting?: (what: string) => void;
  readonly faults?: ShopFaults;
  /** Another bundle for a function; `undefined` if it keeps its own. @default the one that would be deployed */
  readonly bundleFor?: ((source: AppFunction) => Promise<string | undefined>) | undefined;
  /** Environment variables of all functions, in place of the app's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Another version of the functions, which runs beside this one. */
  readonly other?: OtherShop | undefined;
}

/** A version of the shop's functions that is being deployed, or replaced. */
export interface OtherShop {
  /** Its bundle; `undefined` if it has no such function. */
  readonly bundleFor: (source: AppFunction) => Promise<string | undefined>;
  /** Whether the next invocation is for it. */
  readonly takesNext: () => boolean;
}

/** What goes wrong, and where. @default nothing */
export interface ShopFaults extends ProvidersFaults {
  /** Of what functions send to DynamoDB. */
  readonly dynamodb?: TapHooks;
  /** Of what functions send to SQS by its endpoint; what goes to the URL of a queue does not pass. */
  readonly sqs?: TapHooks;
  readonly delivery?: (effect: EffectKind) => DeliveryFaults;
}

/** The payments: the API that their processor calls, the consumer that posts them, and the report on the ledger. */
export interface ShopPayments {
  readonly processor: Processor;
  readonly callbackUrl: string;
  readonly consumer: Consumer;
  readonly claimsTable: string;
  readonly ledgerTable: string;
  /** Runs the function that compares the ledger with the processor's statements. */
  findDrift(): Promise<Outcome>;
}

/** The repayments: their consumer, and the tables that they work on. */
export interface ShopRepayments {
  readonly consumer: Consumer;
  readonly claimsTable: string;
  readonly debtsTable: string;
}

/** The accounts: their consumer, whose queue is FIFO, and the service that keeps them. */
export interface ShopAccounts {
  readonly service: Accounts;
  readonly consumer: Consumer;
  readonly claimsTable: string;
}

/** The shop, running: its app on real parts, and what its providers really did. */
export interface Shop {
  readonly claimsTable: string;
  readonly consumers: Readonly<Record<EffectKind, Consumer>>;
  readonly payments: ShopPayments;
  readonly repayments: ShopRepayments;
  readonly dynamo: DynamoDBClient;
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  /** What the providers really did. */
  readonly ledger: Ledger;
}

/** The shop with all of its providers, for as long as its starter wants. */
export interface StartedShop extends Shop, AsyncDisposable {
  readonly accounts: ShopAccounts;
  /** Ends all of it. Calling it again does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts the providers, and the app in a rehearsal.
 *
 * @throws MissingJavaError if DynamoDB Local cannot run here. What was started by then is stopped
 */
export async function startShop(options: ShopOptions = {}): Promise<StartedShop> {
  const { faults = {}, giftCards } = options;
  await using stopping = new AsyncDisposableStack();
  let rehearsal: Rehearsal | undefined;
  const kill = (sandbox: string) => rehearsal?.kill(sandbox);
  const providers = await startProviders({ faults, kill, ...(giftCards ? { giftCards } : {}) }, stopping);
  rehearsal = stopping.use(await rehearse(options, providers));
  const accounts = accountsOf(rehearsal.stack('PawlAccounts'), providers);
  const shop = shopOf(rehearsal, providers);
  const ending = stopping.move();
  const stop = () => ending.disposeAsync();
  return { ...shop, accounts, stop, [Symbol.asyncDispose]: stop };
}

function rehearse(options: ShopOptions, { ses, giftCards, accounts, processor }: Providers): Promise<Rehearsal> {
  const { faults = {}, functionTimeoutSeconds = 3, bundleFor, other, giftCards: _, ...others } = options;
  const { dynamodb, sqs, delivery } = faults;
  return startRehearsal({
    ...others,
    app: APP,
    context: {
      functionTimeoutSeconds,
      giftCardApiUrl: giftCards.endpoint,
      accountsApiUrl: accounts.endpoint,
      processorApiUrl: processor.endpoint,
      processorPublicKey: processor.publicKey,
    },
    endpoints: { SESV2: ses.endpoint },
    faults: {
      ...(dynamodb ? { dynamodb } : {}),
      ...(sqs ? { sqs } : {}),
      ...(delivery ? { delivery: deliveriesBy(delivery) } : {}),
    },
    ...versionsOf({ bundleFor, other }),
  });
}

/** What happens to the messages of a consumer, by the effect that it has. */
export function deliveriesBy(
  delivery: NonNullable<ShopFaults['delivery']>,
): (consumer: FunctionPlace) => DeliveryFaults | undefined {
  return (consumer) => {
    const effect = effectAt(consumer);
    return effect && delivery(effect);
  };
}

/** The bundles of the functions, by their places in the app. */
export function versionsOf({
  bundleFor,
  other,
}: Pick<ShopOptions, 'bundleFor' | 'other'>): Pick<FunctionsOptions, 'bundleFor' | 'other'> {
  const at = (bundle: NonNullable<ShopOptions['bundleFor']>) => async (place: FunctionPlace) => {
    const source = functionAt(place);
    return source && bundle(source);
  };
  return {
    ...(bundleFor ? { bundleFor: at(bundleFor) } : {}),
    ...(other ? { other: { takesNext: other.takesNext, bundleFor: at(other.bundleFor) } } : {}),
  };
}

/** The parts of the shop in a running rehearsal of its app. */
export function shopOf(
  rehearsal: Rehearsal,
  providers: Pick<Providers, 'ledger'> & { readonly processor: Processor },
): Shop {
  const orders = rehearsal.stack('PawlOrders');
  return {
    claimsTable: orders.table('Claims'),
    consumers: {
      email: orders.consumer(CONSTRUCT_OF[OPERATION_OF.email]),
      'gift-card': orders.consumer(CONSTRUCT_OF[OPERATION_OF['gift-card']]),
    },
    payments: paymentsOf(rehearsal.stack('PawlPayments'), providers),
    repayments: repaymentsOf(rehearsal.stack('PawlRepayments')),
    dynamo: rehearsal.dynamo,
    sqs: rehearsal.sqs,
    sandboxes: rehearsal.sandboxes,
    ledger: providers.ledger,
  };
}

function paymentsOf(stack: RehearsedStack, { processor }: { readonly processor: Processor }): ShopPayments {
  return {
    processor,
    callbackUrl: `${stack.api('Api').endpoint}/payments/callback`,
    consumer: stack.consumer(CONSTRUCT_OF['post-payment']),
    claimsTable: stack.table('Claims'),
    ledgerTable: stack.table('Ledger'),
    findDrift: async () => (await stack.function('LedgerDrift')).invoke({}),
  };
}

function repaymentsOf(stack: RehearsedStack): ShopRepayments {
  return {
    consumer: stack.consumer(CONSTRUCT_OF['repay-debts']),
    claimsTable: stack.table('Claims'),
    debtsTable: stack.table('Debts'),
  };
}

function accountsOf(stack: RehearsedStack, { accounts: service }: Providers): ShopAccounts {
  return {
    service,
    consumer: stack.consumer(CONSTRUCT_OF['change-account']),
    claimsTable: stack.table('Claims'),
  };
}
