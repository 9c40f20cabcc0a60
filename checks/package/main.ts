import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOnSignals } from '../../lib/rehearsal/end-on-signals.ts';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { doctorProject, leanProject, payloadsProject, storesProject } from './aws.ts';
import { bothEndsProject } from './both-ends.ts';
import { bundlesProject } from './bundles.ts';
import { cdkInitProject, existingHandlerProject, stackProject } from './cdk.ts';
import { copiesProject } from './copies.ts';
import { handlerProject, middyProject, quickStartProject } from './handler.ts';
import { lawsProject } from './laws.ts';
import { check, type Project, ROOT, run } from './project.ts';
import { rehearsalProject } from './rehearsal.ts';
import { bundledHandlerProject, commandsProject } from './templates.ts';
import { COMPILERS, typesProject } from './types.ts';

/**
 * Installs the packed tarball into fresh projects outside the repository, each with only the peers that its imports need, and prints a row for each:
 * the lowest and the highest version of every peer, every compiler, both module systems, Jest as `cdk init` generates it, and bundles.
 * `npm run check:package -- types jest` makes only the rows whose names contain one of these words.
 *
 * It needs `dist/` (`npm run build`), a registry and Java, and takes about ten minutes. It cannot tell what a later version of a peer will break.
 */

interface Row {
  readonly name: string;
  readonly seconds: number;
  /** @default it works */
  readonly problem?: unknown;
}

async function rowOf(project: Project, tarball: string, scratch: string): Promise<Row> {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const { name } = project;
  try {
    await check(project, tarball, scratch);
    return { name, seconds: seconds() };
  } catch (problem) {
    return { name, seconds: seconds(), problem };
  }
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
    ...COMPILERS.map(typesProject),
    copiesProject(),
    bundlesProject(),
    lawsProject(),
    rehearsalProject(),
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
    await run(ROOT, 'npm', ['pack', '--ignore-scripts', '--pack-destination', scratch]);
    const tarball = join(scratch, readdirSync(scratch)[0] ?? 'no tarball');
    const wanted = projects(database.endpoint).filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    );
    if (wanted.length === 0) throw new Error(`No project is called ${words.join(' or ')}.`);
    for (const project of wanted) {
      const { name, seconds, problem } = await rowOf(project, tarball, scratch);
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
