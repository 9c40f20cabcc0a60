import { writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProjectReflection } from 'typedoc';
import { publicEntries } from '../checks/packages.ts';
import { api, type SidebarItem, sidebar } from './api-sidebar.ts';
import { pages, root } from './paths.ts';

/**
 * Writes the reference of every public name, from its types and its docstring: a page for each name, and one for each entry.
 *
 * @throws Error if TypeDoc warns, of a link in a docstring that leads nowhere, for example
 */
export async function writeApi(): Promise<void> {
  const { Application, LogLevel } = await typedoc();
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(root, 'tsconfig.json'),
    entryPoints: publicEntries.map(({ source }) => join(root, source)),
    out: join(pages, api),
    logLevel: LogLevel.Warn,
    // The compiler has checked them, in `npm run check`.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    // Types of the inside that a public type mentions.
    validation: { notExported: false },
    disableSources: true,
    readme: 'none',
    ...options,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the entries.');
  nameEntries(project);
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc has warned: see above.');
  writeFileSync(sidebar, JSON.stringify(sidebarOf(project)));
}

/** Of the plugin that makes Markdown of it. */
const options = {
  router: 'member',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  hideGroupHeadings: false,
} as const;

/** A module is called what a user imports: `pawl/sqs`, and not where its source is. */
function nameEntries(project: ProjectReflection): void {
  const names = new Map<string, string>(
    publicEntries.map(({ source, name }) => [source.replace(/^lib\//, '').replace(/(\/index)?\.ts$/, ''), name]),
  );
  for (const module of project.children ?? []) {
    const name = names.get(module.name.replace(/\/index$/, ''));
    if (name === undefined) throw new Error(`TypeDoc found the module ${module.name}, which is no entry.`);
    module.name = name;
  }
}

function sidebarOf(project: ProjectReflection): readonly SidebarItem[] {
  const names = (project.children ?? []).map(({ name }) => name).toSorted();
  return names.map((text) => ({ text, link: `/${api}/${text}/` }));
}

/** TypeDoc uses TypeScript's compiler as a library, which TypeScript 7 is not. It gets the one that makes the API report. */
async function typedoc() {
  const extractor = createRequire(join(root, 'node_modules/@microsoft/api-extractor/package.json'));
  const url = pathToFileURL(extractor.resolve('typescript')).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'typescript' ? { url, shortCircuit: true } : next(specifier, context),
  });
  return import('typedoc');
}
