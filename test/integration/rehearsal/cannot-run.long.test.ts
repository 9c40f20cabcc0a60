import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileFor, projectWith } from '../../support/rehearsed.ts';

const WORKS = 'export const handler = async () => ({ batchItemFailures: [] });';

/** What runs with a folder in its command line. */
function runningIn(folder: string): readonly string[] {
  const all = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(folder));
}

const rows = [
  {
    name: 'a syntax error in a function',
    consumer: 'export const handler = async (event => {',
    file: fileFor(),
    says: /The function Mails\/SendMail ends before it has handled anything\. It printed:[\s\S]*SyntaxError/,
  },
  {
    name: 'a handler that is missing',
    consumer: 'export const other = 1;',
    file: fileFor(),
    says: /The function Mails\/SendMail ends before[\s\S]*exports no function handler/,
  },
  {
    name: 'a function that never responds',
    consumer: 'export const handler = () => new Promise(() => setInterval(() => {}, 1000));',
    file: fileFor('timeout: 1, batchSize: 2', 'functionTimeoutSeconds: 1,'),
    says: /The function Mails\/SendMail has not responded before its timeout in any of 4 invocations/,
  },
  {
    name: 'an app that does not synthesize',
    consumer: WORKS,
    file: fileFor(),
    cdk: `${process.execPath} -e "throw new Error('no such stack')"`,
    says: /The CDK app does not synthesize[\s\S]*no such stack/,
  },
  {
    name: 'a rehearsal file that throws',
    consumer: WORKS,
    file: 'throw new Error("not today");',
    says: /rehearsal\.mjs cannot be loaded: Error: not today/,
  },
  {
    name: 'a rehearsal file without a default export',
    consumer: WORKS,
    file: 'export const other = 1;',
    says: /has no rehearsal as its default export\. It should end with: export default rehearsal/,
  },
  {
    name: 'a queue that the app does not have',
    consumer: WORKS,
    file: fileFor().replace("queue('Orders')", "queue('Bills')"),
    says: /The app has no queue 'Bills'\. It has: Mails\/Orders\/DeadLetterQueue, Mails\/Orders\/Queue/,
  },
  {
    name: 'traffic that throws',
    consumer: WORKS,
    file: fileFor().replace(/traffic: .*/, "traffic() { throw new Error('no traffic'); },"),
    says: /no traffic/,
  },
  {
    name: 'an option that is misspelt',
    consumer: WORKS,
    file: fileFor('', 'fautls: {},'),
    says: /there is no option 'fautls'\. Did you mean 'faults'/,
  },
];

describe('a rehearsal that cannot run says why in a sentence, exits with 2, and leaves nothing', () => {
  test.each(rows)('$name', async ({ consumer, file, says, ...more }) => {
    const project = projectWith(consumer, file, more);
    const { code, error } = await project.run(['--seed', '1']);
    expect(error).toMatch(says);
    expect(code).toBe(2);
    expect(project.left()).toEqual([]);
    expect(runningIn(project.folder)).toEqual([]);
  });

  test('no Java', async () => {
    const project = projectWith(WORKS, fileFor());
    const bin = join(project.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    const { code, error } = await project.run(['--seed', '1'], { PATH: bin });
    expect(error).toMatch(/DynamoDB Local needs Java 17 or newer, and `java` was not found/);
    expect(code).toBe(2);
    expect(project.left()).toEqual([]);
  });

  test('no rehearsal file', async () => {
    const project = projectWith(WORKS, fileFor());
    const { code, error } = await project.run(['nowhere.ts', '--keep-going', '--seed', '1', '--json']);
    expect(error).toMatch(/There is no file .*nowhere\.ts/);
    expect(code).toBe(2);
  });
});
