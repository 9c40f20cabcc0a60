import middy from '@middy/core';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import {
  bodyField,
  type Claim,
  claimOf,
  type HttpOptions,
  httpOnce,
  onceOverHttp,
} from '../../../lib/pawl/http/index.ts';
import { once } from '../../../lib/pawl/index.ts';
import { openedMessage, sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { deadLetterQueue, eachMessage, snsEnvelope } from '../../../lib/pawl/sqs/index.ts';
import { eachTransaction } from '../../../lib/pawl/transactions/index.ts';
import type { CallerOptions, SweptHandler, SweptMessage } from '../../../lib/testing/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { add, claimsOf, committingClaimsOf, operation } from './outside.ts';
import type { Door } from './table.ts';
import { type FeatureOptions, type Made, policyOf, type Setting, type Work } from './works.ts';

export interface Payment {
  readonly payment: string;
}

type HttpEvent = ReturnType<typeof apiGatewayV2>;

const paymentIn = (body: string | null | undefined): Payment => JSON.parse(body ?? '');

/** What the doors are given in common. */
function common(setting: Setting, made: Made, hasClaim: boolean) {
  const { world, outside } = setting;
  const { attributes, envelope, ...options }: FeatureOptions = made.options?.(setting) ?? {};
  const { host, onEvent } = world.options;
  const applied = (payment: string) =>
    Object.values(made.effects(outside, payment, hasClaim)).every((times) => times > 0);
  // A step's policy is its own; its consumer runs again whatever was abandoned.
  const onAbandoned = policyOf(setting, applied);
  return {
    wiring: { host, onEvent, operation },
    options: { store: claimsOf(world, outside), onAbandoned, ...options },
    keeps: attributes === true,
    inSns: envelope === true,
  };
}

/** What rides with a key, where the feature is that. */
const kept =
  <Input>(keeps: boolean, paymentOf: (input: Input) => string) =>
  (): { readonly attributes?: (input: Input) => { readonly payment: string } } =>
    keeps ? { attributes: (input) => ({ payment: paymentOf(input) }) } : {};

/** What opens the messages, where the feature is that. */
const opened = (inSns: boolean) => (inSns ? { envelope: snsEnvelope() } : {});

/** How a work is wired into each door. @param deadLetters whether what can never run has a queue to go to */
type Wire = (setting: Setting, made: Made, work: Work, deadLetters: boolean) => SweptHandler;

function queueOf({ world }: Setting, hasDeadLetters: boolean) {
  const { aws } = world.options.store;
  return { aws, ...(hasDeadLetters && { deadLetters: deadLetterQueue(world.deadLetterQueueUrl) }) };
}

export const wire: Readonly<Record<Door, Wire>> = {
  eachMessage(setting, made, work, deadLetters) {
    const { wiring, options, keeps, inSns } = common(setting, made, true);
    const attributes = kept<{ readonly body: Payment }>(keeps, ({ body }) => body.payment);
    return eachMessage<Payment>(
      {
        ...wiring,
        ...queueOf(setting, deadLetters),
        ...options,
        ...attributes(),
        ...opened(inSns),
        key: bodyField('payment'),
      },
      ({ body }, claim) => work(body.payment, claim),
    );
  },

  sqsOnce(setting, made, work, deadLetters) {
    const { wiring, options, keeps, inSns } = common(setting, made, false);
    const attributes = kept<{ readonly body: Payment }>(keeps, ({ body }) => body.payment);
    const paidFor = (record: SQSRecord) =>
      inSns ? openedMessage<Payment>(record).body.payment : paymentIn(record.body).payment;
    const existing = ({ Records }: SQSEvent) =>
      Promise.allSettled(Records.map((record) => work(paidFor(record), undefined)));
    return middy(existing, { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Payment>({
        ...wiring,
        ...queueOf(setting, deadLetters),
        ...options,
        ...attributes(),
        ...opened(inSns),
        key: bodyField('payment'),
      }),
    ) as SweptHandler;
  },

  once(setting, made, work, deadLetters) {
    const { wiring, options, keeps } = common(setting, made, true);
    const attributes = kept<Payment>(keeps, ({ payment }) => payment);
    const call = once<Payment, unknown, boolean>(
      { ...wiring, ...options, ...attributes(), key: ({ payment }) => payment },
      ({ payment }, claim) => work(payment, claim),
    );
    // Where an operator decides, the caller goes on to ask: of a parked call, the short form is an error that ends its asking.
    const asked = deadLetters ? call : call.outcome;
    return (input: Payment, context: Context) =>
      asked(input, { remainingMs: () => context.getRemainingTimeInMillis() });
  },

  onceOverHttp(setting, made, work) {
    const answer = answering(work);
    return onceOverHttp<HttpEvent, Context, unknown>(httpOptions(setting, made), (event, _, claim) =>
      answer(event, claim),
    );
  },

  httpOnce(setting, made, work) {
    const answer = answering(work);
    const served = (event: HttpEvent, context: Context) => answer(event, claimOf(context));
    const options = { timeoutEarlyInMillis: 0 };
    return middy(served, options).use(httpOnce<HttpEvent>(httpOptions(setting, made))) as SweptHandler;
  },

  eachTransaction(setting, made, _, deadLetters) {
    const { wiring, options, keeps, inSns } = common(setting, made, true);
    const { onAbandoned, ...others } = options;
    const attributes = kept<{ readonly body: Payment }>(keeps, ({ body }) => body.payment);
    const { world, outside } = setting;
    const store = made.committing?.(setting) ?? committingClaimsOf(world, outside);
    return eachTransaction<Payment>(
      {
        ...wiring,
        ...queueOf(setting, deadLetters),
        ...others,
        ...attributes(),
        ...opened(inSns),
        store,
        key: bodyField('payment'),
      },
      ({ body: { payment } }) => made.writes?.(payment, outside) ?? [add(payment)],
    );
  },
};

function httpOptions(setting: Setting, made: Made): HttpOptions<HttpEvent> & { readonly required?: true } {
  const { wiring, options, keeps } = common(setting, made, true);
  const attributes = kept<{ readonly event: HttpEvent }>(keeps, ({ event }) => paymentIn(event.body).payment);
  return { ...wiring, ...options, ...attributes(), caller: 'anyone', key: bodyField('payment') };
}

function answering(work: Work) {
  return async ({ body }: HttpEvent, claim: Claim | undefined) => {
    const done = await work(paymentIn(body).payment, claim);
    return { statusCode: 201, body: JSON.stringify(done ?? null) };
  };
}

/** How a door's traffic comes: as callers, or else by a queue. */
export function callersOf(door: Door): CallerOptions | undefined {
  if (door === 'once') return {};
  if (door !== 'onceOverHttp' && door !== 'httpOnce') return undefined;
  return { event: ({ body }: SweptMessage) => apiGatewayV2({ body: JSON.stringify(body) }) };
}

/** Whether the author's function is given a claim there, or is one with it. */
export const hasClaim = (door: Door): boolean => door !== 'sqsOnce';
