import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../checks/packages.ts';
import { namesNothing } from '../../checks/scripts/named.ts';
import { askedOf, helpOf, npmScripts, type Script } from '../../checks/scripts/table.ts';

const scripts = Object.entries<Script>(npmScripts);

describe.each(scripts)('npm run %s', (name, script) => {
  test('runs files and programs that are there', () => {
    for (const { run } of Object.values(script.parts)) {
      const [program = ''] = run.split(' ');
      expect(existsSync(join(root, program.endsWith('.ts') ? program : `node_modules/.bin/${program}`)), run).toBe(
        true,
      );
    }
  });

  test('lists all of its parts', () => {
    const help = helpOf(name, script);
    for (const part of Object.keys(script.parts)) expect(help).toContain(`\n  ${part} `);
    expect(askedOf(name, script, ['--help'])).toEqual({ kind: 'help', text: help });
  });
});

test('a part gets what is typed behind its name', () => {
  expect(askedOf('campaign', npmScripts.campaign, ['kills', '--kills', '300'])).toEqual({
    kind: 'part',
    part: npmScripts.campaign.parts.kills,
    rest: ['--kills', '300'],
  });
});

test('options without a name go to the part that runs without one, and a campaign has none', () => {
  expect(askedOf('bench', npmScripts.bench, ['--quick'])).toEqual({
    kind: 'part',
    part: npmScripts.bench.parts.cost,
    rest: ['--quick'],
  });
  expect(askedOf('campaign', npmScripts.campaign, [])).toMatchObject({ kind: 'help' });
  expect(askedOf('campaign', npmScripts.campaign, ['--kills', '3'])).toMatchObject({ kind: 'unknown' });
});

test('a name that is not there is refused with the list', () => {
  expect(askedOf('e2e', npmScripts.e2e, ['constructor'])).toMatchObject({
    kind: 'unknown',
    text: expect.stringMatching(/There is no npm run e2e -- constructor[\s\S]*conformance/),
  });
});

test.each([
  ['npm run campaigns', 'npm run campaigns'],
  ['npm run e2e -- deplyo --orders 3', 'npm run e2e -- deplyo'],
  ['npm run check -- apis', 'npm run check -- apis'],
])('a page that says %s names nothing', (text, found) => {
  expect(namesNothing(text)).toEqual([found]);
});

test.each(['npm run bench -- --write', 'npm run docs', 'npm run campaign -- kills', 'npm run check -- api sizes'])(
  'a page may say %s',
  (text) => {
    expect(namesNothing(text)).toEqual([]);
  },
);
