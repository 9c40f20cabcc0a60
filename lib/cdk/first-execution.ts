import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  type INextable,
  type State,
  StateMachineFragment,
  Succeed,
  TaskStateBase,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/**
 * The first state of an express state machine: of all executions with one name, the first goes on, and every other one ends at once, as succeeded.
 *
 * `startOnce` gives all executions of a key the same name. Express workflows do not look at names, so a start without an answer that is repeated
 * (`onAbandoned: 'retry'`) may start a second execution. Behind this state, one of them has effects. Step Functions itself may run an express execution more
 * than once; this state ends the later run as well.
 *
 * It writes an item with the name, under the condition that there is none. The item is deleted after 120 days. The role of the state machine is permitted
 * `dynamodb:PutItem` on the table. If the table cannot be written for about a minute, the execution fails, and has had no effect.
 *
 * Do not put it into a `Map`: the items of one execution share its name, and all but the first would end as done. In a branch of a `Parallel`, it ends that
 * branch only.
 *
 * The input of the execution is the input of the next state. The state machine may have either query language.
 *
 * @example
 * import { DefinitionBody, Pass, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
 *
 * const notify = new Pass(stack, 'Notify'); // what has the effect
 * new StateMachine(stack, 'Notifications', {
 *   definitionBody: DefinitionBody.fromChainable(new FirstExecution(stack, 'First').next(notify)),
 *   stateMachineType: StateMachineType.EXPRESS,
 * });
 */
export class FirstExecution extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];
  /** The names of the executions that went on. It is kept when its stack is deleted. */
  readonly table: ITable;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiresAt',
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.table = table as ITable;
    const put = new PutName(this, 'FirstOfItsName', this.table);
    // Before the other rule, which would match it as well: to ask again would change nothing.
    put.addRetry({ errors: [taken], maxAttempts: 0 });
    put.addRetry({ errors: ['States.ALL'], maxAttempts: 6, backoffRate: 2 });
    put.addCatch(new Succeed(this, 'AnotherGoesOn'), { errors: [taken] });
    this.startState = put;
    this.endStates = [put];
  }
}

const taken = 'DynamoDB.ConditionalCheckFailedException';

/** As long as `startOnce` keeps a claim. */
const keptSeconds = 120 * 24 * 3600;

/** Its own task, and not CDK's `DynamoPutItem`: that one knows JSONata, which can say when an item expires, in late versions of CDK only. */
class PutName extends TaskStateBase {
  protected readonly taskMetrics = {};
  protected readonly taskPolicies: PolicyStatement[];
  readonly #table: ITable;

  constructor(scope: Construct, id: string, table: ITable) {
    super(scope, id, {});
    this.#table = table;
    this.taskPolicies = [new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [table.tableArn] })];
  }

  protected _renderTask(): object {
    return {
      QueryLanguage: 'JSONata',
      Resource: `arn:${Stack.of(this).partition}:states:::dynamodb:putItem`,
      Arguments: {
        TableName: this.#table.tableName,
        Item: {
          id: { S: '{% $states.context.Execution.Name %}' },
          run: { S: run },
          expiresAt: { N: `{% $string($floor($millis() / 1000) + ${keptSeconds}) %}` },
        },
        // The second half recognises the state's own write whose answer was lost.
        ConditionExpression: 'attribute_not_exists(#id) OR #run = :run',
        ExpressionAttributeNames: { '#id': 'id', '#run': 'run' },
        ExpressionAttributeValues: { ':run': { S: run } },
      },
      Output: '{% $states.input %}',
    };
  }
}

/** One entry into the state: the same at each of its retries, and another one when Step Functions runs the execution a second time. */
const run = "{% $states.context.Execution.Id & ' ' & $states.context.State.EnteredTime %}";
