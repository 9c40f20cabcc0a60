import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  actsActions,
  claimActions,
  lockActions,
  operateActions,
  operateIndexActions,
  restoreActions,
  statementActions,
  statementIndexActions,
} from '../../../lib/pawl/deployment/needs.ts';

/** What each role of SECURITY.md is permitted on the claims table and its index. */
const permitted: Readonly<Record<string, readonly string[]>> = {
  'a consumer': [...claimActions, ...lockActions],
  'an operator': [...operateActions, ...operateIndexActions],
  statements: [...statementActions, ...statementIndexActions],
  'a restore': restoreActions,
  'an audit': actsActions,
};

const page = readFileSync(fileURLToPath(new URL('../../../SECURITY.md', import.meta.url)), 'utf8');

test.each(Object.entries(permitted))(
  '%s has none of the permissions that SECURITY.md says it has not',
  (role, permitted) => {
    const [, denied = ''] = new RegExp(`^\\| ${role} \\|[^|]*\\| ([^|]*) \\|$`, 'm').exec(page) ?? [];
    const actions = [...denied.matchAll(/`([^`]+)`/g)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => permitted.includes(String(action)))).toEqual([]);
  },
);

test('no role of pawl may delete a claim', () => {
  const all = Object.values(permitted).flat();
  expect(all.filter((action) => /Delete/.test(action))).toEqual([]);
});
