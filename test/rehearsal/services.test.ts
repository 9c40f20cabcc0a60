import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ruleFrom } from '../../lib/rehearsal/engine/app/types.ts';
import { services } from '../../lib/rehearsal/services/registry.ts';

test('the page of what a rehearsal runs has the rows of the registry, in its sequence, and no others', () => {
  const page = readFileSync(new URL('../../docs/reference/rehearsal-resources.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| resource | run | listed | refused |\n|---|---|---|---|\n');
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
  expect(rows).toEqual(services.flatMap((service) => service.page));
});

test('no two services have a rule for the same type, or a part of the same kind', () => {
  const types = services.flatMap((service) => Object.keys(service.types));
  expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
  const kinds = services.flatMap(({ finds = {} }) => Object.keys(finds));
  expect(kinds.filter((kind, index) => kinds.indexOf(kind) !== index)).toEqual([]);
});

test.each([
  ['AWS::IAM::Role', { kind: 'without-effect', named: true }],
  ['AWS::IAM::Policy', { kind: 'without-effect' }],
  ['AWS::RDS::DBCluster', { kind: 'not-run', why: 'A rehearsal has no stand-in for AWS::RDS.' }],
  ['Custom::Anything', { kind: 'not-run', why: 'A rehearsal runs no custom resource.' }],
  ['Custom::LogRetention', { kind: 'without-effect' }],
])('%s has its own rule, that of its service, or the sentence for a type that nothing knows', (type, rule) => {
  expect(ruleFrom(services)(type)).toEqual(rule);
});
