import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpOf, Line } from '../../lib/cli/command.ts';
import { COMMANDS } from '../../lib/cli/commands.ts';
import { completion } from '../../lib/cli/completion.ts';
import { ioOf } from '../support/in-process.ts';
import { runPawl } from '../support/pawl-command.ts';

/** Makes Node say of every client of AWS that it is not installed. */
const withoutClients = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (!specifier.startsWith('@aws-sdk/')) return next(specifier, context);
        throw Object.assign(new Error(\`Cannot find package '\${specifier}'\`), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
  `)}`,
};

describe('pawl', () => {
  it('names every command, and says its version', async () => {
    const [help, version] = await Promise.all([runPawl([]), runPawl(['--version'])]);
    for (const { name } of COMMANDS) expect(help.out).toMatch(new RegExp(`^  ${name} `, 'm'));
    const { version: own } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect([help.code, version.code, version.out]).toEqual([0, 0, `${own}\n`]);
  });

  it('loads no client of AWS to show its help', async () => {
    const helps = ['claims', 'redrive', 'console', 'doctor'].map((name) => runPawl([name, '--help'], withoutClients));
    for (const { code, out, error } of await Promise.all(helps)) {
      expect([code, error]).toEqual([0, '']);
      expect(out).toContain('Usage: pawl');
    }
  });

  it('ends with 2 for a command or an option that there is not', async () => {
    const [command, option] = await Promise.all([runPawl(['claim-all']), runPawl(['claims', '--operaton', 'x'])]);
    expect([command.code, command.error]).toEqual([2, expect.stringContaining("no command 'claim-all'")]);
    expect([option.code, option.error]).toEqual([2, expect.stringContaining('pawl claims --help')]);
  });

  it.each([
    [['claims', '--operaton', 'x'], "There is no option '--operaton'. Did you mean '--operation'?"],
    [['redrive', '--dryrun'], "There is no option '--dryrun'. Did you mean '--dry-run'?"],
    [['doctor', 'Shop', '--regoin', 'eu-west-1'], "There is no option '--regoin'. Did you mean '--region'?"],
    [['template', 'sam', '--batchsize=5'], "There is no option '--batchsize'. Did you mean '--batch-size'?"],
    [['claims', '--constructor'], "There is no option '--constructor'."],
    // Of two queues, the command would look at the last one, and say nothing of the first.
    [['dlq', '--table', 't', '--queue', 'one', '--queue', 'two'], '--queue: expected once, and got twice.'],
  ])('refuses %j, with the nearest option', async (args, said) => {
    const { code, error } = await runPawl(args);
    expect(code).toBe(2);
    expect(error.startsWith(`${said}`)).toBe(true);
    expect(error).toContain(`pawl ${args[0]} --help`);
  });
});

describe.each(COMMANDS.map((command) => [command.name, command] as const))('pawl %s', (_, command) => {
  it('is on the page for operators', () => {
    expect(readFileSync('docs/reference/command-line.md', 'utf8')).toContain(`| \`pawl ${command.name}`);
  });

  it('has every option in its help, and reads it', () => {
    const help = helpOf(command);
    for (const [name, { value, about }] of Object.entries(command.options)) {
      expect(help).toContain(`--${name}${value === undefined ? '' : ` <${value}>`}`);
      expect(help).toContain(about);
      const line = new Line([`--${name}`, ...(value === undefined ? [] : ['x'])], command.options);
      expect(line.flag(name) || line.text(name) === 'x' || line.texts(name)[0] === 'x').toBe(true);
    }
  });
});

it.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
])('reads a time as %s', (text, ms) => {
  expect(new Line(['--t', text], { t: { value: 'time', about: '' } }).durationMs('t')).toBe(ms);
});

it('completes commands and options in bash', async () => {
  const { io, out } = ioOf();
  expect(await completion(['bash'], io)).toBe(0);
  const script = out();
  const complete = (words: string, at: number) =>
    execFileSync('bash', ['-c', `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${at}; _pawl; echo "\${COMPREPLY[@]}"`], {
      encoding: 'utf8',
    }).trim();
  expect(complete('pawl re', 1)).toBe('resolve restored redrive rehearse');
  expect(complete('pawl resolve --not', 2)).toBe('--note');
  expect(complete('pawl doctor --individual', 2)).toBe('--individual-store');
  expect(complete('pawl template serv', 2)).toBe('serverless');
  expect(complete('pawl completion z', 2)).toBe('zsh');
});

it.each(['doctor', 'template'])('completes every option that the help of %s names', async (name) => {
  const { io, out } = ioOf();
  await completion(['bash'], io);
  const [, words = ''] = new RegExp(`^    ${name}\\) words="(.*)" ;;$`, 'm').exec(out()) ?? [];
  const { out: help } = await runPawl([name, '--help'], withoutClients);
  const inHelp = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option);
  expect(
    words
      .split(' ')
      .filter((word) => word.startsWith('--'))
      .toSorted(),
  ).toEqual(inHelp.toSorted());
});
