import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { oldClients } from '../../lib/rehearsal/engine/lambda/refuse-old-clients.ts';

/** The code of a function in a project. A path that begins with `../suites/` is beside the code, as the packages of a project are. */
function clientIn(files: Readonly<Record<string, string>>) {
  const project = mkdtempSync(join(tmpdir(), 'pawl-clients-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const path = join(project, 'code');
  for (const [name, text] of Object.entries({ 'index.mjs': '', ...files })) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return oldClients(project)({ kind: 'folder', path });
}

const packageOf = (version: string) => JSON.stringify({ version });
const usesSqs = "import { SQSClient } from '@aws-sdk/client-sqs'; export const handler = async () => {};";

describe('a client that would ask AWS itself is seen', () => {
  test.each<{ readonly name: string; readonly files: Record<string, string>; readonly is: RegExp }>([
    {
      name: 'version 2 of the SDK, imported',
      files: { 'index.mjs': "import AWS from 'aws-sdk';" },
      is: /^aws-sdk, version 2/,
    },
    {
      name: 'one client of version 2, required',
      files: { 'src/index.js': "const SQS = require('aws-sdk/clients/sqs');" },
      is: /^aws-sdk, version 2/,
    },
    {
      name: 'version 2, behind an address and a comment that has ended',
      files: { 'index.cjs': "/* a */ const at = 'https://a.example'; const AWS = require('aws-sdk');" },
      is: /^aws-sdk, version 2/,
    },
    {
      name: 'version 2, bundled and minified',
      files: {
        'index.js': 'var a={configOptInEnv:"AWS_SDK_LOAD_CONFIG"},b=process.env.AWS_NODEJS_CONNECTION_REUSE_ENABLED',
      },
      is: /^aws-sdk, version 2/,
    },
    {
      name: 'an early version 3, bundled',
      files: { 'index.js': 'const s=[["aws-sdk-js",v],["ua","2.0"]]' },
      is: /^clients of an early version 3/,
    },
    {
      name: 'an early version 3 of the project, not bundled',
      files: { 'index.mjs': usesSqs, '../node_modules/@aws-sdk/client-sqs/package.json': packageOf('3.450.0') },
      is: /^@aws-sdk\/client-sqs 3\.450\.0$/,
    },
    {
      name: 'an early version 3 beside the code',
      files: {
        'index.js': "const { SQSClient } = require('@aws-sdk/client-sqs');",
        'node_modules/@aws-sdk/client-sqs/package.json': packageOf('3.100.0'),
        '../node_modules/@aws-sdk/client-sqs/package.json': packageOf('3.900.0'),
      },
      is: /^@aws-sdk\/client-sqs 3\.100\.0$/,
    },
  ])('$name', async ({ files, is }) => {
    expect(await clientIn(files)).toMatch(is);
  });
});

describe('code is let through', () => {
  test.each<{ readonly name: string; readonly files: Record<string, string> }>([
    {
      name: 'with the first client that reads AWS_ENDPOINT_URL',
      files: { 'index.mjs': usesSqs, '../node_modules/@aws-sdk/client-sqs/package.json': packageOf('3.451.0') },
    },
    {
      name: 'with a newer one, bundled',
      files: { 'index.js': 'const s=[["aws-sdk-js",v]];const e="AWS_ENDPOINT_URL"' },
    },
    {
      name: 'with a newer one, in two files',
      files: {
        'index.mjs': 'import "./chunk.mjs"; const s=[["aws-sdk-js",v]];',
        'chunk.mjs': 'const e="AWS_ENDPOINT_URL"',
      },
    },
    {
      name: 'that has a word of version 2',
      files: { 'index.mjs': "// once, this was 'aws-sdk'\nconst name = 'aws-sdk';" },
    },
    {
      name: 'that sets a variable of version 2',
      files: { 'index.mjs': "process.env.AWS_NODEJS_CONNECTION_REUSE_ENABLED = '1';" },
    },
    {
      name: 'that has loaded version 2 once, as its comments say',
      files: {
        'index.mjs':
          "// const AWS = require('aws-sdk');\n/* import S3 from 'aws-sdk/clients/s3'\n * from 'aws-sdk' */\nexport const a = 1;",
      },
    },
    { name: 'that imports a client which is nowhere', files: { 'index.mjs': usesSqs } },
  ])('$name', async ({ files }) => {
    expect(await clientIn(files)).toBeUndefined();
  });
});

test('a folder that all functions have is read once', async () => {
  const path = mkdtempSync(join(tmpdir(), 'pawl-clients-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const clientOf = oldClients(path);
  writeFileSync(join(path, 'index.js'), "const SQS = require('aws-sdk/clients/sqs');");
  expect(await clientOf({ kind: 'folder', path })).toMatch(/^aws-sdk, version 2/);
  rmSync(join(path, 'index.js'));
  expect(await clientOf({ kind: 'folder', path })).toMatch(/^aws-sdk, version 2/);
  expect(await oldClients(path)({ kind: 'folder', path })).toBeUndefined();
});
