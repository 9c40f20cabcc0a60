import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsOf } from '../../checks/docs/links.ts';
import { type Command, helpOf, readLine, UsageError, usageOf } from '../../lib/cli/command.ts';
import { commands } from '../../lib/cli/commands.ts';
import { duration } from '../../lib/cli/option.ts';
import { runPawlHere } from '../support/in-process.ts';
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
    for (const { name } of commands) expect(help.out).toMatch(new RegExp(`^  ${name} `, 'm'));
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

/** A name with two letters exchanged, one left out, and one twice. */
function misspelt(name: string): readonly string[] {
  const middle = Math.floor(name.length / 2);
  const [before, after] = [name.slice(0, middle), name.slice(middle)];
  const [a = '', b = ''] = name.slice(middle - 1);
  return [`${before.slice(0, -1)}${b}${a}${after.slice(1)}`, `${before}${after.slice(1)}`, `${before}${b}${after}`];
}

const rows = commands.map((command) => [command.name, command] as const);
const options = commands.flatMap((command) =>
  Object.entries(command.options).map(([name, option]) => [command.name, name, { command, option }] as const),
);

describe.each(rows)('pawl %s', (_, command) => {
  it('has its help, as a row of the list and by itself', async () => {
    const [list, help] = [await runPawlHere(), await runPawlHere(command.name, '--help')];
    expect(list.out.split('\n').map((line) => line.trim().split(/ {2,}/))).toContainEqual([
      command.name,
      command.summary,
    ]);
    expect(help).toEqual({ code: 0, out: `${helpOf(command)}\n`, error: '' });
    expect(help.out).toContain(`Usage: ${usageOf(command)}\n`);
    expect((await runPawlHere(command.name, '-h')).out).toBe(help.out);
    const lines = help.out.split('\n');
    for (const [option, { about }] of Object.entries(command.options))
      expect(lines.filter((line) => line.startsWith(`  --${option} `) && line.includes(about))).toHaveLength(1);
  });

  it('has its completion: every option, and the words that it takes', async () => {
    const offered = await completed(`pawl ${command.name} ''`, 2);
    const named = [...Object.keys(command.options), 'help'].map((option) => `--${option}`);
    expect(offered).toEqual([...(command.names.words ?? []), ...named]);
  });

  it('has examples that it understands', () => {
    expect(command.examples).not.toEqual([]);
    for (const example of command.examples) {
      const args = (example.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
      expect(readLine(command, args), example).not.toBe('help');
    }
  });

  it('has a guide that is there', () => {
    const [path = '', anchor] = command.guide.split('#');
    expect(anchor === undefined || anchorsOf(`docs/${path}`).includes(anchor), command.guide).toBe(true);
  });
});

it.each(options)('pawl %s --%s misspelt is refused, with the nearest option', async (name, option, { command }) => {
  const known = Object.keys({ ...command.options, help: 0 });
  for (const wrong of misspelt(option).filter((one) => !known.includes(one))) {
    const { code, out, error } = await runPawlHere(name, `--${wrong}`);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(`There is no option '--${wrong}'.`);
    // Of two letters, a wrong one is half of them.
    if (option.length > 2) expect(error).toContain(`Did you mean '--${option}'?`);
    expect(error).toContain(`Run: pawl ${name} --help`);
  }
});

it.each(options)(
  'pawl %s --%s is read once or many times, as its row says, and only if it fits',
  (_, name, { option }) => {
    const row = { ...commands[0], name: 'row', options: { [name]: { ...option, read: (all) => all } } } as Command;
    const once = option.value === undefined ? [`--${name}`] : [`--${name}`, 'x'];
    const twice = () => readLine(row, [...once, ...once]);
    if (option.value === undefined || option.multiple) expect(twice).not.toThrow();
    else expect(twice).toThrow(new UsageError(`--${name}: expected once, and got twice.`));
    if (option.expected === undefined) return;
    const misfit = () => readLine({ ...row, options: { [name]: option } }, [`--${name}`, '/ /']);
    expect(misfit).toThrow(new UsageError(`--${name}: expected ${option.expected}; got '/ /'.`));
  },
);

it.each(rows)('a misspelt pawl %s is refused, with the nearest command', async (name) => {
  for (const wrong of misspelt(name)) {
    const { code, out, error } = await runPawlHere(wrong);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(`There is no command '${wrong}'. Did you mean '${name}'?`);
  }
});

it('needs what a row says that it needs, before it asks AWS for anything', () => {
  const resolve = commands.find(({ name }) => name === 'resolve');
  if (resolve === undefined) throw new Error('there is no pawl resolve');
  for (const args of [
    ['--by', 'maria'],
    ['--by', 'maria', '--note', ''],
  ])
    expect(() => readLine(resolve, ['a#1', 'applied', ...args])).toThrow(new UsageError('--note is missing.'));
});

const ranges = options.flatMap(([command, name, { option }]) => {
  const [, least, most] = /^a whole number from (\d+)(?: to (\d+))?$/.exec(option.expected ?? '') ?? [];
  return least === undefined ? [] : [[command, name, option, Number(least), most && Number(most)] as const];
});

it.each(ranges)(
  'pawl %s --%s takes the ends of its range, and nothing beyond',
  (_command, _name, option, least, most) => {
    expect(option.read([`${least}`])).toBe(least);
    for (const wrong of [`${least - 1}`, '1.5', '', ' 1', '0x1', '1e1']) expect(option.read([wrong])).toBeUndefined();
    if (most === undefined || most === '') return;
    expect(option.read([`${most}`])).toBe(most);
    expect(option.read([`${most + 1}`])).toBeUndefined();
  },
);

const template = commands.find(({ name }) => name === 'template');

it('takes an amount with a fraction, and none that is 0 or below', () => {
  const days = template?.options['claim-retention-days'];
  expect(days?.read(['0.5'])).toBe(0.5);
  for (const wrong of ['0', '0.0', '-1', 'long', '']) expect(days?.read([wrong])).toBeUndefined();
});

it('takes a name as long as every tool takes it', () => {
  const name = template?.options['name'];
  expect(name?.read(['a'.repeat(40)])).toBe('a'.repeat(40));
  expect(name?.read(['a'.repeat(41)])).toBeUndefined();
});

it.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
])('reads a time as %s', (text, ms) => {
  expect(duration('').read([text])).toBe(ms);
});

it.each(['90', 's', '90 s', '1.5h', '3w'])('refuses %s as a time', (text) => {
  expect(duration('').read([text])).toBeUndefined();
});

async function completed(words: string, at: number): Promise<readonly string[]> {
  const { out: script } = await runPawlHere('completion', 'bash');
  const line = `COMP_WORDS=(${words}); COMP_CWORD=${at}; _pawl; echo "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8' })
    .trim()
    .split(' ');
}

it('completes the names of commands, and what begins as it was typed', async () => {
  expect(await completed("pawl ''", 1)).toEqual(commands.map(({ name }) => name));
  expect(await completed('pawl re', 1)).toEqual(['resolve', 'restored', 'redrive', 'rehearse']);
  expect(await completed('pawl resolve --not', 2)).toEqual(['--note']);
});
