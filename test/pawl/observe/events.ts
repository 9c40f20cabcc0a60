import type { ClaimEvent } from '../../../lib/pawl/observe/index.ts';
import { someDay } from '../../support/virtual-host.ts';

const about = { operation: 'issue-gift-card', id: 'issue-gift-card#jo@example.com', at: someDay };

export const granted: ClaimEvent = { ...about, type: 'granted', attempts: 2, fence: 3, status: 'in-flight' };

export const takenOver: ClaimEvent = { ...granted, type: 'taken-over' };

const storeUnavailable: ClaimEvent = {
  ...about,
  type: 'store-unavailable',
  error: { name: 'TimeoutError', message: 'no answer' },
};

/** Of a message without a usable key. */
export const deadLettered: ClaimEvent = {
  ...about,
  id: '',
  type: 'dead-lettered',
  messageId: 'message-1',
  reason: 'missing-key',
  error: { name: 'InvalidKeyError', message: 'the idempotency key is missing or empty' },
};

export const everyKind: readonly ClaimEvent[] = [granted, takenOver, storeUnavailable, deadLettered];
