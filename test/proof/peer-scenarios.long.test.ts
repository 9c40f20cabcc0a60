import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { changedSince, runScenarios, type Said, scenarios } from '../../proof/peer/scenarios.ts';
import { localClient } from '../support/tables.ts';

const said: Said = JSON.parse(readFileSync('docs/evidence/scenarios.json', 'utf8'));
const page = readFileSync('docs/evidence/scenarios.md', 'utf8');

test('Powertools, as it is installed, does what the page says of it', async () => {
  const { version } = JSON.parse(readFileSync('node_modules/@aws-lambda-powertools/idempotency/package.json', 'utf8'));
  expect(said.version).toBe(version);
  const found = await runScenarios(() => localClient(inject('dynamoEndpoint')));
  expect(changedSince(said, found)).toEqual([]);
});

test('the page has each scenario, and the version and the date of the last run', () => {
  const rows = Array.from(page.matchAll(/^\| (\d+) \|/gm), ([, number]) => number);
  expect(rows).toEqual(Object.keys(scenarios));
  expect(page).toContain(`version **${said.version}**, on ${said.date}`);
});

test('a row that is no longer true is named', () => {
  const found = { ...said.found, 3: !said.found['3'] };
  expect(changedSince(said, found)).toEqual(['3: no longer happens; docs/evidence/scenarios.md says otherwise']);
});
