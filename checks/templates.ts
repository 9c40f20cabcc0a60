import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Lints the app's templates with cfn-lint, where that is at hand (`pip install cfn-lint`), and says so where it is not.
 *
 * What CDK's own rules find, and cdk-nag's, is an error at synth and in `test/cdk` already.
 */

const app = fileURLToPath(new URL('../bin/app.ts', import.meta.url));

/** W3005 says that a dependency which CDK writes down follows from a reference anyway. */
const ignored = ['W3005'];

function lintTemplates(): string | undefined {
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-templates-'));
  try {
    const context = JSON.stringify({ 'aws:cdk:bundling-stacks': [] });
    const env = { ...process.env, CDK_OUTDIR: scratch, CDK_CONTEXT_JSON: context };
    const synth = spawnSync(process.execPath, [app], { encoding: 'utf8', env });
    if (synth.status !== 0) return `bin/app.ts does not synthesize:\n${synth.stderr}`;
    const templates = readdirSync(scratch).filter((name) => name.endsWith('.template.json'));
    const run = spawnSync('cfn-lint', [...templates, '--ignore-checks', ...ignored], {
      cwd: scratch,
      encoding: 'utf8',
    });
    console.log(`cfn-lint read ${templates.join(', ')}.`);
    return run.status === 0 ? undefined : `${run.stdout}${run.stderr}`;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (import.meta.main) {
  // A name on the path may be a shim for nothing: it counts when it runs.
  const atHand = spawnSync('cfn-lint', ['--version']).status === 0;
  const problems = atHand ? lintTemplates() : undefined;
  if (!atHand) console.log('cfn-lint is not at hand: nothing was linted.');
  if (problems !== undefined) {
    console.error(problems);
    process.exitCode = 1;
  }
}
