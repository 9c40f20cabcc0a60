import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { namesNothing } from '../../checks/scripts/named.ts';

/* What the files for GitHub must keep. That they fit GitHub's schemas, `npm run e2e -- workflows` checks. */

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly strategy?: { readonly matrix?: Readonly<Record<string, readonly unknown[]>> };
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).toSorted();
const textOf = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const read = (path: string): Workflow => parse(textOf(path));

test('there is a workflow for every change, one for each week, and one for a release', () => {
  expect(workflows.map((path) => path.replace('.github/workflows/', ''))).toEqual([
    'ci.yml',
    'release.yml',
    'weekly.yml',
  ]);
});

test('every change is checked as .ci/run does it, on Linux and macOS, and on the oldest Node', () => {
  const ci = textOf('.github/workflows/ci.yml');
  expect(ci).toContain('- run: .ci/run');
  expect(ci.match(/os: \[ubuntu-latest, macos-latest\]/g)).toHaveLength(2);
  expect(ci).toContain('node-version: 24');
  expect(ci).toContain('node-version: 22');
});

describe.each(workflows)('%s', (path) => {
  const { permissions, jobs } = read(path);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  test('may only read, except for the job that publishes', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const [name, job] of Object.entries(jobs)) {
      if (name === 'publish') expect(job.environment).toBe('npm');
      else expect(job.permissions).toBeUndefined();
    }
  });

  test('has no secret', () => {
    expect(textOf(path)).not.toMatch(/secrets\.|TOKEN: [^$]/);
  });

  test('uses actions of GitHub itself, each by its major version', () => {
    const uses = steps.flatMap((step) => step.uses ?? []);
    for (const action of uses) expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
  });

  test('ends its jobs at a time', () => {
    for (const job of Object.values(jobs)) expect(job.uses ?? job['timeout-minutes']).toBeDefined();
  });

  test('runs what this project has', () => {
    expect(namesNothing(textOf(path))).toEqual([]);
    const files = textOf(path).matchAll(/(?<= )(?:bin|checks|lib|node_modules|proof|test)\/[\w./-]+/g);
    for (const [file] of files) expect(existsSync(`${root}${file}`), file).toBe(true);
  });
});

test('a report of a bug must have the story and the seed', () => {
  const { body } = parse(textOf('.github/ISSUE_TEMPLATE/bug.yml'));
  const required = body.flatMap(({ id, validations }: { id: string; validations?: { required: boolean } }) =>
    validations?.required ? [id] : [],
  );
  expect(required).toEqual(expect.arrayContaining(['story', 'seed', 'versions']));
  expect(textOf('.github/PULL_REQUEST_TEMPLATE.md')).toMatch(/story[\s\S]*seed/);
});

/** Where the packages of the registries come from is the business of each machine. */
test('no file of the repository for GitHub names a registry', () => {
  for (const path of globSync('.github/**/*.{yml,md}', { cwd: root }))
    expect(textOf(path)).not.toMatch(/registry\.|registry-url/);
});

test('the shares of the long tests that a change runs side by side are all of them', () => {
  const { strategy } = read('.github/workflows/ci.yml').jobs['long'] ?? {};
  const shares = strategy?.matrix?.['share'] ?? [];
  expect(shares).toEqual(Array.from(shares, (_, index) => index + 1));
  for (const text of [textOf('.github/workflows/ci.yml'), textOf('.ci/run')]) {
    expect(text).toMatch(new RegExp(`test:long -- --shard="?\\$.*/${shares.length}\\b`));
  }
});
