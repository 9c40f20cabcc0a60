import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rehearsalProject } from '../../checks/package/rehearsal.ts';
import { typesProject } from '../../checks/package/types.ts';
import {
  type Package,
  packages,
  publicEntries,
  publishedEntries,
  publishedManifest,
  root,
} from '../../checks/packages.ts';

const manifest = { name: 'pawl', version: '1.2.3', engines: { node: '>=22' } };
const packageOf = (exports: Readonly<Record<string, string>>, hasRequire: boolean): Package => ({
  name: 'pawl',
  folder: 'lib/pawl',
  manifest: { ...manifest, exports },
  hasRequire,
});

it('every entry is a module', () => {
  expect(packages.map(({ name }) => name)).toHaveLength(5);
  for (const { source, name } of publishedEntries) expect(existsSync(join(root, source)), name).toBe(true);
});

it('an entry is published with a module and types for import, for require, and for node10, which reads no exports', () => {
  const published = publishedManifest(packageOf({ '.': './index.ts', './sqs': './sqs/index.ts' }, true));
  expect(published).toMatchObject({
    exports: {
      './sqs': {
        import: { types: './sqs/index.d.ts', default: './sqs/index.js' },
        require: { types: './cjs/sqs/index.d.ts', default: './cjs/sqs/index.js' },
      },
    },
    main: './cjs/index.js',
    typesVersions: { '*': { sqs: ['cjs/sqs/index.d.ts'] } },
  });
});

it('the compiler of a CommonJS project finds the types of an entry that has modules only', () => {
  const published = publishedManifest(packageOf({ './command': './command/main.ts' }, false));
  expect(published).toMatchObject({
    exports: { './command': { default: { types: './command/main.d.ts', default: './command/main.js' } } },
    typesVersions: { '*': { command: ['command/main.d.ts'] } },
  });
});

it('the types stand first in each condition, where TypeScript looks for them', () => {
  for (const of of packages) {
    const { exports } = publishedManifest(of) as { readonly exports: Readonly<Record<string, object>> };
    for (const [name, conditions] of Object.entries(exports)) {
      if (name === './package.json') continue;
      for (const condition of Object.values(conditions)) expect(Object.keys(condition)).toEqual(['types', 'default']);
    }
  }
});

it('nothing of development is published', () => {
  for (const of of packages) {
    expect(Object.keys(publishedManifest(of))).not.toEqual(expect.arrayContaining(['scripts']));
    expect(JSON.stringify(publishedManifest(of))).not.toMatch(/\.ts"(?<!\.d\.ts")|devDependencies|workspace/);
  }
});

it('all packages have one version, and want pawl in exactly that one', () => {
  const [{ manifest: first } = { manifest }] = packages;
  for (const { name, manifest: own } of packages) {
    expect(own.version, name).toBe(first.version);
    expect(name === 'pawl' || own.peerDependencies?.['pawl'], name).toBe(name === 'pawl' || first.version);
  }
});

it('every entry is imported by the fresh projects that the packages are checked in', () => {
  const { files } = typesProject('7.0');
  const rehearsals = rehearsalProject().files['rehearsal.ts'];
  for (const { name, of } of publicEntries) {
    const imported = of.hasRequire ? files['nodenext/all.ts'] : rehearsals;
    expect(imported).toContain(`from '${name}'`);
  }
});

it('every peer that is optional has a range', () => {
  for (const { manifest: own } of packages)
    expect(Object.keys(own.peerDependencies ?? {})).toEqual(
      expect.arrayContaining(Object.keys(own.peerDependenciesMeta ?? {})),
    );
});

it('no package asks for an earlier version of what it shares with pawl: npm would refuse to install both at that version', () => {
  const peers = new Map(Object.entries(rangesOf('pawl', 'peerDependencies')));
  const others = packages.filter(({ name }) => name !== 'pawl');
  const shared = others.flatMap(({ name }) =>
    Object.entries({ ...rangesOf(name, 'dependencies'), ...rangesOf(name, 'peerDependencies') }).filter(
      ([dependency]) => peers.has(dependency),
    ),
  );
  expect(shared.length).toBeGreaterThan(5);
  for (const [dependency, range] of shared) expect([dependency, range]).toEqual([dependency, peers.get(dependency)]);
});

function rangesOf(name: string, field: 'dependencies' | 'peerDependencies'): Readonly<Record<string, string>> {
  const { manifest } = packages.find((one) => one.name === name) ?? {};
  return (manifest as { readonly [name in typeof field]?: Readonly<Record<string, string>> })?.[field] ?? {};
}
