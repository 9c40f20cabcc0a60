import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template, TemplateResource } from '../../lib/rehearsal/engine/app/template.ts';

const scratch = fileURLToPath(new URL('../../.pawl/', import.meta.url));

export interface HandWrittenStack {
  readonly template: Omit<Template, 'Resources'> & { readonly Resources: Readonly<Record<string, TemplateResource>> };
  /** The files of each asset, by the name under which the template asks for it. */
  readonly assets?: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;
  readonly environment?: string;
}

export interface HandWrittenApp extends AsyncDisposable {
  readonly assembly: string;
}

/**
 * Writes a cloud assembly as the CDK does, without the CDK: that takes seconds. An asset whose name ends in `.zip` is one file, of the
 * same name.
 */
export async function handWrittenApp(stacks: Readonly<Record<string, HandWrittenStack>>): Promise<HandWrittenApp> {
  await mkdir(scratch, { recursive: true });
  const project = await mkdtemp(join(scratch, 'app-'));
  // As in a project of today: a file `.js` is an ES module, unless its bundle is read by itself.
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  const assembly = join(project, 'cdk.out');
  await mkdir(assembly);
  const artifacts: Record<string, unknown> = {};
  for (const [name, { template, assets = {}, environment = 'aws://unknown-account/unknown-region' }] of Object.entries(
    stacks,
  )) {
    await writeFile(join(assembly, `${name}.template.json`), JSON.stringify(template));
    const files: Record<string, unknown> = {};
    for (const [key, content] of Object.entries(assets)) {
      const path = `asset.${key}`;
      files[key] = { source: { path, packaging: 'zip' }, destinations: { here: { objectKey: key } } };
      for (const [file, text] of Object.entries(content)) {
        const at = key.endsWith('.zip') ? join(assembly, path) : join(assembly, path, file);
        await mkdir(join(at, '..'), { recursive: true });
        await writeFile(at, text);
      }
    }
    await writeFile(join(assembly, `${name}.assets.json`), JSON.stringify({ files }));
    const properties = { templateFile: `${name}.template.json` };
    artifacts[name] = { type: 'aws:cloudformation:stack', environment, displayName: name, properties };
  }
  await writeFile(join(assembly, 'manifest.json'), JSON.stringify({ version: '36.0.0', artifacts }));
  return { assembly, [Symbol.asyncDispose]: () => rm(project, { recursive: true, force: true }) };
}

/** A function of Node whose code stands in the template. */
export function inlineFunction(ZipFile: string, properties: Readonly<Record<string, unknown>> = {}): TemplateResource {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Runtime: 'nodejs24.x', Handler: 'index.handler', Code: { ZipFile }, Timeout: 10, ...properties },
  };
}
