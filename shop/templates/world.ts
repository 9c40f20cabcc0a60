import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import { project } from '../app/project.ts';
import { bundleFunction } from '../bundle.ts';
import { type Account, createAccount } from '../emulator/account.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { emulatorPackage, installEmulator, samTranslator } from '../emulator/install.ts';
import { run } from '../emulator/process.ts';
import { createLedger, type Ledger } from '../providers/ledger.ts';
import { startSes } from '../providers/ses.ts';

/** What the printed templates are deployed into. */
export interface World {
  readonly account: Account;
  readonly cloudFormation: CloudFormationClient;
  /** Where the handler is, bundled and zipped. */
  readonly code: { readonly bucket: string; readonly key: string };
  /** The mails that really went out. */
  readonly ledger: Ledger;
  /** Runs `pawl`, as a user does. Returns its exit code and what it printed, on both streams. */
  pawl(...args: readonly string[]): Promise<{ readonly code: number; readonly lines: readonly string[] }>;
}

export interface WorldOptions {
  readonly say: (text: string) => void;
  /** Gets every line that the emulator and the functions print. */
  readonly onLine: (line: string) => void;
}

const code = { bucket: 'printed-templates', key: 'handler.zip' } as const;

/** Starts the emulator, with a mail provider beside it and the handler in a bucket. `cleanUp` gets what has to be stopped. */
export async function startWorld({ say, onLine }: WorldOptions, cleanUp: AsyncDisposableStack): Promise<World> {
  const python = await installEmulator(project, say, [samTranslator]);
  const folder = await scratchFolder(project, 'templates-');
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const ledger = createLedger();
  const ses = cleanUp.adopt(await startSes(ledger), (server) => server.stop());
  const emulator = cleanUp.adopt(
    await startEmulator({
      project: project,
      python,
      folder,
      functionEnvironment: async () => ({ AWS_ENDPOINT_URL_SESV2: ses.endpoint }),
      onLine,
    }),
    (running) => running.stop(),
  );
  say(
    `${emulatorPackage.replace('==', ' ')} runs, with ${samTranslator.replace('==', ' ')} and every permission checked`,
  );
  await uploadHandler(emulator, python, folder);
  say('the handler is bundled, zipped and uploaded');
  return {
    account: cleanUp.adopt(createAccount(emulator.endpoint), (clients) => clients.destroy()),
    cloudFormation: cleanUp.adopt(new CloudFormationClient(clientOf(emulator)), (client) => client.destroy()),
    code: code,
    ledger,
    pawl: (...args) => runPawl(emulator, args),
  };
}

function clientOf({ endpoint }: Emulator) {
  return { endpoint, region: rehearsedRegion, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
}

async function uploadHandler(emulator: Emulator, python: string, folder: string): Promise<void> {
  await bundleFunction(join(project, 'shop', 'templates', 'handler.ts'), folder);
  const zip = join(folder, code.key);
  await run(python, ['-m', 'zipfile', '-c', zip, 'index.mjs'], {
    name: 'zip',
    cwd: folder,
    timeoutMs: 30_000,
    env: process.env,
  });
  const s3 = new S3Client({ ...clientOf(emulator), forcePathStyle: true });
  try {
    await s3.send(new CreateBucketCommand({ Bucket: code.bucket }));
    await s3.send(new PutObjectCommand({ Bucket: code.bucket, Key: code.key, Body: await readFile(zip) }));
  } finally {
    s3.destroy();
  }
}

async function runPawl(emulator: Emulator, args: readonly string[]) {
  const lines: string[] = [];
  const code = await run(process.execPath, [join(project, 'bin', 'pawl.ts'), ...args], {
    name: `pawl ${args[0]}`,
    cwd: project,
    timeoutMs: 60_000,
    expected: [0, 1, 2],
    env: { ...emulator.environment, NO_COLOR: '1' },
    onLine: (line) => lines.push(line),
  });
  return { code, lines };
}
