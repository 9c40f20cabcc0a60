import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FunctionPlace, FunctionsOptions } from '../../lib/rehearsal/engine/lambda/functions.ts';
import type { LambdaStats } from '../../lib/rehearsal/engine/lambda/lambda.ts';
import type { Outcome } from '../../lib/rehearsal/engine/lambda/sandbox.ts';
import type { SqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import type { Poller, Rehearsal, RehearsedStack } from '../../lib/rehearsal/rehearsal.ts';
import type { DeliveryFaults } from '../../lib/rehearsal/services/sqs/event-source.ts';
import type { ChainEffect } from '../plan/chain-plan.ts';
import type { EffectKind, Ledger } from '../providers/ledger.ts';
import type { Processor } from '../providers/processor.ts';
import { type AppFunction, constructOf, effectAt, functionAt, operationOf, operationOfChain } from './app-functions.ts';
import { dynamoRecords, type ShopRecords } from './records.ts';

/** Makes the bundle of a function; `undefined` if it keeps its own. */
export type BundleFor = (source: AppFunction) => Promise<string | undefined>;

/** A version of the shop's functions that is being deployed, or replaced. */
export interface OtherShop {
  /** Its bundle; `undefined` if it has no such function. */
  readonly bundleFor: BundleFor;
  /** Whether the next invocation is for it. */
  readonly takesNext: () => boolean;
}

/** The payments: the API that their processor calls, the consumer that posts them, and the report on the ledger. */
export interface ShopPayments {
  readonly processor: Processor;
  readonly callbackUrl: string;
  readonly consumer: Poller;
  readonly claimsTable: string;
  readonly ledgerTable: string;
  /** Runs the function that compares the ledger with the processor's statements. */
  findDrift(): Promise<Outcome>;
}

/** What follows from payments: who sends and gets their messages. */
interface ShopOutbox {
  /** The schedule on which the relay sweeps. */
  readonly relay: { run(): Promise<void> };
  /** Whether a sweep is going on. */
  isSwept(): boolean;
  readonly consumers: Readonly<Record<ChainEffect, Poller>>;
}

/** The repayments: their consumer. */
interface ShopRepayments {
  readonly consumer: Poller;
}

/** The shop, running: its app on real parts, and what its providers really did. */
export interface Shop {
  readonly claimsTable: string;
  readonly consumers: Readonly<Record<EffectKind, Poller>>;
  readonly payments: ShopPayments;
  readonly outbox: ShopOutbox;
  readonly repayments: ShopRepayments;
  readonly records: ShopRecords;
  readonly dynamo: DynamoDBClient;
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  /** What the providers really did. */
  readonly ledger: Ledger;
}

/** What happens to the messages of a consumer, by the effect that it has. */
export function deliveriesBy(
  delivery: (effect: EffectKind) => DeliveryFaults,
): (consumer: FunctionPlace) => DeliveryFaults | undefined {
  return (consumer) => {
    const effect = effectAt(consumer);
    return effect && delivery(effect);
  };
}

/** The bundles of the functions, by their places in the app. */
export function versionsOf(
  bundleFor: BundleFor | undefined,
  other?: OtherShop,
): Pick<FunctionsOptions, 'bundleFor' | 'other'> {
  const at = (bundle: BundleFor) => async (place: FunctionPlace) => {
    const source = functionAt(place);
    return source && bundle(source);
  };
  return {
    ...(bundleFor ? { bundleFor: at(bundleFor) } : {}),
    ...(other ? { other: { takesNext: other.takesNext, bundleFor: at(other.bundleFor) } } : {}),
  };
}

/** The parts of the shop in a running rehearsal of its app. @param records what its functions have stored. @default what is in its tables */
export function shopOf(
  rehearsal: Rehearsal,
  providers: { readonly ledger: Ledger; readonly processor: Processor },
  records: ShopRecords = dynamoRecordsOf(rehearsal),
): Shop {
  const orders = rehearsal.stack('PawlOrders');
  return {
    claimsTable: orders.table('Claims'),
    consumers: {
      email: orders.consumer(constructOf[operationOf.email]),
      'gift-card': orders.consumer(constructOf[operationOf['gift-card']]),
    },
    payments: paymentsOf(rehearsal.stack('PawlPayments'), providers),
    outbox: outboxOf(rehearsal),
    repayments: repaymentsOf(rehearsal.stack('PawlRepayments')),
    records,
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
    consumer: stack.consumer(constructOf['post-payment']),
    claimsTable: stack.table('Claims'),
    ledgerTable: stack.table('Ledger'),
    findDrift: async () => (await stack.function('LedgerDrift')).invoke({}),
  };
}

function outboxOf(rehearsal: Rehearsal): ShopOutbox {
  const stack = rehearsal.stack('PawlPayments');
  return {
    relay: stack.schedule(constructOf['relay-outbox']),
    isSwept: () => rehearsal.pendingEvents() > 0,
    consumers: {
      receipt: stack.consumer(constructOf[operationOfChain.receipt]),
      points: stack.consumer(constructOf[operationOfChain.points]),
    },
  };
}

function repaymentsOf(stack: RehearsedStack): ShopRepayments {
  return {
    consumer: stack.consumer(constructOf['repay-debts']),
  };
}

function dynamoRecordsOf({ dynamo, stack }: Rehearsal): ShopRecords {
  const repayments = stack('PawlRepayments');
  return dynamoRecords(dynamo, {
    claims: stack('PawlOrders').table('Claims'),
    outbox: stack('PawlPayments').table('Outbox'),
    debts: repayments.table('Debts'),
    locks: repayments.table('Claims'),
  });
}
