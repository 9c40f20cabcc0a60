import { rm } from 'node:fs/promises';
import { constructOf } from '../constructs.ts';
import type { FunctionPlace, FunctionsOptions } from '../functions.ts';
import { type Assembly, type CdkApp, type Synthesized, synthesize } from '../synthesize.ts';
import { record } from '../template.ts';
import type { Deployment, RehearsalOptions } from './define.ts';
import { findApp } from './load.ts';

/** The code of one deployment, ready before the traffic begins: a deployment in the middle of it takes no time. */
export interface ReadyDeployment {
  /** What it deploys, for the story. */
  readonly what: string;
  /** `undefined`: the same code again. */
  readonly bundleFor: FunctionsOptions['bundleFor'];
}

export const SAME_CODE: ReadyDeployment = { what: 'the same code, in new sandboxes', bundleFor: undefined };

/**
 * Synthesizes what `deploys` names. The folders go with `stopping`.
 *
 * @throws Error if one of them does not synthesize
 */
export async function readyDeployments(
  { deploys = [], context }: RehearsalOptions,
  app: CdkApp,
  stopping: AsyncDisposableStack,
): Promise<readonly ReadyDeployment[]> {
  const ready: ReadyDeployment[] = [];
  for (const deployment of deploys) {
    const assembly = await synthesize(await appOf(deployment, app), { ...context, ...deployment.context });
    stopping.defer(() => rm(assembly.folder, { recursive: true, force: true }));
    ready.push({ what: whatOf(deployment), bundleFor: async (place) => folderOf(assembly, place) });
  }
  return ready;
}

function appOf({ app }: Deployment, fallback: CdkApp): Promise<CdkApp> | CdkApp {
  return app === undefined ? fallback : findApp(app, `${fallback.folder}/cdk.json`);
}

function whatOf({ app, context }: Deployment): string {
  const of = typeof app === 'object' ? app.folder : app;
  const under = context === undefined ? '' : ` with ${JSON.stringify(context)}`;
  return `${of === undefined ? 'the app' : `the app in ${of}`}${under}`;
}

/** The code of a function in another version of the app; `undefined` if that has no such function. */
function folderOf({ stacks }: Assembly, { stack, construct }: FunctionPlace): string | undefined {
  for (const one of stacks) {
    if (one.stackName === stack) return bundleAt(one, construct);
  }
  return undefined;
}

function bundleAt({ template, assets }: Synthesized, construct: string): string | undefined {
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    if (resource.Type !== 'AWS::Lambda::Function' || constructOf(logicalId, resource) !== construct) continue;
    return assets.get(String(record(record(resource.Properties)['Code'])['S3Key']));
  }
  return undefined;
}
