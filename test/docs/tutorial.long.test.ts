import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { filesOf, repositoryRoot } from '../../checks/docs/pages.ts';

/*
 * The tutorial, followed to the letter: its files are made, its commands are run in a shell, in their order, and what it shows is what they print. The
 * package is built and packed as the page says.
 */

const tutorialPage = 'docs/tutorial/first-consumer.md';
const page = readFileSync(join(repositoryRoot, tutorialPage), 'utf8');

const scratch = mkdtempSync(join(tmpdir(), 'pawl-tutorial-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Ran {
  readonly output: string;
  readonly failed: boolean;
}

function run(command: string, cwd: string): Ran {
  const { status, stdout, stderr } = spawnSync(command, { cwd, shell: true, encoding: 'utf8' });
  return { output: `${stdout}${stderr}`, failed: status !== 0 };
}

/** A block of commands, whether the page says that they fail, and what it shows of their output. */
interface Step {
  readonly commands: readonly string[];
  readonly fails: boolean;
  readonly shown: readonly string[];
}

const steps: readonly Step[] = Array.from(
  page.matchAll(/(?<fails><!-- fails -->\n)?```sh\n(?<commands>[\s\S]*?)\n```(?:\n\n```\n(?<shown>[\s\S]*?)\n```)?/g),
  ({ groups }) => ({
    commands: groups?.['commands']?.split('\n') ?? [],
    fails: groups?.['fails'] !== undefined,
    shown: (groups?.['shown']?.split('\n') ?? []).filter((line) => line !== '…'),
  }),
);

test('every file and every command of the tutorial does what the page says', () => {
  const built = run('node checks/build.ts && cp ./*.tgz "$TO"'.replace('$TO', pawl()), repositoryRoot);
  expect(built.failed, built.output).toBe(false);
  let folder = scratch;
  let made = false;
  for (const { commands, fails, shown } of steps) {
    for (const command of commands) {
      const { output, failed } = run(command, folder);
      expect(failed, `${command}\n${output}`).toBe(fails);
      for (const line of shown) expect(output.replace(/ +/g, ' '), command).toContain(line.replace(/ +/g, ' '));
      const entered = /^cd (\S+)$/.exec(command)?.[1];
      if (entered !== undefined) folder = join(folder, entered);
    }
    if (made) continue;
    for (const [path, code] of filesOf(tutorialPage)) writeFileSync(join(folder, path), code);
    made = true;
  }
  expect(steps.map(({ commands }) => commands.at(-1))).toEqual([
    'npm install ../pawl/pawl-0.1.0.tgz ../pawl/pawl-testing-0.1.0.tgz @aws-sdk/client-sqs',
    'node twice.ts',
    'node once.ts',
    'node --test mails.test.ts',
    'POLICY=retry node --test mails.test.ts',
  ]);
  expect(existsSync(join(folder, 'mails.test.ts'))).toBe(true);
});

/** The copy of the repository, as far as the page uses it: the folder with the package. */
function pawl(): string {
  mkdirSync(join(scratch, 'pawl'));
  return join(scratch, 'pawl');
}
