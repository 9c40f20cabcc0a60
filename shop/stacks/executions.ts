import { fileURLToPath } from 'node:url';
import { ClaimsTable, Consumer, ExecutionEnds, FirstExecution, OpenClaimsSweep } from '@pawl/cdk';
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  Pass,
  Result,
  StateMachine,
  StateMachineType,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What `npm run e2e -- executions` deploys: a consumer that starts executions, what is told of their ends, and the sweep. */
export class Executions extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'Executions that are started once, and waited for.' });

    // An order says how its execution goes: it never ends, it fails the first time, or it succeeds.
    const settle = new StateMachine(this, 'Settle', {
      definitionBody: DefinitionBody.fromChainable(
        new Choice(this, 'HowItGoes')
          .when(Condition.isPresent('$.never'), new Wait(this, 'Hangs', { time: WaitTime.duration(Duration.hours(1)) }))
          .when(
            Condition.and(Condition.isPresent('$.failsFirst'), Condition.stringMatches('$$.Execution.Name', '*-1')),
            new Fail(this, 'Fails', { error: 'CardDeclined' }),
          )
          .otherwise(new Succeed(this, 'Settled')),
      ),
    });

    const effect = new Pass(this, 'Effect', { result: Result.fromString('effect') });
    const notify = new StateMachine(this, 'Notify', {
      definitionBody: DefinitionBody.fromChainable(new FirstExecution(this, 'First').next(effect)),
      stateMachineType: StateMachineType.EXPRESS,
    });

    const claims = new ClaimsTable(this, 'Claims');
    const common = {
      claimsTable: claims.table,
      depsLockFilePath: fromRoot('package-lock.json'),
      entry: fromRoot('shop/executions/handlers.ts'),
    };
    const environment = { WORKFLOW_ARN: settle.stateMachineArn };
    const consumer = new Consumer(this, 'Starts', {
      ...common,
      handler: 'start',
      operation: 'settle',
      timeout: Duration.seconds(10),
      environment,
    });
    const sweep = new OpenClaimsSweep(this, 'Sweep', { ...common, handler: 'sweep', environment });
    const ends = new ExecutionEnds(this, 'Ends', {
      ...common,
      handler: 'ended',
      workflow: settle,
      sweep: sweep.function,
    });
    ends.grantStart(consumer.function);

    new CfnOutput(this, 'QueueUrl', { value: consumer.queue.queueUrl });
    new CfnOutput(this, 'SweepName', { value: sweep.function.functionName });
    new CfnOutput(this, 'SettleArn', { value: settle.stateMachineArn });
    new CfnOutput(this, 'NotifyArn', { value: notify.stateMachineArn });
  }
}
