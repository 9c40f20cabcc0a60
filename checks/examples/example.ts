import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/*
 * An example of `examples/`, and what it must be: a README of ten lines that a person can follow, less than a hundred lines of code, and a package.json
 * that names exactly the packages that it needs.
 *
 * Owns: what can be seen without running it. Does not own: that it runs (`main.ts`).
 */
export interface Example {
  /** The name of its folder: `01-first-consumer`. */
  readonly name: string;
  readonly readme: string;
  readonly manifest: Manifest;
  /** What it tells npm, or nothing. */
  readonly npmrc: string;
  /** Its files of code, by their paths. */
  readonly code: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly scripts?: Readonly<Record<string, string>>;
}

type Versions = Readonly<Record<string, string>>;

const mostLinesOfCode = 99;
const mostLinesOfReadme = 10;

/** The names of the examples, in their order. */
export function exampleNames(root: string): readonly string[] {
  return globSync('examples/[0-9][0-9]-*', { cwd: root })
    .map((path) => basename(path))
    .toSorted();
}

export function readExample(root: string, name: string): Example {
  const folder = join(root, 'examples', name);
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');
  const paths = globSync('**/*.ts', { cwd: folder, exclude: ['node_modules/**', 'dist/**'] }).toSorted();
  return {
    name,
    readme: text('README.md'),
    manifest: JSON.parse(text('package.json')),
    npmrc: existsSync(join(folder, '.npmrc')) ? text('.npmrc') : '',
    code: new Map(paths.map((path) => [path, text(path)])),
  };
}

/** The commands of a README, as they are printed, and the output that it shows. */
export function walkOf(readme: string): { readonly commands: string; readonly output: string } {
  const [commands, ...others] = blocksOf(readme, 'sh');
  const [output, ...more] = blocksOf(readme, 'text');
  if (commands === undefined || output === undefined || others.length > 0 || more.length > 0)
    throw new Error('A README of an example has one block of commands (sh), and one of what they print (text).');
  return { commands, output };
}

function blocksOf(readme: string, language: string): readonly string[] {
  return [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text);
}

/**
 * Whether a text has these lines, one after the other. A `…` stands for what is another one at each run: alone on its line, for any number of lines; inside a
 * line, for any text.
 */
export function prints(said: string, expected: string): boolean {
  const pattern = expected
    .trimEnd()
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escaped).join('.*')}\\n`));
  return new RegExp(`^${pattern.join('')}`, 'm').test(said.endsWith('\n') ? said : `${said}\n`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What the examples may name: the versions that this project has, and the packages that each entry of pawl needs. */
export interface Known {
  readonly version: string;
  readonly versions: Versions;
  readonly peers: readonly Peers[];
}

/** A row of the table of packages in docs/guides/install.md. */
interface Peers {
  readonly entries: readonly string[];
  /** What of the entries needs the packages. Empty for all of it. */
  readonly only: readonly string[];
  readonly packages: readonly string[];
}

/** What is wrong with an example, a sentence each. */
export function problemsOf(example: Example, known: Known): readonly string[] {
  return [...readmeProblems(example), ...codeProblems(example), ...manifestProblems(example, known)].map(
    (problem) => `examples/${example.name}: ${problem}`,
  );
}

function readmeProblems({ name, readme }: Example): readonly string[] {
  const { commands } = walkOf(readme);
  const lines = readme.replace(/^```text\n[\s\S]*?^```$/gm, '').trimEnd();
  const problems: string[] = [];
  if (lines.split('\n').length > mostLinesOfReadme)
    problems.push(`its README has more than ${mostLinesOfReadme} lines without what the commands print.`);
  if (!readme.startsWith(`# ${name.slice(0, 2)} `))
    problems.push('the title of its README does not begin with its number.');
  if (!commands.startsWith('npm install\n')) problems.push('its commands do not begin with npm install.');
  return problems;
}

function codeProblems({ code }: Example): readonly string[] {
  const lines = [...code.values()].reduce((sum, text) => sum + text.trimEnd().split('\n').length, 0);
  return lines > mostLinesOfCode ? [`it has ${lines} lines of code, and not less than a hundred.`] : [];
}

function manifestProblems(example: Example, { version, versions, peers }: Known): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = example.manifest;
  const named: Versions = { ...dependencies, ...devDependencies };
  const needed = neededBy(example, peers);
  const wanted = (name: string) => {
    if (/^@?pawl($|\/)/.test(name)) return `file:../../${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    return name === 'local-aws' ? 'file:../local-aws' : versions[name];
  };
  return [
    ...[...needed].filter((name) => named[name] === undefined).map((name) => `its package.json does not name ${name}.`),
    // A link would lead to a folder that has none of what local-aws needs.
    ...(named['local-aws'] !== undefined && !example.npmrc.includes('install-links=true')
      ? ['its .npmrc does not say install-links=true, and it names local-aws.']
      : []),
    ...Object.keys(named)
      .filter((name) => !needed.has(name))
      .map((name) => `its package.json names ${name}, which it does not need.`),
    ...Object.entries(named)
      .filter(([name, range]) => wanted(name) !== undefined && range !== wanted(name))
      .map(([name, range]) => `its package.json has ${name} ${range}, and this project has ${wanted(name)}.`),
  ];
}

/** The packages that its code imports, what pawl needs beside these, and what its scripts run. */
function neededBy({ code, manifest, readme }: Example, peers: readonly Peers[]): ReadonlySet<string> {
  const imported = [...code.values()].flatMap((text) =>
    [...text.matchAll(/from '([^'.][^']*)';|import\('([^'.][^']*)'\)/g)].map(
      ([, from, called]) => from ?? called ?? '',
    ),
  );
  const all = [...code.values()].join('\n');
  const beside = peers
    .filter(
      ({ entries, only }) =>
        entries.some((entry) => imported.includes(entry)) && only.every((name) => all.includes(name)),
    )
    .flatMap(({ packages }) => packages);
  const packages = imported.filter((specifier) => !specifier.startsWith('node:')).map(packageOf);
  // What comes with a package has to be named as well, as long as it is in no registry.
  const commands = [...readme.matchAll(/npx pawl (\w+)/g)].flatMap(([, command]) =>
    command === 'rehearse' ? ['@pawl/rehearsal', '@pawl/cli'] : ['@pawl/cli'],
  );
  // CDK bundles the function of an `entry` with it.
  const bundler = imported.includes('@pawl/cdk') && all.includes('entry:') ? ['esbuild'] : [];
  const scripts = Object.values(manifest.scripts ?? {}).map((script) => script.split(' ')[0] ?? '');
  return new Set([
    ...packages,
    // All others want it as a peer, and the command is its own.
    'pawl',
    ...beside,
    ...commands,
    ...bundler,
    ...scripts.filter((program) => program !== 'node'),
  ]);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The rows of docs/guides/install.md that say which packages an entry needs. */
export function peersOfEntries(page: string): readonly Peers[] {
  const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return [...page.matchAll(/^\| (`@?pawl[^|]*) \| ([^|]*) \|/gm)].map(([, entries = '', packages = '']) => ({
    entries: names(entries).filter((name) => /^@?pawl/.test(name)),
    only: names(entries).filter((name) => !/^@?pawl/.test(name)),
    packages: names(packages),
  }));
}
