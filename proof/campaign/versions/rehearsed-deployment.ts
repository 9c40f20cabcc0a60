import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rehearsal } from '../../../lib/rehearsal/file/define.ts';
import { findApp, loadRehearsal } from '../../../lib/rehearsal/file/load.ts';
import { defaultFaults } from '../../../lib/rehearsal/file/plan.ts';
import type { RehearsalResult } from '../../../lib/rehearsal/file/result.ts';
import { runRehearsal } from '../../../lib/rehearsal/file/run.ts';
import type { RunOptions } from '../../../lib/rehearsal/file/running.ts';
import { installVersion, projectOf, rehearsalOf } from '../../../test/support/apps.ts';

/**
 * A rehearsal of an app that is not the shop, with a deployment in the middle of its traffic. Before it, the function has an earlier version of
 * pawl, and parks what is in doubt. After it, the function has this version, and asks the provider.
 */
export interface RehearsedDeployment {
  readonly result: RehearsalResult;
  /** How many records there were at the end, by their schema. */
  readonly schemas: Readonly<Record<string, number>>;
}

export interface RehearsedDeploymentOptions extends Pick<RunOptions, 'seed' | 'onStarting' | 'onLook'> {
  /** Where the earlier version is installed. */
  readonly installed: string;
  /** Whether the earlier version is deployed again, and then this one. */
  readonly back: boolean;
}

export async function rehearseDeployment(given: RehearsedDeploymentOptions): Promise<RehearsedDeployment> {
  const { installed, back, ...run } = given;
  const project = projectOf('invoices');
  try {
    const earlier = join(project.without, 'earlier');
    // Only for the handler: the table and the queues are already those of this version when its code arrives.
    installVersion(join(earlier, 'functions'), installed);
    const file = rehearsalOf(project.withPawl);
    const { options } = await loadRehearsal(file);
    const [before, now] = [{ app: earlier }, { app: project.withPawl }];
    const deploys = back ? [now, before, now] : [now];
    const schemas: Record<string, number> = {};
    const deployed = rehearsal({
      ...options,
      deploys,
      faults: { ...defaultFaults, deploy: deploys.length },
      async check({ table }) {
        for (const { v } of await table('Claims').items()) schemas[String(v)] = (schemas[String(v)] ?? 0) + 1;
        return [];
      },
    });
    const result = await runRehearsal(deployed, {
      ...run,
      app: await findApp(earlier, file),
      appOf: (other) => findApp(other, file),
    });
    return { result, schemas };
  } finally {
    rmSync(project.without, { recursive: true, force: true });
  }
}
