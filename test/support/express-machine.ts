import { type DynamoDBClient, PutItemCommand, type PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DefinitionBody, Pass, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import jsonata from 'jsonata';
import { FirstExecution } from '../../lib/cdk/index.ts';

/** A state as Amazon States Language has it: of what this interpreter understands. */
interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly Arguments?: unknown;
  readonly Output?: unknown;
  readonly Retry?: readonly { readonly ErrorEquals: readonly string[]; readonly MaxAttempts: number }[];
  readonly Catch?: readonly { readonly ErrorEquals: readonly string[]; readonly Next: string }[];
}

interface Definition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export interface ExpressExecution {
  readonly executionArn: string;
  readonly name: string;
  readonly input: string;
}

/** The definition of an express machine that begins with `FirstExecution` and has its effect in a state `Effect`, over a table that exists. */
export function firstThenEffect(table: string): Definition {
  const stack = new Stack();
  new StateMachine(stack, 'Notify', {
    definitionBody: DefinitionBody.fromChainable(new FirstExecution(stack, 'First').next(new Pass(stack, 'Effect'))),
    stateMachineType: StateMachineType.EXPRESS,
  });
  const [machine] = Object.values(Template.fromStack(stack).findResources('AWS::StepFunctions::StateMachine'));
  const parts: unknown[] = machine?.['Properties'].DefinitionString['Fn::Join'][1];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    return (part as { Ref: string }).Ref === 'AWS::Partition' ? 'aws' : table;
  });
  return JSON.parse(texts.join(''));
}

let entries = 0;

/**
 * Runs an execution, with requests to a real table: what Amazon States Language says of tasks that put an item, of retries without their waits, of catches, and
 * of JSONata, by the evaluator that it is defined by.
 *
 * @param put sends a request, or loses its answer
 * @returns the states that it went through, and how it ended
 */
export async function runExpress(
  { StartAt, States }: Definition,
  { executionArn, name, input }: ExpressExecution,
  put: (command: PutItemCommand) => Promise<unknown>,
): Promise<{ readonly states: readonly string[]; readonly output: unknown; readonly status: 'SUCCEEDED' | 'FAILED' }> {
  const states: string[] = [];
  let data: unknown = JSON.parse(input);
  for (let at: string | undefined = StartAt; at !== undefined; ) {
    states.push(at);
    const state: State | undefined = States[at];
    if (state === undefined) throw new Error(`There is no state ${at}.`);
    if (state.Type !== 'Task') {
      at = state.Next;
      continue;
    }
    // No two entries are in one millisecond.
    const context = {
      Execution: { Id: executionArn, Name: name },
      State: { EnteredTime: new Date(Date.now() + ++entries).toISOString() },
    };
    const failed = await attempt(state, { states: { input: data, context } }, put);
    if (failed === undefined) {
      data = await evaluated(state.Output, { states: { input: data, context } });
      at = state.Next;
    } else {
      at = state.Catch?.find(({ ErrorEquals }) => matches(ErrorEquals, failed))?.Next;
      if (at === undefined) return { states, output: undefined, status: 'FAILED' };
    }
  }
  return { states, output: data, status: 'SUCCEEDED' };
}

/** @returns the name of the error that its retries could not help */
async function attempt(
  { Arguments, Retry = [] }: State,
  bindings: Record<string, unknown>,
  put: (command: PutItemCommand) => Promise<unknown>,
): Promise<string | undefined> {
  const left = new Map(Retry.map((rule) => [rule, rule.MaxAttempts]));
  for (;;) {
    try {
      await put(new PutItemCommand((await evaluated(Arguments, bindings)) as PutItemCommandInput));
      return undefined;
    } catch (error) {
      const name = `DynamoDB.${(error as Error).name}`;
      const rule = Retry.find(({ ErrorEquals }) => matches(ErrorEquals, name));
      const more = (rule && left.get(rule)) ?? 0;
      if (rule === undefined || more === 0) return name;
      left.set(rule, more - 1);
    }
  }
}

const matches = (errors: readonly string[], name: string) => errors.includes(name) || errors.includes('States.ALL');

async function evaluated(value: unknown, bindings: Record<string, unknown>): Promise<unknown> {
  if (typeof value === 'string') {
    const [, expression] = /^\{%(.*)%\}$/s.exec(value) ?? [];
    return expression === undefined ? value : jsonata(expression).evaluate({}, bindings);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(async ([name, one]) => [name, await evaluated(one, bindings)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

/** Sends, and loses the first answer. */
export function losingTheFirst(client: DynamoDBClient): (command: PutItemCommand) => Promise<unknown> {
  let sent = 0;
  return async (command) => {
    await client.send(command);
    if (++sent === 1) throw Object.assign(new Error('the connection was reset'), { name: 'SdkClientException' });
  };
}
