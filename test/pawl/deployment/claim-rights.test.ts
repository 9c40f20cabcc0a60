import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimPermissions } from '../../../lib/pawl/deployment/claim-rights.ts';
import { isMet } from '../../../lib/pawl/deployment/condition.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { identify } from '../../../lib/pawl/rules/identity.ts';

/** Names with the signs that separate parts, that mean something in IAM's patterns, and that are escaped. */
const operation = fc
  .oneof(fc.stringMatching(/^[*?$~{}a]{1,4}$/), fc.stringMatching(/^[!"$-~]{1,128}$/))
  .filter((name) => !/^(send|send-intent|execution):/.test(name));
const key = fc
  .oneof(fc.stringMatching(/^[#*~]{1,3}$/), fc.string({ minLength: 1, maxLength: 3000 }))
  .filter((text) => text.trim() !== '');

test('a right covers every claim of its operation, and no claim of another one', () => {
  fc.assert(
    fc.property(operation, operation, key, (granted, other, name) => {
      const [{ conditions } = {}] = claimPermissions({ operations: [granted] });
      const met = (of: string) =>
        isMet(conditions, { action: 'dynamodb:PutItem', leadingKeys: [identify(of, name, nodeHost).id] });
      expect(met(granted)).toBe('always');
      expect(met(other)).toBe(other === granted ? 'always' : 'never');
    }),
    { seed: 34, numRuns: 2000 },
  );
});
