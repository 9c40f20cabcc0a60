import { Duration, Stack } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type IRule, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type NamesOf, WiringError } from 'pawl/deployment';
import { actOn, alarmAt } from './alarms.ts';
import { grantClaims } from './claims-grants.ts';
import { deadLetterRetention, environmentProblems, refuseIfAny } from './consumer-checks.ts';
import { createFunction } from './consumer-function.ts';
import { type ConsumerFunctionProps, functionPropNames } from './function-props.ts';
import { expectProps } from './known-props.ts';
import { expectKinds } from './prop-kinds.ts';
import { endsOf, grantStart, isExpress, type StartedWorkflow, workflowArn, workflowProblem } from './workflow.ts';

/**
 * The options of {@link ExecutionEnds}.
 *
 * @example
 * import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
 *
 * const sweep = new OpenClaimsSweep(stack, 'Sweep', { claimsTable: claims.table, entry: 'lambda/sweep.ts' });
 * const props: ExecutionEndsProps = {
 *   entry: 'lambda/settled.ts',
 *   claimsTable: claims.table,
 *   workflow: StateMachine.fromStateMachineName(stack, 'Settle', 'settle'),
 *   sweep: sweep.function,
 * };
 */
export interface ExecutionEndsProps extends Omit<ConsumerFunctionProps, 'entry' | 'timeout'> {
  /** The path of the file whose `handler` is `executionEnded(…)` of `pawl/workflows`. It is bundled with esbuild at synth time. */
  readonly entry: string;

  /** The table of claims, usually `claimsTable.table` of a `ClaimsTable`. */
  readonly claimsTable: ITable;

  /** What is started: a standard state machine, or a version or an alias of a durable function. */
  readonly workflow: StartedWorkflow;

  /**
   * The function that sweeps the table, usually `sweep.function` of an `OpenClaimsSweep`. Its handler has `waitingExecutions(…)` in its `operations`: it finds
   * the ends that are not told. It is permitted to start and to look up executions.
   */
  readonly sweep: IFunction;

  /**
   * The longest that one end may take.
   *
   * @default Duration.seconds(30)
   */
  readonly timeout?: Duration;
}

const known = {
  ...functionPropNames,
  claimsTable: true,
  workflow: true,
  sweep: true,
} as const satisfies NamesOf<ExecutionEndsProps>;

/** The alarms of {@link ExecutionEnds}. */
export interface ExecutionEndsAlarms {
  /** An end could not be told: a message is in the dead-letter queue. */
  readonly deadLetters: Alarm;
  /** A run has failed. Lambda tries it again. */
  readonly failed: Alarm;
}

/**
 * A function that EventBridge tells of the ends of executions, so that the claims that wait for them are settled: see `executionEnded` of `pawl/workflows`.
 *
 * It finds the names of the table and of the workflow in `CLAIMS_TABLE` and `WORKFLOW_ARN`. Its role may settle claims, start an execution and look one up. An
 * end that could not be told is kept in a dead-letter queue, and found by the sweep all the same.
 *
 * @throws {WiringError} when an option is unknown or of another kind, `workflow` is an express state machine, or `environment` sets a variable of the construct
 * or holds a secret
 * @example
 * import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
 *
 * const workflow = StateMachine.fromStateMachineName(stack, 'Settle', 'settle');
 * const sweep = new OpenClaimsSweep(stack, 'Sweep', { claimsTable: claims.table, entry: 'lambda/sweep.ts' });
 * const ends = new ExecutionEnds(stack, 'Settled', {
 *   entry: 'lambda/settled.ts',
 *   claimsTable: claims.table,
 *   workflow,
 *   sweep: sweep.function,
 * });
 * ends.grantStart(existingFunction);
 */
export class ExecutionEnds extends Construct {
  /** The function that is told. */
  readonly function: IFunction;
  /** What tells it. */
  readonly rule: IRule;
  /** The ends that could not be told, as events of EventBridge. */
  readonly deadLetterQueue: IQueue;
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: ExecutionEndsAlarms;
  readonly #workflow: StartedWorkflow;

  constructor(scope: Construct, id: string, props: ExecutionEndsProps) {
    super(scope, id);
    expectProps(this, props, { door: 'ExecutionEnds', known, docs: 'docs/guides/workflows.md' });
    expectKinds(this, props, ['claimsTable', 'sweep']);
    const { claimsTable, workflow, sweep, environment = {}, timeout = Duration.seconds(30) } = props;
    const own = ['CLAIMS_TABLE', 'WORKFLOW_ARN'] as const;
    refuseIfAny(this.node.path, environmentProblems(Stack.of(this), environment, own));
    const problem = workflowProblem(workflow) ?? (isExpress(workflow) ? express : undefined);
    if (problem !== undefined) throw new WiringError(this.node.path, [problem]);
    this.#workflow = workflow;

    const made = createFunction(
      this,
      {
        ...props,
        environment: { ...environment, CLAIMS_TABLE: claimsTable.tableName, WORKFLOW_ARN: workflowArn(workflow) },
      },
      timeout,
    );
    grantClaims(claimsTable, made);
    this.grantStart(made);
    this.grantStart(sweep);
    this.function = made;
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      enforceSSL: true,
      encryption: QueueEncryption.SQS_MANAGED,
      retentionPeriod: deadLetterRetention,
    });
    this.rule = new Rule(this, 'Ends', {
      description: `${Stack.of(this).stackName}: tells pawl that an execution has ended.`,
      eventPattern: endsOf(workflow),
      // What EventBridge could not hand over to Lambda.
      targets: [new LambdaFunction(made, { deadLetterQueue: this.deadLetterQueue })],
    });
    // What Lambda took, and the handler has refused three times.
    made.configureAsyncInvoke({ retryAttempts: 2, onFailure: new SqsDestination(this.deadLetterQueue) });
    this.alarms = this.#createAlarms();
  }

  /** Permits `grantee`, the function of `startOnce`, to start executions of the workflow and to look them up. */
  grantStart(grantee: IGrantable): void {
    grantStart(this.#workflow, grantee);
  }

  /** Adds these actions to every alarm, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
  }

  #createAlarms(): ExecutionEndsAlarms {
    const { path } = this.node;
    const period = { period: Duration.minutes(5) };
    const waiting = this.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ ...period, statistic: 'Maximum' });
    return {
      deadLetters: alarmAt(this, 'DeadLettersAlarm', waiting, {
        threshold: 1,
        description:
          `${path}: the end of an execution could not be told. Its claim still waits; nothing is started twice. What to do: read the logs of the function, ` +
          'which say why. The sweep finds the end once the execution has to have ended. To settle it sooner, invoke the function with the event of the ' +
          'message (requestPayload, if it has one). Then delete the message.',
      }),
      failed: alarmAt(this, 'FailedAlarm', this.function.metricErrors(period), {
        threshold: 1,
        description:
          `${path}: a run that was told the end of an execution failed. Lambda tries it again twice. What to do if it stays: read the logs of the ` +
          'function. The table cannot be read or written, or the workflow cannot be started (a permission, throttling), or the function does not start.',
      }),
    };
  }
}

const express =
  'workflow: expected a standard state machine; got an express one. Its executions have no names, and EventBridge is not told their ends: no claim can wait for them.';
