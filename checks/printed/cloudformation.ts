import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Run, run } from './tools.ts';

/** What cfn-lint says of the templates at these paths. */
export function lint(python: string, paths: readonly string[]): Promise<Run> {
  return run(join(dirname(python), 'cfn-lint'), ['--template', ...paths], dirname(paths[0] ?? '.'));
}

/** Translates a template of AWS SAM, and lints it before and after. */
export async function checkSam(python: string, folder: string, template: string): Promise<Run> {
  const [path, translated] = [join(folder, 'sam.yaml'), join(folder, 'sam.json')];
  // `sam package` puts the address of the uploaded code there.
  await writeFile(path, template.replace('CodeUri: dist/', 'CodeUri: s3://some-bucket/code.zip'));
  const script = fileURLToPath(new URL('translate-sam.py', import.meta.url));
  const result = await run(python, [script, path, translated], folder);
  return result.code === 0 ? lint(python, [path, translated]) : result;
}

export async function checkCloudFormation(python: string, folder: string, template: string): Promise<Run> {
  const path = join(folder, 'cloudformation.yaml');
  await writeFile(path, template);
  return lint(python, [path]);
}
