import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dynamoDbLocalFolder } from '../../../../lib/rehearsal/engine/servers/dynamodb-local.ts';

test('the class that starts DynamoDB Local is what its source compiles to', ({ skip }) => {
  if (!hasCompiler()) skip('a Java runtime has no compiler, and this machine has only that');
  const folder = new URL('../../../../lib/rehearsal/engine/servers/loopback/', import.meta.url);
  const compiled = mkdtempSync(join(tmpdir(), 'pawl-loopback-'));
  onTestFinished(() => rmSync(compiled, { recursive: true, force: true }));
  const jars = dynamoDbLocalFolder();
  const classPath = [join(jars, 'DynamoDBLocal.jar'), join(jars, 'DynamoDBLocal_lib', '*')].join(delimiter);
  const source = new URL('LoopbackServer.java', folder).pathname;
  execFileSync('javac', ['--release', '17', '-g:none', '-proc:none', '-d', compiled, '-cp', classPath, source]);
  expect(readFileSync(new URL('LoopbackServer.class', folder)).toString('hex')).toBe(
    readFileSync(join(compiled, 'LoopbackServer.class')).toString('hex'),
  );
});

function hasCompiler(): boolean {
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
