import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { startEmulator } from '../../shop/emulator/emulator.ts';
import { installEmulator } from '../../shop/emulator/install.ts';
import { facts } from './facts.ts';
import { requestCount } from './latency.ts';
import { isConfirmed, markdown, type Report } from './report.ts';
import { tags } from './stack.ts';
import { LeftoverError, verify } from './verify.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

const help = `Finds out, in an account of yours, what only AWS can say: deploys a temporary stack, checks ${facts.length} facts, measures, and deletes the stack.

Usage: npm run e2e -- account [options]

  --yes              does not ask before it deploys
  --region <name>    the region                                   (AWS_REGION)
  --endpoint <url>   sends everything there instead of to AWS
  --emulator         starts the emulator of npm run e2e -- deploy, and sends everything there
  --samples <n>      how often each request is measured           (200)
  --report <file>    where the report goes: Markdown, or JSON if the name ends with .json   (.pawl/verify-account.md)
  --help             this text

Uses the credentials that the AWS SDK finds. Cleans up also after Ctrl-C, and after a failure.
Ends with 0 if every fact is confirmed; with 1 if one is not, or the run failed; with 130 after Ctrl-C.`;

/** Twice the price of a write in us-east-1, 0.625 US dollars a million in 2025: there are dearer regions. A read costs a fifth of it. */
const dollarsARequest = 1.25 / 1e6;
const requestsASample = requestCount.reduce((sum, { size }) => sum + size, 0);
/** All else: invocations, messages, logs, and some hundred requests of the checks. */
const dollarsFixed = 0.01;

interface Settings {
  readonly yes: boolean;
  readonly region: string;
  readonly endpoint?: string;
  readonly emulator: boolean;
  readonly samples: number;
  readonly report: string;
}

/** Runs the command line to its end. Returns the exit code. */
export async function verifyAccount(args: readonly string[]): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = readSettings(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\nSee: npm run e2e -- account --help\n`);
    return 2;
  }
  if (settings === undefined) {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  const { say } = createProgress(process.stdout);
  const aborting = abortOnSignals(say);
  try {
    await using cleanUp = new AsyncDisposableStack();
    const endpoint = settings.emulator ? await emulatorEndpoint(say, cleanUp) : settings.endpoint;
    if (!settings.yes && !(await isAgreed({ ...settings, ...(endpoint ? { endpoint } : {}) }, aborting.signal))) {
      process.stderr.write('Nothing was deployed.\n');
      return 2;
    }
    const report = await verify({
      region: settings.region,
      ...(endpoint === undefined ? {} : { endpoint }),
      samples: settings.samples,
      signal: aborting.signal,
      say,
    });
    await write(settings.report, report);
    process.stdout.write(`\n${markdown(report)}\nWritten to ${settings.report}\n`);
    return isConfirmed(report) ? 0 : 1;
  } catch (error) {
    // The account of an emulator of ours has ended with it, whatever was in it.
    if (aborting.signal.aborted && (settings.emulator || !isLeftover(error))) return aborting.code();
    process.stderr.write(`${messagesOf(error).join('\n')}\n`);
    return 1;
  }
}

/** An error while cleaning up comes together with the one that was there before. */
function isLeftover(error: unknown): boolean {
  return error instanceof LeftoverError || (error instanceof SuppressedError && isLeftover(error.error));
}

function messagesOf(error: unknown): readonly string[] {
  if (error instanceof SuppressedError) return [...messagesOf(error.suppressed), ...messagesOf(error.error)];
  return [error instanceof Error ? error.message : String(error)];
}

/** Returns `undefined` for `--help`. @throws Error that names the option */
function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', default: false },
      region: { type: 'string' },
      endpoint: { type: 'string' },
      emulator: { type: 'boolean', default: false },
      samples: { type: 'string', default: '200' },
      report: { type: 'string', default: join('.pawl', 'verify-account.md') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const { endpoint, emulator, samples, report, yes } = values;
  const region = values.region ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  if (region === undefined && !emulator)
    throw new Error('Pass --region, or set AWS_REGION: there is no default region.');
  if (endpoint !== undefined && emulator) throw new Error('Pass --endpoint or --emulator, not both.');
  if (!/^[1-9]\d{0,4}$/.test(samples))
    throw new Error(`--samples should be a whole number from 1 to 99999, and is '${samples}'.`);
  return {
    ...{ yes, emulator, report, samples: Number(samples), region: region ?? 'us-east-1' },
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

async function isAgreed({ region, endpoint, samples }: Settings, signal: AbortSignal): Promise<boolean> {
  const dollars = dollarsFixed + samples * requestsASample * dollarsARequest;
  process.stdout.write(
    `This creates a stack in ${endpoint ?? `your account, in ${region}`}: a table, 3 queues, 3 functions with their roles, a log group,\n` +
      `tagged ${tags.map(({ Key, Value }) => `${Key}=${Value}`).join(' and ')}. It deletes them after some minutes.\n` +
      `Expected cost: below ${dollars.toFixed(2)} US dollars.\n`,
  );
  if (!process.stdin.isTTY) {
    process.stderr.write('There is no terminal to ask at. Pass --yes.\n');
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await lines.question('Go on? [y/N] ', { signal })).trim().toLowerCase() === 'y';
  } finally {
    lines.close();
  }
}

/** The first signal ends the run, which then cleans up. The second one ends the process, and leaves what is left. */
function abortOnSignals(say: (text: string) => void) {
  const controller = new AbortController();
  let code = 130;
  const onSignal = (signalCode: number) => () => {
    if (controller.signal.aborted) process.exit(signalCode);
    code = signalCode;
    say('interrupted: cleaning up. A second signal ends this at once, and leaves the stack');
    controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal(130));
  process.on('SIGTERM', onSignal(143));
  return { signal: controller.signal, code: () => code };
}

/** Starts the emulator. Its functions find the AWS SDK among this project's packages, as in Lambda among those of the runtime. */
async function emulatorEndpoint(say: (text: string) => void, cleanUp: AsyncDisposableStack): Promise<string> {
  const python = await installEmulator(project, say);
  const folder = await scratchFolder(project, 'account-');
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const emulator = await startEmulator({
    project: project,
    python,
    folder,
    functionEnvironment: async () => ({ NODE_PATH: join(project, 'node_modules') }),
    onLine: () => undefined,
  });
  cleanUp.defer(() => emulator.stop());
  // The emulator takes these for its own account, and no request of this process goes anywhere else.
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  delete process.env['AWS_SESSION_TOKEN'];
  return emulator.endpoint;
}

async function write(file: string, report: Report): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, file.endsWith('.json') ? `${JSON.stringify(report, undefined, 2)}\n` : markdown(report));
}
