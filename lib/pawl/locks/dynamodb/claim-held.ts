import type { Claim } from '../../engine/claim.ts';
import { refusedInObserve } from '../../engine/observe/observed-claim.ts';
import { nodeHost } from '../../host.ts';
import { expect } from '../../kernel/check.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import { identify } from '../../rules/identity.ts';
import type { TransactAction } from '../../stores/dynamodb/marshall-action.ts';
import { whenIn } from './when-in.ts';

/**
 * The action that makes a transaction of the caller's fail unless the claim is still this worker's.
 *
 * @param tableName the claims table
 * @throws OptionError when the handler is only observed: it has no claim
 * @example
 * const options: ForEachItemOptions<string> = {
 *   store: lockStore,
 *   id: claim.effectKey,
 *   work: 'repay',
 *   fence: claimHeld(claim, 'claims'),
 * };
 */
export function claimHeld(claim: Pick<Claim, 'operation' | 'key' | 'fence'>, tableName: string): TransactAction {
  const isClaim = typeof propertyOf(claim, 'fence') === 'number' && typeof propertyOf(claim, 'operation') === 'string';
  expect(
    isClaim,
    'claimHeld',
    'the claim that the handler was given, and the name of its table',
    claim,
    'copied-claim',
  );
  // No grant has it: the condition would refuse every attempt, as if another worker had the claim.
  if (claim.fence === 0) throw refusedInObserve('claimHeld');
  const { id } = identify(claim.operation, claim.key, nodeHost);
  // Parking and every grant raise the fence, so that it alone says whose the claim is.
  return whenIn(tableName, id, { fence: claim.fence, status: 'in-flight' });
}
