import { expect, test } from 'vitest';
import { hasCommit } from '../../../proof/campaign/versions/checkout.ts';
import { packVersion } from '../../../proof/campaign/versions/packed.ts';
import { rehearseDeployment } from '../../../proof/campaign/versions/rehearsed-deployment.ts';

/** The last version whose records have no revision. */
const OLDER = '41b56fa';

// A copy without the history cannot build it.
test.skipIf(!hasCommit(OLDER))(
  'an app that moves to this version and to another policy in mid-traffic loses nothing and doubles nothing',
  { timeout: 300_000 },
  async () => {
    await using older = await packVersion(OLDER);
    const { result, schemas } = await rehearseDeployment({ seed: 1, installed: older.installed, back: false });
    expect(result.harmed.map(({ intent, story }) => [intent, ...story].join('\n'))).toEqual([]);
    expect(result.good).toBe(true);
    expect(result.deployments).toBe(1);
    expect(schemas).toEqual({ 1: expect.any(Number), 2: expect.any(Number) });
  },
);
