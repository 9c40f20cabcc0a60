import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { record, rehearsedAccount, rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import type { Emulator } from './emulator.ts';
import { run } from './process.ts';

/** The outputs of a stack. */
export type Outputs = Readonly<Record<string, string>>;

/** The CDK's command line for some stacks of an app, as a user runs it, against the emulator. */
export interface Cdk {
  bootstrap(): Promise<void>;
  /** Returns the outputs of each stack, by the stack's name. */
  deploy(context: Readonly<Record<string, string>>): Promise<Readonly<Record<string, Outputs>>>;
  destroy(context: Readonly<Record<string, string>>): Promise<void>;
}

const timeoutMs = 180_000;

export interface CdkOptions {
  readonly emulator: Emulator;
  /** The folder with the app's `cdk.json`, and with the CDK among its packages. */
  readonly project: string;
  /** The command that makes the app. @default what `cdk.json` says */
  readonly app?: string;
  readonly stacks: readonly string[];
  /** Where the CDK may write. */
  readonly folder: string;
  /** Gets every line that the CDK prints. */
  readonly onLine: (line: string) => void;
}

export function createCdk({ emulator, project, app, stacks, folder, onLine }: CdkOptions): Cdk {
  const outputs = join(folder, 'outputs.json');

  async function cdk(...args: readonly string[]): Promise<void> {
    await run(
      process.execPath,
      [
        join(project, 'node_modules', 'aws-cdk', 'bin', 'cdk'),
        ...args,
        ...(app === undefined ? [] : ['--app', app]),
        '--output',
        join(folder, 'cdk.out'),
        '--no-notices',
        '--ci',
      ],
      {
        name: `cdk ${args[0]}`,
        cwd: project,
        timeoutMs: timeoutMs,
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
    bootstrap: () => cdk('bootstrap', `aws://${rehearsedAccount}/${rehearsedRegion}`),
    async deploy(context) {
      await cdk(
        'deploy',
        ...stacks,
        '--require-approval',
        'never',
        '--progress',
        'events',
        '--outputs-file',
        outputs,
        ...settings(context),
      );
      const written = record(JSON.parse(await readFile(outputs, 'utf8')));
      return Object.fromEntries(stacks.map((stack) => [stack, outputsIn(written[stack])]));
    },
    destroy: (context) => cdk('destroy', ...stacks, '--force', ...settings(context)),
  };
}

function outputsIn(written: unknown): Outputs {
  return Object.fromEntries(Object.entries(record(written)).map(([name, value]) => [name, String(value)]));
}

/** The part of a line of the CDK's that says what became of one resource, or `undefined`. */
export function resourceEvent(line: string): string | undefined {
  const found = /\|\s*(\w+_(?:COMPLETE|FAILED|SKIPPED))\s*\|\s*(AWS::\S+)\s*\|\s*(\S+)/.exec(line);
  if (found === null) return undefined;
  const [, state = '', type = '', path = ''] = found;
  return `${state.padEnd(16)} ${type.padEnd(32)} ${path}`;
}
