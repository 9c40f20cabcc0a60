import type { EffectKind } from '../providers/ledger.ts';
import { operationOf } from './app-functions.ts';

/** The id of an effect's claim in the table. */
export function claimId(effect: EffectKind, orderId: string): string {
  return `${operationOf[effect]}#${orderId}`;
}
