import { type ChainEffect, messageKey } from '../plan/chain-plan.ts';
import type { EffectKind } from '../providers/ledger.ts';
import { operationOf, operationOfChain } from './app-functions.ts';

/** The id of an effect's claim in the table. */
export function claimId(effect: EffectKind, orderId: string): string {
  return `${operationOf[effect]}#${orderId}`;
}

/** The id of the claim under which an effect behind a payment happens. */
export function chainClaimId(effect: ChainEffect, paymentId: string): string {
  return `${operationOfChain[effect]}#${messageKey(effect, paymentId)}`;
}
