import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from '../../lib/rehearsal/engine/app/template.ts';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { startRehearsal } from '../../lib/rehearsal/rehearsal.ts';
import type { Engine } from './engine.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
/** All cases share two functions: a batch that waits for a sandbox would miss its visibility timeout. */
const sandboxes = 8;

/** The engine of `npx pawl rehearse`. */
export async function startRehearsed(
  stacks: Readonly<Record<string, Template>>,
  say: (text: string) => void,
): Promise<Engine> {
  await using stopping = new AsyncDisposableStack();
  const folder = await scratchFolder(project, 'conformance-');
  stopping.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const assembly = await writeAssembly(folder, stacks);
  const rehearsal = stopping.use(
    await startRehearsal({ app: { assembly }, sandboxesPerFunction: sandboxes, onStarting: say }),
  );
  for (const { construct, why } of rehearsal.notRun) say(`not run: ${construct}: ${why}`);
  const { sqs } = rehearsal;
  const end = stopping.move();
  return {
    client: sqs.client,
    urlOf: (name) => sqs.address(name).url,
    depth: (name) => sqs.depth(name),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

/** A cloud assembly as the CDK writes it. */
async function writeAssembly(folder: string, stacks: Readonly<Record<string, Template>>): Promise<string> {
  const assembly = join(folder, 'cdk.out');
  await mkdir(assembly);
  const artifacts: Record<string, unknown> = {};
  for (const [name, template] of Object.entries(stacks)) {
    const templateFile = `${name}.template.json`;
    await writeFile(join(assembly, templateFile), JSON.stringify(template));
    artifacts[name] = {
      type: 'aws:cloudformation:stack',
      environment: 'aws://unknown-account/unknown-region',
      displayName: name,
      properties: { templateFile },
    };
  }
  await writeFile(join(assembly, 'manifest.json'), JSON.stringify({ version: '36.0.0', artifacts }));
  return assembly;
}
