import { sep } from 'node:path';
import { expect, test } from 'vitest';
import { isOfApp } from '../../../lib/rehearsal/file/watch.ts';

test.each(['lambda/send.ts', 'cdk.json', 'app.py', 'lib/stack.mts'])('%s is of the app', (path) => {
  expect(isOfApp(path.replaceAll('/', sep))).toBe(true);
});

test.each([
  'node_modules/a/index.js',
  'cdk.out/App.template.json',
  '.pawl/synth-1/asset.a/index.js',
  '.git/config.json',
  'rehearsal.xml',
  'out.log',
])('%s is not', (path) => {
  expect(isOfApp(path.replaceAll('/', sep))).toBe(false);
});
