import { isAt } from '../../lib/rehearsal/engine/app/constructs.ts';
import type { FunctionPlace } from '../../lib/rehearsal/engine/lambda/functions.ts';
import type { ChainEffect } from '../plan/chain-plan.ts';
import type { EffectKind } from '../providers/ledger.ts';

/** A function of the shop that is protected by pawl, by its file in `lambda/`. */
export type AppFunction = keyof typeof constructOf;

/** The construct of each function in the shop's stacks. */
export const constructOf = {
  'send-email': 'SendEmail',
  'issue-gift-card': 'IssueGiftCard',
  'post-payment': 'PostPayment',
  'payment-callback': 'PaymentCallback',
  'relay-outbox': 'OutboxRelay',
  'mail-receipt': 'MailReceipt',
  'book-points': 'BookPoints',
  'repay-debts': 'RepayDebts',
  'change-account': 'ChangeAccount',
} as const;

const functions = Object.keys(constructOf) as readonly AppFunction[];

/** The functions that read claims or data, and have no effect of their own. */
const others = { 'ledger-drift': 'LedgerDrift', 'settle-claims': 'SettleClaims' } as const;

export type OtherFunction = keyof typeof others;

const otherFunctions = Object.keys(others) as readonly OtherFunction[];

/** The effects of an order, and the function that has each. Its operation has the same name. */
export const operationOf = {
  email: 'send-email',
  'gift-card': 'issue-gift-card',
} as const satisfies Readonly<Record<EffectKind, AppFunction>>;

/** The functions that have the effects behind a payment. Their operations have the same names. */
export const operationOfChain = {
  receipt: 'mail-receipt',
  points: 'book-points',
} as const satisfies Readonly<Record<ChainEffect, AppFunction>>;

export const shopEffects: readonly [EffectKind, EffectKind] = ['email', 'gift-card'];

/** The function at a place in the app, or `undefined` if pawl does not protect it. */
export function functionAt({ construct }: FunctionPlace): AppFunction | undefined {
  return functions.find((name) => isAt(construct, constructOf[name]));
}

/** The function at a place in the app that has no effect of its own, or `undefined`. */
export function otherFunctionAt({ construct }: FunctionPlace): OtherFunction | undefined {
  return otherFunctions.find((name) => isAt(construct, others[name]));
}

/** The effect that the function at a place has on an order, or `undefined` if it has none. */
export function effectAt(place: FunctionPlace): EffectKind | undefined {
  const name = functionAt(place);
  return shopEffects.find((effect) => operationOf[effect] === name);
}
