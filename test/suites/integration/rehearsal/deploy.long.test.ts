import { expect, test } from 'vitest';
import { baseline, whyNoEarlier } from '../../../../proof/campaign/versions/baseline.ts';
import { hasCommit } from '../../../../proof/campaign/versions/checkout.ts';
import { packVersion } from '../../../../proof/campaign/versions/packed.ts';
import { rehearseDeployment } from '../../../../proof/campaign/versions/rehearsed-deployment.ts';

const older = whyNoEarlier(baseline) === undefined ? baseline : undefined;

// A copy without the history cannot build it, and there may be no baseline.
test.skipIf(older === undefined || !hasCommit(older))(
  'an app that moves to this version and to another policy in mid-traffic loses nothing and doubles nothing',
  async () => {
    await using packed = await packVersion(older);
    const { result } = await rehearseDeployment({ seed: 1, installed: packed.installed, back: false });
    expect(result.harmed.map(({ intent, story }) => [intent, ...story].join('\n'))).toEqual([]);
    expect(result.good).toBe(true);
    expect(result.deployments).toBe(1);
  },
);
