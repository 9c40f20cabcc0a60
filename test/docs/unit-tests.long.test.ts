import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf, repositoryRoot } from '../../checks/docs/pages.ts';

/** The files of docs/guides/unit-tests.md, as they are printed: their tests pass, and see it where the handler is wrong. */
const files = filesOf('docs/guides/unit-tests.md');

/** Runs the tests of a project with these files. */
function ran(changed: ReadonlyMap<string, string>): { readonly passed: boolean; readonly output: string } {
  // Inside the repository, so that its packages are found; where git does not look.
  mkdirSync(join(repositoryRoot, '.pawl'), { recursive: true });
  const folder = mkdtempSync(join(repositoryRoot, '.pawl', 'unit-tests-'));
  try {
    for (const [path, code] of changed) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), code);
    }
    // As on a machine of somebody who has credentials.
    const env = { ...process.env, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'mine', AWS_SECRET_ACCESS_KEY: 'mine' };
    const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
      env,
      encoding: 'utf8',
    });
    return { passed: status === 0, output: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const without = (path: string, text: string) =>
  new Map([...files].map(([name, code]) => [name, name === path ? code.replace(text, '') : code]));

test('the tests of the page pass, by the import or by the setup file alone', () => {
  expect([...files.keys()]).toEqual(['src/mails.ts', 'test/mails.test.ts', 'vitest.config.ts']);
  const both = ran(files);
  expect(both.passed, both.output).toBe(true);
  expect(both.output).toContain('2 passed');
  const byImport = ran(new Map([...files].filter(([path]) => path !== 'vitest.config.ts')));
  expect(byImport.passed, byImport.output).toBe(true);
});

test('where the fakes are missing, no test calls AWS, and where dead letters are, the test says so', () => {
  const code = files.get('test/mails.test.ts') ?? '';
  const real = code.replace(
    /^import \{ fakes \}.*$/m,
    "const fakes = { reset() {}, deadLetters: [], context: () => ({ getRemainingTimeInMillis: () => 30_000 }), sqsEvent: (...bodies: unknown[]) => ({ Records: bodies.map((body, at) => ({ messageId: String(at), receiptHandle: 'r', body: typeof body === 'string' ? body : JSON.stringify(body), attributes: { ApproximateReceiveCount: '1' }, messageAttributes: {}, eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:us-east-1:0:q' })) }) };",
  );
  const setUp =
    "process.env.CLAIMS_TABLE = 'claims'; process.env.DEAD_LETTER_QUEUE_URL = 'https://sqs.us-east-1.amazonaws.com/0/d';";
  const naked = ran(
    new Map([
      ['src/mails.ts', `${setUp}\n${files.get('src/mails.ts')}`],
      ['test/mails.test.ts', real],
    ]),
  );
  expect(naked.passed, naked.output).toBe(false);
  expect(naked.output).toContain('a test of Vitest would call dynamodb of AWS');
  expect(ran(without('src/mails.ts', 'deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),')).passed).toBe(
    false,
  );
});
