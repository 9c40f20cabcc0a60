import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from '@microsoft/api-extractor';
import { emitDeclarations } from './declarations.ts';
import { publicEntries, root } from './packages.ts';

/**
 * Compares the public names of every entry of the package, with their full signatures, with the reports in `checks/api`, so that a review
 * sees what changes for users. `npm run api` writes the reports.
 *
 * What an entry uses and does not export is in its report as well, without `export`: a change of it is a change for users. What it does not
 * show is prose, and the types of other packages.
 */

const reportsFolder = join(root, 'checks/api');
/** Inside the repository, where the types of other packages are found from. */
const scratch = join(root, '.pawl/api');

/** The name of a report, and its entry. */
const entries = publicEntries.map((entry) => [nameOfEntry(entry.name), entry] as const);

/** `pawl-sqs` of `pawl/sqs`, `pawl-cdk` of `@pawl/cdk`. */
export function nameOfEntry(entry: string): string {
  return entry.replace('@', '').replaceAll('/', '-');
}

export function entryOfName(name: string): string {
  return publicEntries.find((entry) => nameOfEntry(entry.name) === name)?.name ?? name.replaceAll('-', '/');
}

/**
 * The declarations that an entry exports, and those that these use: what a user's compiler sees, without the comments.
 *
 * @param shown the declarations of the reports before: what an entry uses and does not export is in one report, the first
 */
function reportOf(
  name: string,
  config: ExtractorConfig,
  { compilerState, shown }: { readonly compilerState: CompilerState; readonly shown: Set<string> },
): string {
  const { succeeded } = Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback(message) {
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (!succeeded) throw new Error(`API Extractor could not read ${config.mainEntryPointFilePath}`);
  const declarations = readFileSync(config.untrimmedFilePath, 'utf8')
    .replaceAll('\r\n', '\n')
    .replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/\n*export \{ *\}\n*$/, '\n')
    .trim()
    .split('\n\n')
    .filter((declaration) => declaration.startsWith('export ') || !shown.has(bare(declaration)));
  for (const declaration of declarations) shown.add(bare(declaration));
  return `# ${entryOfName(name)}\n\nWritten by \`npm run api\`.\n\n\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\`\n`;
}

/** The same, whether it is exported or not. */
function bare(declaration: string): string {
  return declaration.replace(/^export /, '');
}

function configOf(name: string, entryPoint: string): ExtractorConfig {
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  const configObject: IConfigFile = {
    projectFolder: root,
    mainEntryPointFilePath: entryPoint,
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: 'es2024',
          // Of the DOM, for the globals that Node shares with it: API Extractor cannot follow them as Node's types define them.
          lib: ['es2024', 'esnext.disposable', 'dom'],
          module: 'nodenext',
          types: ['node'],
          strict: true,
          skipLibCheck: true,
          exactOptionalPropertyTypes: true,
          allowImportingTsExtensions: true,
          noEmit: true,
        },
        include: [entryPoint],
      },
    },
    apiReport: { enabled: false },
    docModel: { enabled: false },
    dtsRollup: { enabled: true, untrimmedFilePath: join(scratch, `${name}.d.ts`) },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: none,
      extractorMessageReporting: none,
      tsdocMessageReporting: none,
    },
  };
  return ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: join(root, 'api-extractor.json'),
    packageJsonFullPath: join(root, 'package.json'),
  });
}

/** The reports of all entries, which one compiler reads. */
export function makeReports(): readonly (readonly [name: string, report: string])[] {
  const declarations = join(scratch, 'declarations');
  rmSync(scratch, { recursive: true, force: true });
  emitDeclarations(declarations);
  const configs = entries.map(([name, { source }]) => {
    const entryPoint = join(declarations, source.replace(/^lib\//, '').replace(/\.ts$/, '.d.ts'));
    return [name, configOf(name, entryPoint)] as const;
  });
  const [first] = configs;
  if (first === undefined) throw new Error('The package has no entries');
  const additionalEntryPoints = configs.map(([, { mainEntryPointFilePath }]) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first[1], { additionalEntryPoints });
  const shown = new Set<string>();
  return configs.map(([name, config]) => [name, reportOf(name, config, { compilerState, shown })] as const);
}

/** What has changed in a report, as a diff; nothing when it is the same. */
function changesOf(name: string, report: string): string {
  const committed = `checks/api/${name}.api.md`;
  const current = `.pawl/api/${name}.api.md`;
  writeFileSync(join(root, current), report);
  const before = existsSync(join(root, committed)) ? committed : '/dev/null';
  const { stdout } = spawnSync('git', ['diff', '--no-index', '--no-color', '--', before, current], {
    cwd: root,
    encoding: 'utf8',
  });
  return stdout;
}

if (import.meta.main) {
  const reports = makeReports();
  const names = reports.map(([name]) => `${name}.api.md`);
  if (process.argv.includes('--write')) {
    rmSync(reportsFolder, { recursive: true, force: true });
    mkdirSync(reportsFolder);
    for (const [name, report] of reports) writeFileSync(join(reportsFolder, `${name}.api.md`), report);
    console.log(`Wrote ${names.length} reports to checks/api.`);
  } else {
    const changes = reports.map(([name, report]) => changesOf(name, report)).join('');
    const gone = existsSync(reportsFolder) ? readdirSync(reportsFolder).filter((file) => !names.includes(file)) : [];
    for (const file of gone) console.error(`checks/api/${file}: the package has no such entry.`);
    if (changes !== '' || gone.length > 0) {
      console.error(
        `${changes}\nThe public surface is not as reported. If that is meant: npm run api, and commit checks/api.`,
      );
      process.exitCode = 1;
    } else console.log(`${names.length} entries are as reported.`);
  }
}
