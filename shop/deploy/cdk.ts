import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../lib/rehearsal/synthesize.ts';
import { ACCOUNT, REGION, record } from '../../lib/rehearsal/template.ts';
import type { Emulator } from './emulator.ts';
import { run } from './process.ts';

/** The CDK's command line, as a user runs it, against the emulator. */
export interface Cdk {
  bootstrap(): Promise<void>;
  /** Answers the stack's outputs. */
  deploy(context: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  destroy(context: Readonly<Record<string, string>>): Promise<void>;
}

export const STACK = 'PawlOrders';

const TIMEOUT_MS = 180_000;

export function createCdk(emulator: Emulator, folder: string, onLine: (line: string) => void): Cdk {
  const outputs = join(folder, 'outputs.json');

  async function cdk(...args: readonly string[]): Promise<void> {
    await run(
      process.execPath,
      [
        join(PROJECT, 'node_modules', 'aws-cdk', 'bin', 'cdk'),
        ...args,
        '--output',
        join(folder, 'cdk.out'),
        '--no-notices',
        '--ci',
      ],
      {
        name: `cdk ${args[0]}`,
        timeoutMs: TIMEOUT_MS,
        env: {
          ...emulator.environment,
          CDK_HOME: join(folder, 'cdk-home'),
          CDK_DISABLE_CLI_TELEMETRY: 'true',
          CDK_DISABLE_VERSION_CHECK: '1',
          NO_COLOR: '1',
        },
        onLine,
      },
    );
  }

  const settings = (context: Readonly<Record<string, string>>) =>
    Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

  return {
    bootstrap: () => cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`),
    async deploy(context) {
      await cdk(
        'deploy',
        STACK,
        '--require-approval',
        'never',
        '--progress',
        'events',
        '--outputs-file',
        outputs,
        ...settings(context),
      );
      const written = record(record(JSON.parse(await readFile(outputs, 'utf8')))[STACK]);
      return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, String(value)]));
    },
    destroy: (context) => cdk('destroy', STACK, '--force', ...settings(context)),
  };
}
