import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { arn, type DescribedAccount, describedTable, startDescribedAccount } from '../support/described-account.ts';
import { shell } from '../support/pawl-command.ts';

/* The commands that only look or print, ended before their end. Those that act: test/suites/integration/operate/ended.test.ts. */

const main = fileURLToPath(new URL('../../bin/pawl.ts', import.meta.url));

const account: DescribedAccount = {
  stacks: { Shop: [['AWS::Lambda::Function', 'orders']] },
  functions: {
    orders: {
      FunctionName: 'orders',
      FunctionArn: arn('lambda', 'function:orders'),
      Role: 'arn:aws:iam::123456789012:role/orders',
      Environment: { Variables: { CLAIMS_TABLE: 'claims' } },
    },
  },
  mappings: [{ FunctionArn: arn('lambda', 'function:orders'), EventSourceArn: arn('sqs', 'orders') }],
  queues: { orders: {} },
  table: describedTable,
  decisionOn: () => 'allowed',
};

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...shell(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, said }));
  return { child, ended };
}

let env: Readonly<Record<string, string>> = {};

it.each([
  ['SIGINT', 130, 'Ctrl-C was pressed'],
  ['SIGTERM', 143, 'the system ended it'],
  ['SIGHUP', 129, 'the terminal was closed'],
  ['closed', 141, 'the reader of its output is gone'],
] as const)('pawl doctor that %s ends in its look ends with %i, and says so in one line', async (how, code, why) => {
  const started = Promise.withResolvers<ReturnType<typeof start>>();
  const server = await startDescribedAccount({
    ...account,
    decisionOn() {
      started.promise.then(({ child }) => (how === 'closed' ? child.stdout.destroy() : child.kill(how)));
      return 'allowed';
    },
  });
  try {
    const credentials = { AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any', AWS_REGION: 'eu-west-1' };
    env = { ...credentials, AWS_ENDPOINT_URL: server.endpoint };
    const running = start('doctor', 'Shop');
    started.resolve(running);
    expect(await running.ended).toEqual({ code, said: `Stopped: ${why}. Nothing was changed.\n` });
  } finally {
    await server.stop();
  }
});

it.each([['template', 'sam'], ['completion', 'bash'], ['template', '--help'], ['--help']])(
  'pawl %s %s whose reader is gone ends with 141, and with no error of Node',
  async (...args) => {
    const { child, ended } = start(...args);
    child.stdout.destroy();
    const { code, said } = await ended;
    expect([code, said.split('\n').at(-2)]).toEqual([
      141,
      'Stopped: the reader of its output is gone. Nothing was changed.',
    ]);
    expect(said).not.toContain('    at ');
  },
);
