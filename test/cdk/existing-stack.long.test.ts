import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, type Stack } from 'aws-cdk-lib';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Mails as After } from '../fixtures/existing-stack/after.ts';
import { Mails as Before } from '../fixtures/existing-stack/before.ts';

// Each run starts the CDK's command line.
vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'pawl-existing-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;
}

function synthesize(name: string, build: (scope: Construct, id: string) => Stack): Template {
  const app = new App({ outdir: join(scratch, name) });
  build(app, 'Mails');
  app.synth();
  return JSON.parse(readFileSync(join(scratch, name, 'Mails.template.json'), 'utf8'));
}

/** What `cdk diff` says of going from the first to another, and whether that replaces, deletes or orphans anything. */
function diff(from: string, to: string) {
  const template = join(scratch, from, 'Mails.template.json');
  const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');
  const run = spawnSync(
    process.execPath,
    [cdk, 'diff', '--app', join(scratch, to), '--template', template, '--fail-on', 'destructive', 'Mails'],
    { cwd: scratch, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: scratch, CI: 'true', NO_COLOR: '1' } },
  );
  return { destroys: run.status !== 0, output: run.stdout + run.stderr };
}

describe('a stack that adopts pawl', () => {
  const before = synthesize('before', (scope, id) => new Before(scope, id));
  const after = synthesize('after', (scope, id) => new After(scope, id));

  test('keeps every resource that it had, and what they are', () => {
    for (const [logicalId, { Type }] of Object.entries(before.Resources)) {
      expect(after.Resources[logicalId]?.Type, logicalId).toBe(Type);
    }
  });

  test('replaces nothing, says cdk diff', () => {
    const { destroys, output } = diff('before', 'after');
    expect(destroys, output).toBe(false);
    expect(output).not.toMatch(/replace|destroy|\[-\]/);
    expect(output).toContain('[+] AWS::DynamoDB::Table Claims/Table');
  });

  test('changes three of them: what the function may do and is told, and what its event source takes', () => {
    const changed = Object.entries(before.Resources).filter(
      ([logicalId, resource]) => JSON.stringify(resource) !== JSON.stringify(after.Resources[logicalId]),
    );
    expect(changed.map(([, { Type }]) => Type).sort()).toEqual([
      'AWS::IAM::Policy',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
    ]);
  });

  test('and cdk diff would have said so, had anything been replaced', () => {
    synthesize('renamed', (scope, id) => {
      const stack = new After(scope, id);
      const queue = stack.node.findChild('Mails').node.defaultChild as CfnQueue;
      queue.queueName = 'mails';
      return stack;
    });
    expect(diff('before', 'renamed')).toMatchObject({ destroys: true, output: expect.stringMatching(/replace/) });
  });

  test('is changed in a few lines: those that the guide shows', () => {
    const lines = (path: string) => read(`test/fixtures/existing-stack/${path}`).split('\n');
    const code = (line: string) => !/^(import| \*|\/\*\*|$)/.test(line);
    const [old, now] = [lines('before.ts').filter(code), lines('after.ts').filter(code)];
    const removed = old.filter((line) => !now.includes(line)).map((line) => `-${line.slice(4)}`);
    const added = now.filter((line) => !old.includes(line)).map((line) => `+${line.slice(4)}`);
    expect(removed).toHaveLength(1);
    expect(added).toHaveLength(3);
    const shown = /```diff\n([^`]*)```/.exec(read('docs/guides/adopt.md'))?.[1]?.split('\n') ?? [];
    expect(shown).toEqual(expect.arrayContaining([...removed, ...added]));
  });
});
