import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { endOnSignals } from '../../shop/end-on-signals.ts';
import { distOf } from '../build.ts';
import { packages } from '../packages.ts';
import { doctorProject, leanProject, payloadsProject, storesProject } from './aws.ts';
import { bothEndsProject } from './both-ends.ts';
import { bundlesProject } from './bundles.ts';
import { cdkInitProject, existingHandlerProject, stackProject } from './cdk.ts';
import { copiesProject } from './copies.ts';
import { handlerProject, middyProject, quickStartProject } from './handler.ts';
import { lawsProject } from './laws.ts';
import { byPnpm, check, type Project, run } from './project.ts';
import { rehearsalProject } from './rehearsal.ts';
import { bundledHandlerProject, commandsProject } from './templates.ts';
import { compilers, typesProject } from './types.ts';

/**
 * Installs the packed tarballs into fresh projects outside the repository, each with only the peers that its imports need, and prints a row for each:
 * the lowest and the highest version of every peer, every compiler, both module systems, npm and pnpm, Jest as `cdk init` generates it, and bundles.
 * `npm run e2e -- package types jest` makes only the rows whose names contain one of these words.
 *
 * It needs what `npm run build` makes, a registry and Java, and takes about ten minutes. It cannot tell what a later version of a peer will break.
 */

interface Row {
  readonly name: string;
  readonly seconds: number;
  /** @default it works */
  readonly problem?: unknown;
}

async function rowOf(project: Project, tarballs: ReadonlyMap<string, string>, scratch: string): Promise<Row> {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const { name } = project;
  try {
    await check(project, tarballs, scratch);
    return { name, seconds: seconds() };
  } catch (problem) {
    return { name, seconds: seconds(), problem };
  }
}

/** The tarballs of all packages, by their names. */
async function packAll(scratch: string): Promise<ReadonlyMap<string, string>> {
  const tarballs = new Map<string, string>();
  for (const of of packages) {
    const folder = join(scratch, 'packed', of.folder);
    mkdirSync(folder, { recursive: true });
    const packed = await run(distOf(of), 'npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
    const [{ filename }]: readonly [{ readonly filename: string }] = JSON.parse(packed);
    tarballs.set(of.name, join(folder, filename));
  }
  return tarballs;
}

function projects(endpoint: string): readonly Project[] {
  return [
    quickStartProject(),
    handlerProject('lowest'),
    handlerProject('highest'),
    ...['5.0.2', '5', '6.0.0', '6', '7.0.2', '7'].map(middyProject),
    stackProject('lowest'),
    stackProject('highest'),
    bothEndsProject(),
    cdkInitProject(),
    existingHandlerProject(),
    bundledHandlerProject(),
    commandsProject(),
    storesProject('lowest', endpoint),
    storesProject('highest', endpoint),
    leanProject('lowest', endpoint),
    leanProject('highest', endpoint),
    payloadsProject('lowest'),
    payloadsProject('highest'),
    doctorProject('lowest'),
    doctorProject('highest'),
    ...compilers.map(typesProject),
    copiesProject(),
    bundlesProject(),
    lawsProject(),
    rehearsalProject(),
    ...[handlerProject('highest'), stackProject('highest'), commandsProject(), rehearsalProject()].map(byPnpm),
  ];
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-package-'));
  const remove = () => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  endOnSignals(remove);
  const database = await startDynamoDbLocal();
  try {
    const tarballs = await packAll(scratch);
    const wanted = projects(database.endpoint).filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    );
    if (wanted.length === 0) throw new Error(`No project is called ${words.join(' or ')}.`);
    for (const project of wanted) {
      const { name, seconds, problem } = await rowOf(project, tarballs, scratch);
      const verdict = problem === undefined ? 'works' : 'DOES NOT WORK';
      console.log(`${name.padEnd(42)}${seconds.toFixed(0).padStart(5)} s  ${verdict}`);
      if (problem === undefined) continue;
      console.error(problem instanceof Error ? problem.message : problem);
      process.exitCode = 1;
    }
  } finally {
    await database.stop();
  }
}
