import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { templateText } from '../../lib/cli/template-text.ts';
import type { Format } from '../../lib/pawl/deployment/template/print.ts';
import type { TemplateOptions } from '../../lib/pawl/deployment/template/settings.ts';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { checkCloudFormation, checkSam } from './cloudformation.ts';
import { checkServerless } from './serverless.ts';
import { checkTerraform, providerFolders } from './terraform.ts';
import { installProvider, installPython, installServerless, type Run } from './tools.ts';

/**
 * Gives what `pawl template` prints to tools that are not ours: cfn-lint, the SAM translator, the Serverless Framework, HashiCorp's parser, and the
 * schema of Terraform's AWS provider. Each tool also gets a template that is wrong, and has to refuse it: a check that sees nothing passes everything.
 *
 * It needs Python 3.10 and the registries of npm and PyPI. It cannot tell what an account will refuse.
 */

const choices: readonly (readonly [what: string, options: TemplateOptions])[] = [
  ['the defaults', {}],
  ['a FIFO queue, locks, a table that exists', { name: 'send-email', fifo: true, locks: true, claimsTable: 'claims' }],
  ['large batches', { name: 'a-1', batchSize: 100, maxBatchingWindowSeconds: 5, maxConcurrency: 5 }],
];

type Check = (folder: string, template: string) => Promise<Run>;

/** What makes the template of each tool wrong. */
const mistakes: Readonly<Record<Format, (template: string) => string>> = {
  cloudformation: (template) => template.replace('VisibilityTimeout:', 'VisibilityTimeOut:'),
  sam: (template) => template.replace('FunctionResponseTypes:', 'FunctionResponseType:'),
  serverless: (template) => template.replace('functionResponseType:', 'functionResponseTypes:'),
  terraform: (template) => template.replace('visibility_timeout_seconds =', 'visibility_timeout         ='),
};

async function main(): Promise<number> {
  const progress = createProgress(process.stdout);
  const say = (text: string) => progress.say(text);
  const python = await installPython(say);
  const framework = await installServerless(say);
  const types = await installProvider(providerFolders, say);
  const checks: Readonly<Record<Format, Check>> = {
    cloudformation: (folder, template) => checkCloudFormation(python, folder, template),
    sam: (folder, template) => checkSam(python, folder, template),
    serverless: (folder, template) => checkServerless({ python, framework }, folder, template),
    terraform: (folder, template) => checkTerraform(types, folder, template),
  };
  const scratch = await mkdtemp(join(tmpdir(), 'pawl-printed-'));
  let failures = 0;
  const check = async (format: Format, what: string, template: string, isRight: boolean) => {
    const folder = join(scratch, `${format}-${what.replaceAll(/\W+/g, '-')}`);
    await mkdir(folder);
    progress.update(`     ${format}: ${what}`);
    const { code, output } = await checks[format](folder, template);
    const asExpected = (code === 0) === isRight;
    const verdict = code === 0 ? 'accepted' : 'refused';
    say(`${asExpected ? 'ok ' : 'NOT'} ${format.padEnd(15)}${what}: ${verdict}`);
    if (!asExpected) say(output);
    if (!asExpected) failures += 1;
  };
  try {
    for (const format of ['cloudformation', 'sam', 'serverless', 'terraform'] as const) {
      for (const [what, options] of choices) await check(format, what, templateText(format, options), true);
      await check(format, 'a name that is misspelt', mistakes[format](templateText(format)), false);
    }
  } finally {
    progress.end();
    await rm(scratch, { recursive: true, force: true });
  }
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main();
