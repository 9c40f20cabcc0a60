import type { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Function as LambdaFunction, Runtime, RuntimeFamily, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { consumerDefaults, explained } from 'pawl/deployment';
import { bundling } from './bundling.ts';
import { secretProblem } from './consumer-checks.ts';
import type { ConsumerProps } from './consumer-props.ts';
import { secretVariables } from './environment.ts';
import { markComplete, markUnderConstruction } from './template-body.ts';
import { write } from './written.ts';

/** As `Runtime.NODEJS_24_X`, which CDK has since 2.226. Earlier ones would deploy without it, and fall back to a Node that cannot run pawl. */
const node24 = new Runtime('nodejs24.x', RuntimeFamily.NODEJS, { supportsInlineCode: true });

/** A function that a construct of pawl makes, with logs that end and a role that may write only those. */
export function createFunction(
  scope: Construct,
  props: Omit<ConsumerProps, 'claimsTable'>,
  timeout: Duration,
): LambdaFunction {
  const logGroup = new LogGroup(scope, 'Logs', { retention: props.logRetention ?? RetentionDays.ONE_MONTH });
  // A role of its own, because the managed policy that Lambda's default role comes with may write to every log group.
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);

  const made = new NodejsFunction(scope, 'Function', {
    ...(props.entry === undefined ? {} : { entry: props.entry }),
    handler: props.handler ?? 'handler',
    runtime: node24,
    architecture: props.architecture ?? Architecture.ARM_64,
    memorySize: props.memorySize ?? consumerDefaults.memoryMb,
    timeout,
    tracing: props.tracing ?? Tracing.DISABLED,
    logGroup,
    role,
    bundling,
    ...(props.layers === undefined ? {} : { layers: [...props.layers] }),
    ...(props.depsLockFilePath === undefined ? {} : { depsLockFilePath: props.depsLockFilePath }),
    environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment },
  });
  // CDK before 2.110 does not know `logGroup`. Lambda would write to a group of its own, which the role may not: no logs, no metrics, no alarms.
  write(made, 'LoggingConfig.LogGroup', logGroup.logGroupName);
  refuseSecrets(scope, made);
  return made;
}

/** Looks at the variables as they will be deployed: an escape hatch, or an aspect, may add one. */
function refuseSecrets(scope: Construct, made: LambdaFunction): void {
  markUnderConstruction(made);
  scope.node.addValidation({
    validate() {
      markComplete(made);
      return secretVariables(made).map((name) => explained(secretProblem(name).text, 'wired-wrongly'));
    },
  });
}
