import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { constructOf } from '../engine/app/constructs.ts';
import { type Assembly, synthesize } from '../engine/app/synthesize.ts';
import { record } from '../engine/app/template.ts';
import type { FunctionPlace } from '../engine/lambda/functions.ts';
import type { Deployment } from './define.ts';
import type { Running } from './running.ts';

/** Deploys each time that another share of the intents has reached a function. */
export async function deployInTraffic(running: Running, signal: AbortSignal): Promise<void> {
  const { options, plan, engine, journal, intents } = running;
  const { deploys = [] } = options;
  const wanted = Math.max(plan.faults.deploy, deploys.length);
  for (let done = 0; done < wanted && !signal.aborted; ) {
    const version = running.versions[done];
    await sleep(20);
    const reached = new Set(journal.entries.flatMap((entry) => (entry.kind === 'began' ? entry.intents : [])));
    if (reached.size === 0 || reached.size < (intents.all.size * (done + 1)) / (wanted + 1)) continue;
    await engine.deploy(version && (async (place) => folderIn(version, place)));
    done += 1;
    journal.add([], { kind: 'deployed', what: version ? `version ${done + 1}` : 'the same code, in new sandboxes' });
  }
}

/**
 * Synthesizes the versions that are deployed in mid-traffic. `stopping` gets what has to be removed.
 *
 * @throws Error if one does not synthesize
 */
export async function synthesizeVersions(
  deploys: readonly Deployment[],
  { run: { app, appOf }, context }: Pick<Running, 'run'> & { readonly context: Readonly<Record<string, unknown>> },
  stopping: AsyncDisposableStack,
): Promise<readonly Assembly[]> {
  const versions: Assembly[] = [];
  for (const deployment of deploys) {
    const its = deployment.app === undefined ? app : await appOf?.(deployment.app);
    const made = await synthesize(its ?? app, { ...(its ?? app).context, ...context, ...deployment.context });
    versions.push(stopping.adopt(made, ({ folder }) => rm(folder, { recursive: true, force: true })));
  }
  return versions;
}

/** The folder of a function's code in another version of its app; `undefined` if that has no such function. */
function folderIn({ stacks }: Assembly, { stack, construct }: FunctionPlace): string | undefined {
  const found = stacks.find(({ stackName }) => stackName === stack);
  if (found === undefined) return undefined;
  for (const [logicalId, resource] of Object.entries(found.template.Resources)) {
    if (resource.Type !== 'AWS::Lambda::Function' || constructOf(logicalId, resource) !== construct) continue;
    const key = record(record(resource.Properties)['Code'])['S3Key'];
    return typeof key === 'string' ? found.assets.get(key) : undefined;
  }
  return undefined;
}
