import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  CLAIM_ACTIONS,
  LOCK_ACTIONS,
  OPERATE_ACTIONS,
  OPERATE_INDEX_ACTIONS,
  RESTORE_ACTIONS,
  STATEMENT_ACTIONS,
  STATEMENT_INDEX_ACTIONS,
} from '../../../lib/pawl/deployment/needs.ts';

/** What each role of SECURITY.md is permitted on the claims table and its index. */
const PERMITTED: Readonly<Record<string, readonly string[]>> = {
  'a consumer': [...CLAIM_ACTIONS, ...LOCK_ACTIONS],
  'an operator': [...OPERATE_ACTIONS, ...OPERATE_INDEX_ACTIONS],
  statements: [...STATEMENT_ACTIONS, ...STATEMENT_INDEX_ACTIONS],
  'a restore': RESTORE_ACTIONS,
};

const page = readFileSync(fileURLToPath(new URL('../../../SECURITY.md', import.meta.url)), 'utf8');

test.each(Object.entries(PERMITTED))(
  '%s has none of the permissions that SECURITY.md says it has not',
  (role, permitted) => {
    const [, denied = ''] = new RegExp(`^\\| ${role} \\|[^|]*\\| ([^|]*) \\|$`, 'm').exec(page) ?? [];
    const actions = [...denied.matchAll(/`([^`]+)`/g)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => permitted.includes(String(action)))).toEqual([]);
  },
);

test('no role of pawl may delete a claim', () => {
  const all = Object.values(PERMITTED).flat();
  expect(all.filter((action) => /Delete/.test(action))).toEqual([]);
});
