import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, DefaultStackSynthesizer, type IStackSynthesizer, Stack, Validations } from 'aws-cdk-lib';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type Function as LambdaFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ClaimsDashboard, ClaimsTable, OpenClaimsSweep, StatementCheck } from '../../lib/cdk/index.ts';
import { addConsumer, entryFile, lockFile, type Overrides } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const scratch = mkdtempSync(join(tmpdir(), 'pawl-nag-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** What the AWS Solutions rules find: `rule at path`. Without those that were acknowledged with a reason. */
function findings(build: (stack: Stack) => void): readonly string[] {
  const outdir = mkdtempSync(join(scratch, 'app-'));
  const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  // The app's template has that rule already, when it is included.
  const synthesizer = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }) as IStackSynthesizer;
  build(new Stack(app, 'Shop', { synthesizer }));
  // A finding fails the process, which is this one, or throws; what was found is in the report.
  const { exitCode } = process;
  try {
    app.synth();
  } catch (error) {
    if (!existsSync(join(outdir, 'validation-report.json'))) throw error;
  } finally {
    process.exitCode = exitCode;
  }
  const report: Report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
  return report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    ),
  );
}

test.each([
  ['as it is', {}],
  ['of a FIFO queue', { fifo: true, operation: 'send-email' }],
] satisfies [string, Overrides][])('nothing is found in a consumer %s', (_, overrides) => {
  expect(findings((stack) => void addConsumer(stack, overrides))).toEqual([]);
});

test('nothing is found with keys of the customer', () => {
  expect(
    findings((stack) => {
      addConsumer(stack, { encryptionKey: new Key(stack, 'Key', { enableKeyRotation: true }) });
    }),
  ).toEqual([]);
});

test('nothing is found in a sweep, a comparison with statements, a dashboard, and the grants of an operator', () => {
  expect(
    findings((stack) => {
      const claims = new ClaimsTable(stack, 'Claims');
      const consumer = addConsumer(stack, { claimsTable: claims.table, operation: 'send-email' });
      const props = { claimsTable: claims.table, entry: entryFile, depsLockFilePath: lockFile };
      new OpenClaimsSweep(stack, 'Sweep', props);
      new StatementCheck(stack, 'Check', {
        claimsTable: claims.table,
        function: consumer.function as LambdaFunction,
        operation: 'send-email',
      });
      new ClaimsDashboard(stack, 'Dashboard', { claimsTable: claims, consumers: [consumer] });
      const onCall = new Role(stack, 'OnCall', { assumedBy: new AccountPrincipal('111111111111') });
      for (const grantee of [claims, consumer]) grantee.grantOperate(onCall);
      claims.grantRestore(onCall);
      claims.grantActs(onCall);
      claims.grantLocks(onCall);
    }),
  ).toEqual([]);
});

describe('with X-Ray', () => {
  const traced = (stack: Stack) => addConsumer(stack, { tracing: Tracing.ACTIVE });
  const rule = 'AwsSolutions-IAM5[Resource::*]';

  test('one thing is found: it has no resources to be named in a permission', () => {
    expect(findings((stack) => void traced(stack))).toEqual([`${rule} at Shop/Work/Role/DefaultPolicy/Resource`]);
  });

  test('and is acknowledged as docs/reference/security.md says', () => {
    const guide = readFileSync(new URL('../../docs/reference/security.md', import.meta.url), 'utf8');
    expect(guide).toContain(rule);
    const reason = 'X-Ray has no resources';
    expect(findings((stack) => Validations.of(traced(stack)).acknowledge({ id: rule, reason }))).toEqual([]);
  });
});

test('in the app, as it is deployed, what is found is explained: a route whose function verifies a signature, and a list of streams that has no resources', () => {
  const app = fileURLToPath(new URL('../../bin/app.ts', import.meta.url));
  const context = JSON.stringify({ 'aws:cdk:bundling-stacks': [] });
  const run = spawnSync(process.execPath, [app], {
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: scratch, CDK_CONTEXT_JSON: context },
  });
  expect(run.status, run.stderr).toBe(0);
  for (const name of ['PawlOrders', 'PawlPayments', 'PawlRepayments', 'PawlAccounts']) {
    const templateFile = join(scratch, `${name}.template.json`);
    const found = findings((stack) => void new CfnInclude(stack, 'App', { templateFile }));
    const explained = [
      expect.stringMatching(/^AwsSolutions-IAM5\[Resource::\*\] at .*OutboxRelayRole/),
      expect.stringMatching(/^AwsSolutions-APIG4 at .*paymentscallback/),
    ];
    expect(found).toEqual(name === 'PawlPayments' ? explained : []);
  }
});
