import type { ClaimRequest, ClaimRules } from '../../lib/pawl/rules/decide.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import { claimRecord } from '../../lib/testing/laws/records.ts';
import { someDay } from './virtual-host.ts';

export const rules: ClaimRules = {
  onAbandoned: 'retry',
  skewMs: 1000,
  maxAbandoned: 3,
  maxAttempts: 20,
  retryWindowSeconds: 14 * 24 * 3600,
  retentionSeconds: 30 * 24 * 3600,
};

export function request(claimId: string, overrides: Partial<ClaimRequest> = {}): ClaimRequest {
  return { id: 'issue-gift-card#order-1', claimId, leaseUntil: someDay + 30_000, ...overrides };
}

export function record(overrides: Partial<ClaimRecord> = {}): ClaimRecord {
  return claimRecord({ id: 'issue-gift-card#order-1', ...overrides });
}

/** A record as a later version of pawl may write it. */
export function laterRecord(fields: Partial<ClaimRecord>, strange: object): ClaimRecord {
  return { ...record(fields), ...strange };
}
