import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, samTranslator } from '../../shop/emulator/install.ts';
import { startProcess } from '../../shop/emulator/process.ts';

/** The tools that judge the templates, none of them ours. They are installed into `.e2e/`, which may be deleted at any time. */

export const root = fileURLToPath(new URL('../../', import.meta.url));

const cfnLint = 'cfn-lint==1.58.0';
/** The Serverless Framework as its community keeps it: it packages without an account, and without a licence. */
const osls = 'osls@4.3.1';
/** The schema of version 6.25.0 of Terraform's AWS provider, as types. */
const provider = '@cdktf/provider-aws@21.22.1';

/** What became of a program. */
export interface Run {
  readonly code: number | string;
  readonly output: string;
}

/** Runs a program to its end, with nothing of the user's AWS settings. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<Run> {
  const lines: string[] = [];
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  const running = startProcess(command, args, {
    cwd,
    env: {
      ...Object.fromEntries(kept),
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
      AWS_DEFAULT_REGION: 'eu-west-1',
      AWS_REGION: 'eu-west-1',
      NO_COLOR: '1',
    },
    onLine: (line) => lines.push(line),
  });
  const late = setTimeout(() => running.kill(), 120_000);
  const code = await running.ended;
  clearTimeout(late);
  return { code, output: lines.join('\n') };
}

/** The Python that has cfn-lint and the SAM translator. */
export function installPython(say: (text: string) => void): Promise<string> {
  return installPackages(root, [cfnLint, samTranslator], say);
}

/** The folder of the Serverless Framework's package. */
export async function installServerless(say: (text: string) => void): Promise<string> {
  const folder = await installed(osls, say, async (into) => {
    await writeFile(join(into, 'package.json'), '{"private":true}\n');
    await orThrow(await run('npm', ['install', '--no-audit', '--no-fund', '--silent', osls], into));
  });
  return join(folder, 'node_modules', 'osls');
}

/** The folder with the types of the resources of Terraform's AWS provider, one folder for each resource. */
export async function installProvider(resources: readonly string[], say: (text: string) => void): Promise<string> {
  const folder = await installed(provider, say, async (into) => {
    await orThrow(await run('npm', ['pack', '--silent', provider], into));
    const archive = (await readdir(into)).find((name) => name.endsWith('.tgz')) ?? '';
    // The whole package is hundreds of megabytes.
    const wanted = resources.map((name) => `package/lib/${name}`);
    await orThrow(await run('tar', ['-xzf', archive, ...wanted], into));
    await rm(join(into, archive));
  });
  return join(folder, 'package', 'lib');
}

async function installed(
  what: string,
  say: (text: string) => void,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(root, '.e2e', what.replaceAll(/[@/]+/g, '-').replace(/^-/, ''));
  if (existsSync(folder)) return folder;
  say(`installing ${what} into .e2e/`);
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await install(unfinished);
  await rename(unfinished, folder);
  return folder;
}

async function orThrow({ code, output }: Run): Promise<void> {
  if (code !== 0) throw new Error(`An installation ended with ${code}. It said:\n${output}`);
}
