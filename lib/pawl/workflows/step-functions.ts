import { DescribeExecutionCommand, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { environmentName, expect, expectWhole } from '../kernel/check.ts';
import { explainedError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { isRefusal, startError } from './start-error.ts';
import { type NamedWorkflow, statusOf, type UnnamedWorkflow } from './workflow.ts';

export type { NamedWorkflow, UnnamedWorkflow } from './workflow.ts';

/**
 * The options of `stepFunctions`.
 *
 * @example
 * import { SFNClient } from '@aws-sdk/client-sfn';
 *
 * const options: StepFunctionsOptions = {
 *   client: new SFNClient({}),
 *   stateMachineArn: process.env.STATE_MACHINE_ARN,
 *   type: 'STANDARD',
 * };
 */
export interface StepFunctionsOptions {
  /** Your client. Its role needs `states:StartExecution` and, for standard workflows, `states:DescribeExecution`. */
  readonly client: Pick<SFNClient, 'send'>;
  /** The ARN of the state machine, of one of its versions, or of an alias. A missing one is reported at the first start: then nothing is started. */
  readonly stateMachineArn: string | undefined;
  /** As the state machine has it. A standard workflow remembers the names of its executions; an express workflow has no names. */
  readonly type: 'STANDARD' | 'EXPRESS';
  /**
   * For how long the names of executions that have ended are remembered, in seconds: a quota of the account. Of standard workflows only.
   * @default 7776000, which is 90 days
   */
  readonly remembersSeconds?: number;
}

const known = {
  client: true,
  stateMachineArn: true,
  type: true,
  remembersSeconds: true,
} as const satisfies NamesOf<StepFunctionsOptions>;

const docs = 'docs/guides/workflows.md';

/**
 * The executions of a state machine, for `startOnce` and `startExecution`.
 *
 * A request that is throttled is sent again by the client, as it always does. The start of an express workflow is sent again after nothing else: a second
 * request would start a second execution.
 *
 * @throws OptionError when an option is missing or wrong
 * @example
 * import { SFNClient } from '@aws-sdk/client-sfn';
 *
 * const stateMachineArn = process.env.STATE_MACHINE_ARN;
 * const workflow = stepFunctions({ client: new SFNClient({}), stateMachineArn, type: 'STANDARD' });
 */
export function stepFunctions(options: StepFunctionsOptions & { readonly type: 'STANDARD' }): NamedWorkflow;
export function stepFunctions(options: StepFunctionsOptions & { readonly type: 'EXPRESS' }): UnnamedWorkflow;
export function stepFunctions(options: StepFunctionsOptions): NamedWorkflow | UnnamedWorkflow {
  expectOptions(options, { door: 'stepFunctions', known, docs });
  const { client, stateMachineArn, type, remembersSeconds = 90 * 24 * 3600 } = options;
  expect(typeof client?.send === 'function', 'client', 'a client of Step Functions: new SFNClient({})', client);
  expect(type === 'STANDARD' || type === 'EXPRESS', 'type', "'STANDARD' or 'EXPRESS'", type);
  expectWhole('remembersSeconds', remembersSeconds);
  const isArn = typeof stateMachineArn !== 'string' || stateMachineArn === '' || arnOf(stateMachineArn) !== undefined;
  expect(isArn, 'stateMachineArn', 'the ARN of a state machine: arn:aws:states:…:stateMachine:…', stateMachineArn);
  const { setupError } = environmentName('stateMachineArn', {
    value: stateMachineArn,
    expected: 'the ARN of a state machine',
    variable: 'Set the environment variable that it is read from to the ARN of the state machine.',
  });
  const arn = stateMachineArn ?? '';
  const shared = { target: arnOf(arn)?.machine ?? '', setupError };

  if (type === 'EXPRESS') {
    return {
      ...shared,
      kind: 'unnamed',
      async start(name, input, { signal }) {
        const command = sentOnce(new StartExecutionCommand({ stateMachineArn: arn, name, input }));
        try {
          const { executionArn = '' } = await client.send(command, { abortSignal: signal });
          return { outcome: 'started', execution: executionArn };
        } catch (error) {
          throw startError('Step Functions', error, refusesInput);
        }
      },
    };
  }
  return {
    ...shared,
    kind: 'named',
    remembersSeconds,
    async start(name, input, { signal }) {
      try {
        const command = new StartExecutionCommand({ stateMachineArn: arn, name, input });
        const { executionArn = '' } = await client.send(command, { abortSignal: signal });
        if (executionArn.split(':')[5] === 'express') warnOfExpress(arn);
        return { outcome: 'started', execution: executionArn };
      } catch (error) {
        if (propertyOf(error, 'name') === 'ExecutionAlreadyExists') return { outcome: 'name-taken' };
        throw startError('Step Functions', error, refusesInput);
      }
    },
    async describe(name, { signal }) {
      const executionArn = `${shared.target.replace(':stateMachine:', ':execution:')}:${name}`;
      try {
        const found = await client.send(new DescribeExecutionCommand({ executionArn }), { abortSignal: signal });
        const { status, startDate, input, error: code, cause } = found;
        const error =
          code === undefined && cause === undefined ? undefined : { name: code ?? '', message: cause ?? '' };
        return {
          execution: executionArn,
          status: statusOf(status),
          startedAt: startDate?.getTime() ?? 0,
          input,
          error,
        };
      } catch (error) {
        if (propertyOf(error, 'name') === 'ExecutionDoesNotExist') return undefined;
        throw error;
      }
    },
  };
}

/** The state machine of an ARN, without its version or alias: another version's executions have the same names. */
function arnOf(arn: string): { readonly machine: string } | undefined {
  const parts = arn.split(':');
  const [scheme, , service, , , kind, name] = parts;
  if (scheme !== 'arn' || service !== 'states' || kind !== 'stateMachine' || !name) return undefined;
  return { machine: parts.slice(0, 7).join(':') };
}

/** What an answer says that Step Functions gave: these inputs are refused whenever they come. */
const refusesInput: readonly string[] = ['InvalidExecutionInput', 'ValidationException', 'InvalidName'];

/** A command that the client's retries send a second time only where the first one was refused: what had no answer may have started an execution. */
function sentOnce(command: StartExecutionCommand): StartExecutionCommand {
  let lost: Error | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      if (lost !== undefined) throw lost;
      try {
        return await next(args);
      } catch (error) {
        if (isRefusal(error)) throw error;
        // Without the marks by which a retry strategy recognises what it repeats.
        lost = explainedError(Error, `the start had no answer: ${recordedError(error).message}`, 'start-in-doubt', {
          cause: error,
        });
        throw lost;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'pawlSentOnce' },
  );
  return command;
}

function warnOfExpress(arn: string): void {
  const said = `stepFunctions: ${arn} is an express state machine, and type says 'STANDARD'`;
  warnOnce(
    'wrong-option',
    arn,
    `${said}. Its executions have no names: a start without an answer is repeated. Set type: 'EXPRESS'`,
  );
}
