import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lint } from './cloudformation.ts';
import { type Run, run } from './tools.ts';

/** Packages a service with the framework, which holds it against its schema, and lints the template that it would deploy. */
export async function checkServerless(
  { python, framework }: { readonly python: string; readonly framework: string },
  folder: string,
  template: string,
): Promise<Run> {
  const service = join(folder, 'service');
  await mkdir(join(service, 'dist'), { recursive: true });
  await writeFile(join(service, 'dist', 'index.mjs'), 'export const handler = async () => {};\n');
  // The framework only warns of what is not in its schema unless it is asked for more.
  await writeFile(join(service, 'serverless.yml'), `${template}\nconfigValidationMode: error\n`);
  const packaged = await run(process.execPath, [join(framework, 'bin', 'serverless.js'), 'package'], service);
  if (packaged.code !== 0) return packaged;
  return lint(python, [join(service, '.serverless', 'cloudformation-template-update-stack.json')]);
}
